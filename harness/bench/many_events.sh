# SPDX-License-Identifier: GPL-2.0-or-later
# many_events COUNT FIGURE FILE DEFINITION: events on so many functions; DEFINITION has
# "$function" in it. It fails if there are fewer.
many_events()
{
	# A shell ends where eval cannot redirect.
	if [ ! -e "$3" ]; then
		echo "@error $2 no $3"
		return 1
	fi
	nr=0
	for function in $(sed -e 's/ .*//' available_filter_functions |
			grep '^[a-z]*_[a-z_]*$' | sort | uniq -u); do
		eval "echo \"$4\"" 2>/dev/null >>"$3" && nr=$((nr + 1))
		[ $nr -lt "$1" ] || return 0
	done
	echo "@error $2 only $nr events"
	return 1
}
