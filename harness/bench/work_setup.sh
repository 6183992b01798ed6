# SPDX-License-Identifier: GPL-2.0-or-later
# workloads SUFFIX: whole programs that do much in the kernel, or little; not "sched
# messaging": who of its forty tasks runs when is chance, and makes 10 %.
workloads()
{
	/job/workload "workload_pipe$1" perf bench sched pipe -l 20000
	/job/workload "workload_syscall$1" perf bench syscall basic -l 500000
	/job/workload "workload_mem$1" perf bench mem memcpy -s 16MB -l 1
	/job/workload "workload_compile$1" cc1 -quiet -O1 -fpreprocessed /job/toggle.i -o /dev/null
}

# The first run of a program reads its pages from the initramfs.
workloads _first | grep '^@error'
