# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: commands and options, as the --help of fntrace has them, and files.

_fntrace()
{
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ] || [ "$command" = help ]; then
		COMPREPLY=($(compgen -W "help $("$program" --help |
			sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$word"))
	elif [ "${word#-}" != "$word" ]; then
		COMPREPLY=($(compgen -W "$("$program" "$command" --help |
			sed -n 's/^  *\(-.,\)\{0,1\}  *\(--[a-z-]*\).*/\2/p')" -- "$word"))
	elif [ "$command" = control ]; then
		COMPREPLY=($(compgen -W "start stop status dump" -- "$word"))
	fi
}

complete -o default -F _fntrace fntrace
