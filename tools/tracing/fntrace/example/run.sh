#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boot the example kernel in QEMU, let it exchange messages with ping, and keep
# what both recorded: OUTDIR/kernel.fntrace (a directory with -r) and OUTDIR/ping/.

set -eu

usage()
{
	cat <<END
usage: run.sh [-a ARCH] [-b DIR] [-i SHIFT] [-k KERNEL] [-n ROUNDS] [-p PARAMETERS]
              [-r] [-t SECONDS] OUTDIR

  -a ARCH        x86_64, arm64 or riscv64 (default: that of this machine)
  -b DIR         where the example was built (default: where this script is)
  -i SHIFT       an instruction takes 2^SHIFT ns (QEMU's -icount), so that interrupts
                 come at the same instructions in each run; wants -n 0
  -k KERNEL      what to boot (default: example-ARCH.elf of DIR); unikernel.elf wants -n 0
  -n ROUNDS      messages to exchange; 0: no ping (default: 100)
  -p PARAMETERS  for the kernel's command line, such as "overwrite=1 repeat=8"
  -r             "fntrace receive" gets the records while they are made
  -t SECONDS     after that it has failed (default: 60)

Environment: QEMU (default: that of ARCH, such as qemu-system-x86_64), FNTRACE (default: the fntrace
of the directory above DIR)
END
}

die()
{
	echo "run.sh: $*" >&2
	exit 1
}

arch=$(uname -m)
dir=$(dirname "$0")
kernel=
icount=
rounds=100
params=
receive=
seconds=60

while getopts a:b:i:k:n:p:rt:h option; do
	case $option in
	a) arch=$OPTARG ;;
	b) dir=$OPTARG ;;
	i) icount=$OPTARG ;;
	k) kernel=$OPTARG ;;
	n) rounds=$OPTARG ;;
	p) params=$OPTARG ;;
	r) receive=yes ;;
	t) seconds=$OPTARG ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 1 ] || { usage >&2; exit 2; }
out=$1
fntrace=${FNTRACE:-$dir/../fntrace}

case $rounds in ''|*[!0-9]*) die "not a number: -n $rounds" ;; esac
case $icount in *[!0-9]*) die "not a number: -i $icount" ;; esac
case $seconds in ''|*[!0-9]*) die "not a number: -t $seconds" ;; esac
case $arch in
x86_64) cpu=x86_64 ;;
arm64 | aarch64) arch=arm64 cpu=aarch64 ;;
riscv64) cpu=riscv64 ;;
*) die "no kernel for $arch: -a x86_64, arm64 or riscv64" ;;
esac
qemu=${QEMU:-qemu-system-$cpu}
kernel=${kernel:-$dir/example-$arch.elf}
[ -e "$kernel" ] || die "no $kernel: build it with make ARCH=$arch"
command -v "$qemu" >/dev/null || die "no $qemu"
if [ "$rounds" -gt 0 ]; then
	[ -x "$dir/ping" ] || die "no $dir/ping: build it with make"
	params="$params messages=1"
fi
if [ "$rounds" -gt 0 ] || [ -n "$receive" ]; then
	[ -x "$fntrace" ] || die "no $fntrace: build it with make"
fi

