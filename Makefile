# rnicsim: `make run` replays the sample trace, `make test` runs every test, `make help` lists the rest.
SHELL := /bin/bash
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD ?= build
PREFIX ?= /usr/local
OPT ?= -O3
PROGRAM ?= rnicsim

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Werror
CFLAGS += -std=c11 -D_GNU_SOURCE $(OPT) -g $(WARN) -ffp-contract=off -fPIC -fvisibility=hidden -MMD -MP
CPPFLAGS += -I. -Imodel
LIBS := -linih -lz -lm -ldl
TOOL_LIBS := -lpcap -ljansson -lzstd
VERSION := $(shell sed -n 's/^.define RNICSIM_VERSION "\(.*\)"/\1/p' model/api/rnicsim.h)
SONAME := librnicsim.so.$(firstword $(subst ., ,$(VERSION)))

LIB_DIRS := model/kernel model/config model/nic model/host model/system model/api pcie transport mac mac/fabric
LIB_SOURCES := $(wildcard $(addsuffix /*.c,$(LIB_DIRS)))
TOOL_SOURCES := $(wildcard traces/*.c bench/*.c bench/perftest/*.c bench/sweep/*.c bench/why/*.c bench/waves/*.c bench/compare/*.c traces/verbs/*.c)
# stands in for libibverbs in programs: only where its headers are installed, on the processor whose clock it traps
ifneq ($(and $(filter x86_64,$(shell uname -m)),$(wildcard /usr/include/infiniband/verbs.h)),)
VERBS_LIBRARY := $(dir $(PROGRAM))librnicsim_verbs.so
endif
VERBS_SOURCES := $(wildcard traces/verbs/preload/*.c)
TEST_SOURCES := $(filter-out tests/golden/renew.c,$(wildcard tests/*.c tests/*/*.c))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

# Debian packages: to build and run, and what the tests need besides
PACKAGES := gcc make libc6-dev libinih-dev libzstd-dev libjansson-dev zlib1g-dev libpcap-dev gnuplot-nox
TEST_PACKAGES := libcunit1-dev clang valgrind libc6-dbg verilator g++ zstd tshark python3-scapy \
	slurmctld slurmd slurm-client munge gtkwave iverilog chromium poppler-utils \
	libibverbs-dev perftest ibverbs-utils

.PHONY: all run test check bench golden soak install deps deps-test need need-test help clean always
all: $(PROGRAM) $(VERBS_LIBRARY)

run: deps
	@$(MAKE) --no-print-directory $(PROGRAM)
	$(abspath $(PROGRAM)) run -b u280_100g traces/samples/write_lat_100k.wqe.zst -o out --force

test: deps deps-test
	@$(MAKE) --no-print-directory all $(BUILD)/run_tests $(BUILD)/speed
	@$(BUILD)/run_tests

check: need need-test
	@$(MAKE) --no-print-directory all $(BUILD)/run_tests
	@$(BUILD)/run_tests --quick

soak: need need-test
	@$(MAKE) --no-print-directory all $(BUILD)/run_tests
	RNICSIM_SOAK_SECONDS=$(or $(SECONDS_LONG),600) $(BUILD)/run_tests kernel_property kernel_rtl pcie_reference

golden: need
	@$(MAKE) --no-print-directory $(BUILD)/golden
	@$(BUILD)/golden tests/golden

bench: need need-test
	@$(MAKE) --no-print-directory $(BUILD)/speed $(BUILD)/speed_kernel
	@RNICSIM_DATA=model/config CC=$(CC) bench/speed/bench.sh $(BUILD)/speed $(BUILD)/speed_kernel bench/results.tsv

help:
	@echo 'make run      install what is missing, build, replay the sample trace, draw charts into out/'
	@echo 'make test     the same for every test'
	@echo 'make check    the quick tests only; a missing package is named, nothing is installed'
	@echo 'make bench    measure speed: seconds and instructions, kept in bench/results.tsv'
	@echo 'make golden   renew the golden timings in tests/golden and say what moved'
	@echo 'make soak     random tests with new seeds, for SECONDS_LONG=600 seconds'
	@echo 'make install  PREFIX=/usr/local: the program, the library, its header and the data'
	@echo 'make clean    remove what was built'

# A removed package whose configuration is left is known to dpkg, but not installed. Without dpkg nothing can be told.
find_missing = missing=''; command -v dpkg-query >/dev/null && for p in $(1); do \
	dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$p"; done

# Installs only what is missing, and says what. sudo only when not root.
define install_missing
	@$(find_missing); if [ -n "$$missing" ]; then \
	    echo "installing:$$missing"; \
	    sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    $$sudo apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null || \
	    { echo "could not install:$$missing" >&2; exit 1; }; \
	fi
endef

# Installs nothing: names what is missing, and how to get it.
define name_missing
	@$(find_missing); if [ -n "$$missing" ]; then \
	    echo "missing packages:$$missing; 'make $(2)' installs them" >&2; exit 2; \
	fi
endef

deps:
	$(call install_missing,$(PACKAGES))

deps-test:
	$(call install_missing,$(TEST_PACKAGES))

