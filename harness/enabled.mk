# SPDX-License-Identifier: GPL-2.0-or-later
# Print the objects and directories that a configuration enables in a directory of the kernel:
# OUT is where it is built from TREE, and FILE the makefile of DIRECTORY.
include $(OUT)/include/config/auto.conf
srctree := $(TREE)
src := $(TREE)/$(DIRECTORY)
obj := $(DIRECTORY)
include $(TREE)/$(FILE)
objects := $(obj-y) $(obj-m) $(lib-y) $(lib-m)
parts := $(foreach o,$(objects),$($(o:.o=-y)) $($(o:.o=-m)) $($(o:.o=-objs)))
$(info $(addprefix $(DIRECTORY)/,$(objects) $(parts)))
.PHONY: lint-nothing
lint-nothing: ;
