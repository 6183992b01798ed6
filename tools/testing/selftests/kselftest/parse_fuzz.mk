# SPDX-License-Identifier: GPL-2.0
# A parser of event definitions under libFuzzer, for a directory NAME/fuzz with NAME.c, which
# calls kernel/trace/PARSER.c, beside a file "definitions" of good ones.
#
# Inputs that have been found useful stay in OUT/corpus, and one that makes it fail, in OUT.

CLANG ?= clang
SECONDS ?= 60
OUT ?= $(CURDIR)

shared := ../../kselftest
tools := ../../../..
trace := $(tools)/../kernel/trace
CFLAGS := -g -O1 -Wall -D_GNU_SOURCE -DCONFIG_PHYS_ADDR_T_64BIT \
	  -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	  -include $(shared)/parse_fuzz_shim.h -I$(tools)/include -I$(trace) \
	  -idirafter $(tools)/../include
SOURCES := $(NAME).c $(trace)/$(PARSER).c $(trace)/fetch_type.c $(trace)/fetch_c_type.c \
	   $(tools)/lib/ctype.c

$(OUT)/$(NAME): $(SOURCES) $(shared)/parse_fuzz_shim.h $(shared)/parse_fuzz.h $(trace)/$(PARSER).h $(trace)/fetch_type.h $(trace)/event_text.h
	mkdir -p $(OUT)
	$(CLANG) $(CFLAGS) -o $@ $(SOURCES)

# One file for each line, and the words of all lines.
$(OUT)/words: ../definitions
	mkdir -p $(OUT)/corpus
	sed -e '/^#/d' $< | split -l 1 -a 3 - $(OUT)/corpus/definition-
	sed -e '/^#/d' $< | grep -o '[A-Za-z_0-9]*\|[^A-Za-z_0-9 ]*' | sort -u | sed -e '/./!d' -e 's/["\\]/\\&/g' -e 's/.*/"&"/' > $@

fuzz: $(OUT)/$(NAME) $(OUT)/words
	$(OUT)/$(NAME) -dict=$(OUT)/words -max_total_time=$(SECONDS) -max_len=2100 \
		-artifact_prefix=$(OUT)/ -print_final_stats=1 $(OUT)/corpus

clean:
	rm -rf $(OUT)/$(NAME) $(OUT)/words $(OUT)/corpus $(OUT)/crash-* $(OUT)/timeout-*

.PHONY: fuzz clean