# Before 8.1, threads of the emulator may run code that another one has patched.
version=$("$qemu" --version | sed -n 's/.*version \([0-9]*\.[0-9]*\).*/\1/p')
major=${version%%.*}
minor=${version#*.}
accel=tcg
if [ "${major:-0}" -lt 8 ] || { [ "$major" -eq 8 ] && [ "$minor" -lt 1 ]; }; then
	accel=tcg,thread=single
fi

mkdir -p "$out"
rm -rf "$out/kernel.fntrace" "$out/console.log" "$out/qemu.log" "$out/ping.log" "$out/ping"

# The path of a socket must be short.
tmp=$(mktemp -d)
pids=
cleanup()
{
	for pid in $pids; do
		kill "$pid" 2>/dev/null || :
	done
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# What the kernel records goes to a device on a PC, and elsewhere to a debugger (semihosting)
# that writes kernel.fntrace to the directory in which QEMU runs.
where=$(cd "$out" && pwd)
dump=$where/kernel.fntrace
receiver=
if [ -n "$receive" ]; then
	params="$params stream=1"
	dump=$tmp/kernel.fntrace
	if [ "$arch" = x86_64 ]; then
		"$fntrace" receive -o "$out/kernel.fntrace" "unix:$dump" 2>"$out/receive.log" &
	else
		mkfifo "$dump"
		"$fntrace" receive -o "$out/kernel.fntrace" - <"$dump" 2>"$out/receive.log" &
	fi
	receiver=$!
	pids=$receiver
	while [ ! -e "$dump" ] && kill -0 "$receiver" 2>/dev/null; do
		sleep 0.1
	done
fi

case $arch in
x86_64)
	type=pc
	[ -n "$receive" ] && backend=socket || backend=file
	set -- -serial chardev:channel -chardev "$backend,id=dump,path=$dump" \
		-device isa-debugcon,iobase=0xe9,chardev=dump \
		-device isa-debug-exit,iobase=0xf4,iosize=4
	;;
*)
	type=virt
	set -- -device pci-serial,chardev=channel -semihosting-config enable=on,target=native
	if [ "$arch" = arm64 ]; then
		type=virt,gic-version=2,highmem=off
		set -- "$@" -cpu cortex-a57
	fi
	;;
esac

[ -z "$icount" ] || set -- "$@" -icount "shift=$icount,sleep=off"

kernel=$(cd "$(dirname "$kernel")" && pwd)/$(basename "$kernel")
qemu=$(command -v "$qemu")
case $qemu in /*) ;; *) qemu=$PWD/$qemu ;; esac
(
	cd "$(dirname "$dump")"
	exec timeout "$seconds" "$qemu" -machine "$type" -accel "$accel" -smp 2 -m 128 -nodefaults \
		-no-user-config -display none -no-reboot -kernel "$kernel" -append "$params" \
		-serial "file:$where/console.log" \
		-chardev "socket,id=channel,path=$tmp/channel,server=on,wait=off" "$@"
) >"$out/qemu.log" 2>&1 </dev/null &
machine=$!
pids="$machine $receiver"

failed=
if [ "$rounds" -gt 0 ]; then
	while [ ! -S "$tmp/channel" ] && kill -0 "$machine" 2>/dev/null; do
		sleep 0.1
	done
fi
# In the background, because a trap waits for what is in the foreground.
if [ -S "$tmp/channel" ] && [ "$rounds" -gt 0 ]; then
	LD_LIBRARY_PATH=$dir/..${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
		"$fntrace" record -o "$out/ping" "$dir/ping" "$tmp/channel" "$rounds" \
		>"$out/ping.log" 2>&1 &
	pids="$machine $receiver $!"
	wait $! || failed="ping failed: $(tail -n 1 "$out/ping.log")"
	pids="$machine $receiver"
fi
# Without ping, nobody tells the kernel to quit.
[ -z "$failed" ] || kill "$machine" 2>/dev/null || :

status=0
wait "$machine" || status=$?
pids=$receiver
if [ -n "$receiver" ]; then
	wait "$receiver" || failed="receive failed: $(tail -n 1 "$out/receive.log")"
fi
pids=

# The kernel's own report says more than anything that follows from it.
message=$(sed -n 's/^panic: //p' "$out/console.log" 2>/dev/null | tr -d '\r')
[ -z "$message" ] || die "the kernel gave up: $message"
case $status in
0 | 33) ;;	# killed from here; what the kernel makes of success
124) die "the kernel did not finish within $seconds s, see $out/console.log" ;;
*) die "QEMU ended with status $status: $(tail -n 1 "$out/qemu.log")" ;;
esac
[ -z "$failed" ] || die "$failed"
grep -q '^done' "$out/console.log" || die "the kernel did not finish, see $out/console.log"
size=$(du -sb "$out/kernel.fntrace" | cut -f1)
echo "$out: $size bytes of trace, $rounds messages answered"
