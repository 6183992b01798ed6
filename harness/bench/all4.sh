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

# toggled PASSES GROUP NAME: all events of a group.
toggled()
{
	for pass in $(seq "$1"); do
		toggle "events/$2/enable" 1 "$3_enable" time
		[ "$(cat "events/$2/enable")" = 1 ] ||
			echo "@error time.$3_enable not all events are enabled"
		toggle "events/$2/enable" 0 "$3_disable" time
		[ "$(cat "events/$2/enable")" = 0 ] ||
			echo "@error time.$3_disable an event is still enabled"
	done
}

# together COUNT PASSES NAME FILE DEFINITION: COUNT events at once.
together()
{
	many_events "$1" "time.$3_enable" "$4" "$5" || return
	toggled "$2" functions "$3"
	echo >dynamic_events
}

fprobe_event='f:functions/$function $function a=\$arg1'
together 1 3 one_fprobe_event dynamic_events "$fprobe_event"
together 1000 1 fprobe_events dynamic_events "$fprobe_event"

if [ "$PATCHED" ]; then
	function_event='$function(x64 a)'
	together 1 3 one_function_event function_events "$function_event"
	together 1000 1 function_events function_events "$function_event"

	echo '*' >marker_events
	toggled 3 markers markers
	echo >marker_events
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
