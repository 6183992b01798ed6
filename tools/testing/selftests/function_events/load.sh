#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# load.sh SECONDS [FUNCTIONS]: function events at the entry and the return of sixty
# functions of the kernel or more, or just so many, all enabled at once while the machine
# is busy; then whether what they say can be true. To be run as root, in the tracing
# directory.
#
# Copyright (C) 2026 The static-key tracepoints developers

SECONDS_OF_LOAD="${1:?how many seconds?}"
WANTED="${2:-60}"
DIR="$(dirname "$(readlink -f "$0")")"
. "$DIR"/../kselftest/tracing_helpers.sh

# Those that this kernel does not have, or cannot trace, do not count.
PROTOTYPES="
vfs_open(const struct path *path, struct file *file) -> int
vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos) -> ssize_t
vfs_write(struct file *file, const void __user *buf, size_t count, loff_t *pos) -> ssize_t
vfs_fstat(int fd, struct kstat *stat) -> int
vfs_getattr(const struct path *path, struct kstat *stat, u32 mask, x32 flags) -> int
vfs_unlink(void *idmap, void *dir, void *dentry) -> int
do_sys_openat2(int dfd, ustring filename, void *how) -> long
do_filp_open(int dfd, void *name, const void *op) -> x64
filp_close(struct file *file, void *id) -> int
fput(struct file *file) -> void
fget(unsigned int fd) -> x64
fd_install(unsigned int fd, struct file *file) -> void
close_fd(unsigned int fd) -> int
get_unused_fd_flags(x32 flags) -> int
dput(struct dentry *dentry) -> void
d_alloc(struct dentry *parent, const void *name) -> x64
path_get(const struct path *path) -> void
path_put(const struct path *path) -> void
user_path_at(int dfd, ustring name, x32 flags, struct path *path) -> int
getname_flags(ustring filename, x32 flags) -> string name[0]
seq_read_iter(void *iocb, void *iter) -> ssize_t
generic_file_llseek(struct file *file, loff_t offset, int whence) -> loff_t
kernel_read(struct file *file, void *buf, size_t count, void *pos) -> ssize_t
alloc_pipe_info() -> x64
do_pipe_flags(int *fd, x32 flags) -> int
create_pipe_files(void *files, x32 flags) -> int
handle_mm_fault(void *vma, x64 address, x32 flags, void *regs) -> x32
do_mmap(struct file *file, x64 addr, u64 len, x64 prot, x64 flags, x64 vm_flags) -> x64
find_vma(struct mm_struct *mm, x64 addr) -> x64
exit_mmap(struct mm_struct *mm) -> void
mmput(struct mm_struct *mm) -> void
mprotect_fixup(void *vmi, void *tlb, void *vma, void *prev, x64 start, x64 end) -> int
vm_munmap(x64 start, size_t len) -> int
wake_up_process(struct task_struct *task) -> int
wake_up_new_task(struct task_struct *task) -> void
kernel_clone(void *args) -> pid_t
kernel_wait4(pid_t pid, int *status, x32 options, void *rusage) -> long
do_wait(void *wo) -> long
do_exit(long code) -> void
exit_files(struct task_struct *task) -> void
exit_mm_release(struct task_struct *task, struct mm_struct *mm) -> void
release_task(struct task_struct *task) -> void
put_task_stack(struct task_struct *task) -> void
begin_new_exec(void *bprm) -> int
setup_arg_pages(void *bprm, x64 stack, int executable) -> int
get_signal(void *ksig) -> bool
do_sigaction(int sig, void *act, void *oact) -> int
sigprocmask(int how, void *set, void *oldset) -> int
do_send_sig_info(int sig, void *info, struct task_struct *task, int type) -> int
schedule_timeout(long timeout) -> long
hrtimer_nanosleep(s64 time, int mode, clockid_t clock) -> long
hrtimer_start_range_ns(void *timer, s64 time, u64 delta, int mode) -> void
hrtimer_try_to_cancel(void *timer) -> int
mod_timer(void *timer, unsigned long expires) -> int
ktime_get_ts64(void *ts) -> void
mutex_lock(void *lock) -> void
mutex_unlock(void *lock) -> void
down_read(void *sem) -> void
up_read(void *sem) -> void
call_rcu(void *head, symbol func) -> void
queue_work_on(int cpu, void *wq, void *work) -> bool
raise_softirq(unsigned int nr) -> void
handle_irq_event(void *desc) -> int
prepare_creds() -> x64
commit_creds(void *new) -> int
kvfree(const void *addr) -> void
kfree(const void *object) -> void
strncpy_from_user(void *dst, const void *src, long count) -> long
tty_write(void *iocb, void *from) -> ssize_t
do_futex(void *uaddr, x32 op, u32 val, void *timeout) -> long
ksys_dup3(unsigned int oldfd, unsigned int newfd, x32 flags) -> int
do_fcntl(int fd, unsigned int cmd, x64 arg, void *filp) -> long
"