need:
	$(call name_missing,$(PACKAGES),deps)

need-test:
	$(call name_missing,$(TEST_PACKAGES),deps-test)

install: need
	@$(MAKE) --no-print-directory all $(BUILD)/librnicsim.so
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/rnicsim/,boards nics macs endpoints hosts parts plots validation samples cdf)
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/rnicsim
	install -m 644 model/api/rnicsim.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(BUILD)/librnicsim.a $(DESTDIR)$(PREFIX)/lib/
	install -m 644 $(BUILD)/librnicsim.so $(DESTDIR)$(PREFIX)/lib/librnicsim.so.$(VERSION)
	$(if $(VERBS_LIBRARY),install -m 755 $(VERBS_LIBRARY) $(DESTDIR)$(PREFIX)/lib/)
	ln -sf librnicsim.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/librnicsim.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' model/api/rnicsim.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/rnicsim.pc
	install -m 644 model/config/boards/*.board $(DESTDIR)$(PREFIX)/share/rnicsim/boards/
	install -m 644 model/config/nics/*.nic $(DESTDIR)$(PREFIX)/share/rnicsim/nics/
	install -m 644 model/config/macs/*.mac $(DESTDIR)$(PREFIX)/share/rnicsim/macs/
	install -m 644 model/config/endpoints/*.endpoint $(DESTDIR)$(PREFIX)/share/rnicsim/endpoints/
	install -m 644 model/config/hosts/*.host $(DESTDIR)$(PREFIX)/share/rnicsim/hosts/
	install -m 644 bench/parts/*.csv $(DESTDIR)$(PREFIX)/share/rnicsim/parts/
	install -m 644 bench/plots/*.gp $(DESTDIR)$(PREFIX)/share/rnicsim/plots/
	install -m 644 bench/validation/*.target $(DESTDIR)$(PREFIX)/share/rnicsim/validation/
	install -m 644 traces/cdf/*.cdf $(DESTDIR)$(PREFIX)/share/rnicsim/cdf/
	install -m 644 traces/samples/* $(DESTDIR)$(PREFIX)/share/rnicsim/samples/

# A stamp changes when what it says does, and only then: what was built with other words is built again.
define stamp
$(BUILD)/$(1): always
	@mkdir -p $$(@D); printf '%s\n' '$(2)' | cmp -s - $$@ || printf '%s\n' '$(2)' > $$@
endef
$(eval $(call stamp,flags.stamp,$(CC) $(CPPFLAGS) $(CFLAGS)))
$(eval $(call stamp,prefix.stamp,$(PREFIX)))

$(PROGRAM): $(call objects,$(TOOL_SOURCES)) $(BUILD)/librnicsim.a
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TOOL_LIBS)

ifdef VERBS_LIBRARY
$(VERBS_LIBRARY): $(call objects,$(VERBS_SOURCES))
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -shared -Wl,--no-undefined -o $@ $^ -ldl
endif

$(BUILD)/librnicsim.a: $(call objects,$(LIB_SOURCES))
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags.stamp
	@mkdir -p $(@D)
	@echo '  CC  $<'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# the one object that knows where things are installed
DATA_OBJECT := $(BUILD)/model/config/config_data.o
$(DATA_OBJECT): CPPFLAGS += -DRNICSIM_DATADIR='"$(PREFIX)/share/rnicsim"'
$(DATA_OBJECT): $(BUILD)/prefix.stamp

$(BUILD)/librnicsim.so: $(call objects,$(LIB_SOURCES))
	@$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -o $@ $^ $(LIBS)

$(BUILD)/speed: $(BUILD)/bench/speed/speed.o $(BUILD)/librnicsim.a
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/speed_kernel: $(BUILD)/bench/speed/kernel.o $(BUILD)/librnicsim.a
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/golden: $(call objects,tests/golden/renew.c tests/golden/timeline.c) $(BUILD)/librnicsim.a
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d)

# ---- tests ----

$(BUILD)/tests/suites.inc: $(TEST_SOURCES)
	@mkdir -p $(@D)
	@grep -hoE '^void suite_[a-z0-9_]+\(void\)' $(TEST_SOURCES) | sort -u | sed -E 's/^void (suite_[a-z0-9_]+)\(void\)/SUITE(\1)/' > $@

$(BUILD)/tests/main.o: $(BUILD)/tests/suites.inc
$(call objects,$(TEST_SOURCES) tests/golden/renew.c): CPPFLAGS += -I$(BUILD) -DRNICSIM_SOURCE_DIR='"$(CURDIR)"' \
	-DRNICSIM_BUILD_DIR='"$(abspath $(BUILD))"' -DRNICSIM_PROGRAM='"$(abspath $(PROGRAM))"'

$(BUILD)/run_tests: $(call objects,$(TEST_SOURCES)) $(call objects,$(filter-out bench/main.c,$(TOOL_SOURCES))) $(BUILD)/librnicsim.a
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TOOL_LIBS) -lcunit

clean:
	rm -rf $(BUILD) out $(PROGRAM) $(VERBS_LIBRARY)
