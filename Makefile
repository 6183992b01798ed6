# SPDX-License-Identifier: GPL-2.0-or-later
# The front door. Every target installs what it needs, brings build/ up to
# date, and ends with one line that says what happened.

export KSRC ACCEL MIRROR MERGE SETUP FLAVOUR
export PYTHONDONTWRITEBYTECODE := 1

MAKEFLAGS += --no-print-directory
py := python3 harness/

help:
	@echo 'make run         build the patched kernel, boot it, trace; then a guest shell'
	@echo 'make test        every check and test; FULL=1 runs the long ones as well'
	@echo '                 TARGETS="markers ..." ARCH=x86_64 only some of them'
	@echo 'make check       the static checks only, and our files in other configurations'
	@echo 'make bench       measure against the pristine kernel, build/bench/; ARCH=arm64 or'
	@echo '                 riscv64: what can be measured there; ON=debian: what enabling everything'
	@echo '                 takes with the packages of make deb, beside Debian'\''s own kernel'
	@echo 'make profile     where the instructions of a hit go; EVENT=tracepoint_enabled, or'
	@echo '                 another row of the benchmark'
	@echo 'make mutants     change a line at a time, and see which test notices; MUTANTS="name ..."'
	@echo '                 or AREA=name, a list in harness/mutants/, only some of them'
	@echo 'make shell       boot the patched kernel with a shell'
	@echo 'make menuconfig  change the configuration of the patched kernel'
	@echo 'make tree        assemble build/linux: the base and one commit per patch'
	@echo 'make port        assemble it without the hunks that do not apply to the base'
	@echo 'make refresh     carry edits made in build/linux back; PATCH=TOPIC/NAME'
	@echo '                 says where a new file or a newly edited one belongs'
	@echo 'make apply       KSRC=DIR TOPICS="...": a branch with these topics in the kernel tree DIR;'
	@echo '                 MERGE=yes merges their options into its .config'
	@echo 'make series      branches of b4 in build/b4, and their mails in build/series/; TOPIC=rust'
	@echo '                 only one topic'
	@echo 'make check-series  git am, checkpatch and a build of every step'
	@echo 'make deb         packages for Debian in build/deb: the kernel, configured as Debian'\''s own'
	@echo '                 FLAVOUR=cloud, rt, or amd64 (ARCH=arm64: arm64), and fntrace'
	@echo 'make try         a Debian 13 system with them, in QEMU: a shell; BASE=stock: with Debian'\''s'
	@echo '                 own kernel'
	@echo 'make fresh       make run and make test in a minimal Debian root, see harness/fresh'
	@echo 'make packages    print what would be installed; with SETUP=no, nothing is: what is missing'
	@echo '                 or too old is named'
	@echo 'make clean       remove what was built, keep the trees and tools'
	@echo 'make distclean   remove build/'
	@echo 'BASE=6.12        run the target of the release for 6.12 LTS, out of the history'
	@echo 'KSRC=DIR         use the git tree DIR as the base instead of Debian'\''s source'

deb:
	@[ -z "$(BASE)" ] || { echo "error: make deb BASE=$(BASE): only of this base" >&2; exit 1; }
	@ARCH=$(ARCH) harness/setup deb
	@ARCH=$(ARCH) $(py)deb.py

try:
	@[ -z "$(filter-out stock,$(BASE))" ] || \
		{ echo "error: make try BASE=$(BASE): it is stock, or nothing" >&2; exit 1; }
	@ARCH= FLAVOUR= harness/setup $(if $(BASE),stock,try)
	@ARCH= FLAVOUR= BASE=$(BASE) $(py)debroot.py

# Of an earlier release, the same targets; make hands its own variables on.
ifneq ($(BASE),)
tree refresh series check-series check run shell menuconfig test bench clean distclean:
	@harness/release $(BASE) $@
else

tree:
	@harness/setup tree
	@$(py)series.py tree

port:
	@harness/setup tree
	@$(py)series.py port

refresh:
	@harness/setup tree
	@$(py)series.py refresh $(PATCH)

apply:
	@KSRC= harness/setup tree
	@$(py)apply.py $(TOPICS)

series:
	@harness/setup series
	@$(py)series.py mail $(TOPIC)

check-series:
	@harness/setup check
	@$(py)check.py series

check:
	@harness/setup check
	@$(py)check.py fast

run:
	@harness/setup run
	@$(py)run.py

shell:
	@harness/setup run
	@$(py)run.py shell

menuconfig:
	@harness/setup run
	@$(py)kernel.py menuconfig

test:
	@harness/setup test
	@$(if $(filter deb,$(TARGETS)),ARCH= FLAVOUR= harness/setup try)
	@$(if $(TARGETS),,$(if $(FULL),[ "$$(id -u)" -ne 0 ] || ARCH= FLAVOUR= harness/setup try))
	@$(py)test.py $(if $(FULL),full) $(if $(TARGETS),'TARGETS=$(TARGETS)') $(if $(ARCH),'ARCH=$(ARCH)')

bench:
	@$(if $(ON),ARCH= FLAVOUR= harness/setup try,harness/setup test)
	@$(py)bench.py $(or $(ON),$(ARCH))

profile:
	@harness/setup test
	@$(py)eventprofile.py $(EVENT)

mutants:
	@harness/setup test
	@$(py)mutants.py $(MUTANTS) $(if $(AREA),'AREA=$(AREA)')

packages:
	@harness/setup packages

fresh:
	@harness/fresh

clean:
	rm -rf build/obj build/log build/series build/bench build/compilefail build/full build/job-* \
		build/mutants build/deb build/deb-* build/debian build/unsigned

distclean:
	rm -rf build

endif

.PHONY: help deb try fresh packages tree port refresh apply series check-series check run shell menuconfig test \
	bench profile mutants clean distclean
