# SPDX-License-Identifier: GPL-2.0-or-later
# All events on 4 CPUs.

set -- events/*/*/enable
echo "@figure events.total $#"
for pass in 1 2 3; do
	toggle_all '' ipi time
done
echo 0 >tracing_on
for pass in 1 2 3; do
	toggle_all _off time
done
echo 1 >tracing_on

# together FIGURE FILE DEFINITION: a hundred events at once.
together()
{
	many_events 100 "time.$1_enable" "$2" "$3" || return
	for pass in 1 2 3; do
		toggle events/functions/enable 1 "$1_enable" time
		[ "$(cat events/functions/enable)" = 1 ] ||
			echo "@error time.$1_enable not all events are enabled"
		toggle events/functions/enable 0 "$1_disable" time
		[ "$(cat events/functions/enable)" = 0 ] ||
			echo "@error time.$1_disable an event is still enabled"
	done
	echo >dynamic_events
}

together probe_events dynamic_events 'p:functions/$function $function a=%di'
together fprobe_events dynamic_events 'f:functions/$function $function a=\$arg1'

if [ "$PATCHED" ]; then
	together function_events function_events '$function(x64 a)'
fi

control=/proc/dynamic_debug/control
# What is being debugged shall not go to the console.
dmesg -n 1
if [ -e $control ]; then
	echo "@figure dyndbg.total $(grep -vc '^#' $control)"
	for pass in 1 2 3; do
		toggle $control +p dyndbg_on ipi
		grep -q ' =_ ' $control &&
			echo "@error ipi.dyndbg_on a site is still off"
		toggle $control -p dyndbg_off ipi
	done
else
	echo "@error dyndbg.total no dynamic debug"
fi