load()
{
	while :; do
		cat /proc/self/maps /proc/meminfo | wc -l
		echo words > "$TMP/file" && rm "$TMP/file"
		(sleep 0.01; kill -0 $$)
	done > /dev/null 2>&1
}

undo()
{
	[ -z "$PIDS" ] || kill $PIDS
	wait
	echo 0 > events/enable
	echo > function_events
	rm -rf "$TMP"
} 2> /dev/null

# What this kernel does not have, or cannot trace, was refused for one of these reasons.
is_missing()
{
	tail -n 4 error_log |
		grep -q 'Function not found\|Function cannot be traced\|Several functions'
}

# "define NAME DEFINITION"
define()
{
	echo "c:functions/$1 $2" 2> /dev/null >> function_events
}

# Which functions are seen in a part of the trace, and some records to be looked at.
take()
{
	sed -n 's/.*: \([a-z0-9_]*\)_\(entry\|ret\): .*/\1/p' "$1" | sort -u >> "$TMP/seen"
	grep ': \(vfs_read_ret\|do_sys_openat2_entry\|call_rcu_entry\|kernel_clone_ret\): ' "$1" |
		tail -n 500 >> "$TMP/taken"
}

complaint()
{
	echo "$@"
	exit 1
}

TMP="$(mktemp -d)" || exit
PIDS=
trap undo EXIT
defined=0
while read -r prototype; do
	name="${prototype%%(*}"
	[ -n "$name" ] || continue
	if ! define "${name}_entry" "${prototype%->*}"; then
		is_missing || complaint "$prototype is refused"
		echo "not here: $name"
		continue
	fi
	define "${name}_ret" "$prototype" || complaint "$prototype is refused"
	defined=$((defined + 1))
	[ $defined -ne "${2:-0}" ] || break
done <<END
$PROTOTYPES
END
echo "$defined prototypes"
[ "$defined" -ge $WANTED ] || exit

mark_log
echo > trace
echo 1 > events/functions/enable || exit
[ "$(cat events/functions/enable)" = 1 ] || exit
for cpu in $(seq "$(grep -c '^processor' /proc/cpuinfo)"); do
	load &
	PIDS="$PIDS $!"
done
end=$(($(cut -d . -f 1 /proc/uptime) + SECONDS_OF_LOAD))
while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
	sleep 1
	# Readers meet writers.
	head -n 10000 trace > "$TMP/part"
	take "$TMP/part"
done
echo 0 > events/functions/enable
kill $PIDS
PIDS=

cat trace > "$TMP/part"
take "$TMP/part"
seen="$(sort -u "$TMP/seen" | grep -c .)"
echo "$(grep -c . "$TMP/part") lines at last, $seen functions seen," \
	"$(grep -c . "$TMP/taken") records looked at"
[ "$seen" -ge $((defined / 2)) ] || exit

# What is read is not more than was asked for, and files are known by their names.
sed -n 's/.*vfs_read_ret: .*count=\([0-9]*\), .* -> ret=\([-0-9]*\) .*/\1 \2/p' \
	"$TMP/taken" > "$TMP/reads"
[ -s "$TMP/reads" ] || complaint "no reads"
awk '$2 > $1 { print "read " $2 " of " $1; bad = 1 } END { exit bad }' "$TMP/reads" || exit
grep -q 'do_sys_openat2_entry: .*filename="/proc/self/maps"' "$TMP/taken" || complaint "no path"
# What RCU is to call starts where a function does.
grep 'call_rcu_entry: ' "$TMP/taken" > "$TMP/calls" ||
	! grep -q call_rcu function_events || complaint "no calls of call_rcu"
lacks -v 'func=[a-zA-Z0-9_.]*+0x0/' "$TMP/calls" || exit
# A clone gives a process, if no signal is in the way: ERESTARTNOINTR.
grep 'kernel_clone_ret: ' "$TMP/taken" > "$TMP/clones" ||
	! grep -q kernel_clone function_events || complaint "no clones"
lacks -v ' -> ret=\([1-9][0-9]*\|-513\) ' "$TMP/clones" || exit
clean_log
