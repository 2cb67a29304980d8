# rnicsim: `make run` replays the sample trace, `make test` runs every test, `make help` lists the rest.
SHELL := /bin/bash
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD ?= build
PREFIX ?= /usr/local
OPT ?= -O3

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror
CFLAGS += -std=c11 -D_GNU_SOURCE $(OPT) -g $(WARN) -ffp-contract=off -fPIC -MMD -MP
CPPFLAGS += -I. -Imodel -DRNICSIM_DATADIR='"$(PREFIX)/share/rnicsim"'
LIBS := -linih -lm
TOOL_LIBS := -ljansson -lzstd -lz

LIB_DIRS := model/kernel model/config model/nic model/host model/system model/api pcie transport mac mac/fabric
LIB_SOURCES := $(wildcard $(addsuffix /*.c,$(LIB_DIRS)))
TOOL_SOURCES := $(wildcard traces/*.c bench/*.c)
TEST_SOURCES := $(wildcard tests/*.c tests/*/*.c)
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

PACKAGES := gcc make pkg-config libinih-dev libzstd-dev libjansson-dev gnuplot-nox
TEST_PACKAGES := libcunit1-dev clang valgrind verilator g++ jq zstd python3-minimal

.PHONY: all run test check bench golden soak install deps deps-test help clean includes
all: rnicsim

rnicsim: $(call objects,$(TOOL_SOURCES)) $(BUILD)/librnicsim.a
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TOOL_LIBS)

$(BUILD)/librnicsim.a: $(call objects,$(LIB_SOURCES))
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo '  CC  $<'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

-include $(patsubst %.o,%.d,$(call objects,$(LIB_SOURCES) $(TOOL_SOURCES) $(TEST_SOURCES)))

# ---- tests ----

$(BUILD)/tests/suites.inc: $(TEST_SOURCES)
	@mkdir -p $(@D)
	@grep -hoE '^void suite_[a-z0-9_]+\(void\)' $(TEST_SOURCES) | sort | sed -E 's/^void (suite_[a-z0-9_]+)\(void\)/SUITE(\1)/' > $@

$(BUILD)/tests/main.o: $(BUILD)/tests/suites.inc
$(call objects,$(TEST_SOURCES)): CPPFLAGS += -I$(BUILD) -DRNICSIM_SOURCE_DIR='"$(CURDIR)"'

$(BUILD)/run_tests: $(call objects,$(TEST_SOURCES)) $(call objects,$(filter-out bench/main.c,$(TOOL_SOURCES))) $(BUILD)/librnicsim.a
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TOOL_LIBS) -lcunit

clean:
	rm -rf $(BUILD) out rnicsim
