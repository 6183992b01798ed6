# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Where Debian's packages are, and the settings of apt. Sourced by setup, fresh and root.

# debian_mirror LOG: what apt is configured with, if it says that it is Debian's, or MIRROR.
debian_mirror() {
	echo "${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Label: Debian' 2>>"$1" | head -n 1)}"
}

# debian_sources SUITE LOG: lines for a sources.list, the machine's own of the suite; else its
# mirror, or the one that MIRROR names. Nothing if there is none.
debian_sources() {
	_lines=$(_debian_own "$1" "$2") ||
		{ apt-get update >>"$2" 2>&1; _lines=$(_debian_own "$1" "$2"); } || :
	# What apt says of a mirror it has from the lists.
	_mirror=${MIRROR:-}
	[ -n "$_lines$_mirror" ] || _mirror=$(debian_mirror "$2")
	[ -z "$_mirror" ] ||
		_lines="deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $_mirror $1 main"
	echo "$_lines"
}

_debian_own() {
	apt-get indextargets --format \
		'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' 2>>"$2" |
		grep -E " $1(-updates|-security)? main\$" | sort -u
}

# apt_settings: for --aptopt, those of the machine that have to do with its mirrors.
apt_settings() {
	apt-config dump | grep -E '^Acquire::(Check|Force|http|https|proxy|Proxy)[^ ]* "[^"]+";$' || :
	# A mirror that hangs is given up, not waited for.
	echo 'Acquire::Retries "2";'
	echo 'Acquire::http::Timeout "30";'
	echo 'Acquire::https::Timeout "30";'
	# The packages stay in the cache that the next root uses.
	echo 'Binary::apt-get::APT::Keep-Downloaded-Packages "true";'
	echo 'APT::Keep-Downloaded-Packages "true";'
}
