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
CFLAGS += -std=c11 -D_GNU_SOURCE $(OPT) -g $(WARN) -ffp-contract=off -fPIC -MMD -MP
CPPFLAGS += -I. -Imodel -DRNICSIM_DATADIR='"$(PREFIX)/share/rnicsim"'
LIBS := -linih -lm
TOOL_LIBS := -ljansson -lzstd -lz

LIB_DIRS := model/kernel model/config model/nic model/host model/system model/api pcie transport mac mac/fabric
LIB_SOURCES := $(wildcard $(addsuffix /*.c,$(LIB_DIRS)))
TOOL_SOURCES := $(wildcard traces/*.c bench/*.c)
TEST_SOURCES := $(filter-out tests/golden/renew.c,$(wildcard tests/*.c tests/*/*.c))
objects = $(patsubst %.c,$(BUILD)/%.o,$(1))

# Debian packages: to build and run, and what the tests need besides
PACKAGES := gcc make libc6-dev libinih-dev libzstd-dev libjansson-dev zlib1g-dev gnuplot-nox
TEST_PACKAGES := libcunit1-dev clang valgrind verilator g++ zstd

.PHONY: all run test check bench golden soak install deps deps-test help clean
all: $(PROGRAM)

run: deps
	@$(MAKE) --no-print-directory rnicsim
	./rnicsim run -b u280_100g traces/samples/write_lat_100k.wqe.zst -o out --force

test: deps deps-test
	@$(MAKE) --no-print-directory rnicsim $(BUILD)/run_tests $(BUILD)/speed
	@$(BUILD)/run_tests

check:
	@$(MAKE) --no-print-directory rnicsim $(BUILD)/run_tests
	@$(BUILD)/run_tests --quick

soak:
	@$(MAKE) --no-print-directory rnicsim $(BUILD)/run_tests
	RNICSIM_SOAK_SECONDS=$(or $(SECONDS_LONG),600) $(BUILD)/run_tests kernel_property kernel_rtl

golden:
	@$(MAKE) --no-print-directory $(BUILD)/golden
	@$(BUILD)/golden tests/golden

bench:
	@$(MAKE) --no-print-directory $(BUILD)/speed $(BUILD)/speed_kernel
	@RNICSIM_DATA=model/config CC=$(CC) bench/speed/bench.sh $(BUILD)/speed $(BUILD)/speed_kernel bench/results.tsv

help:
	@echo 'make run      install what is missing, build, replay the sample trace, draw charts into out/'
	@echo 'make test     the same for every test'
	@echo 'make check    the quick tests only, nothing is installed'
	@echo 'make bench    measure speed: seconds and instructions, kept in bench/results.tsv'
	@echo 'make golden   renew the golden timings in tests/golden and say what moved'
	@echo 'make soak     random tests with new seeds, for SECONDS_LONG=600 seconds'
	@echo 'make install  PREFIX=/usr/local: the program, the library, its header and the data'
	@echo 'make clean    remove what was built'

# Installs only what is missing, and says what. sudo only when not root.
define install_missing
	@missing=''; for p in $(1); do dpkg -s $$p >/dev/null 2>&1 || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	    echo "installing:$$missing"; \
	    sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    $$sudo apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null || \
	    { echo "could not install:$$missing" >&2; exit 1; }; \
	fi
endef

deps:
	$(call install_missing,$(PACKAGES))

deps-test:
	$(call install_missing,$(TEST_PACKAGES))

install: rnicsim $(BUILD)/librnicsim.so
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/rnicsim/,boards nics hosts plots samples)
	install -m 755 rnicsim $(DESTDIR)$(PREFIX)/bin/
	install -m 644 model/api/rnicsim.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(BUILD)/librnicsim.a $(BUILD)/librnicsim.so $(DESTDIR)$(PREFIX)/lib/
	sed 's|@PREFIX@|$(PREFIX)|' model/api/rnicsim.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/rnicsim.pc
	install -m 644 model/config/boards/*.board $(DESTDIR)$(PREFIX)/share/rnicsim/boards/
	install -m 644 model/config/nics/*.nic $(DESTDIR)$(PREFIX)/share/rnicsim/nics/
	install -m 644 model/config/hosts/*.host $(DESTDIR)$(PREFIX)/share/rnicsim/hosts/
	install -m 644 bench/plots/*.gp $(DESTDIR)$(PREFIX)/share/rnicsim/plots/
	install -m 644 traces/samples/* $(DESTDIR)$(PREFIX)/share/rnicsim/samples/

$(PROGRAM): $(call objects,$(TOOL_SOURCES)) $(BUILD)/librnicsim.a
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TOOL_LIBS)

$(BUILD)/librnicsim.a: $(call objects,$(LIB_SOURCES))
	@rm -f $@
	@ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo '  CC  $<'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/librnicsim.so: $(call objects,$(LIB_SOURCES))
	@$(CC) $(CFLAGS) -shared -o $@ $^ $(LIBS)

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
$(call objects,$(TEST_SOURCES) tests/golden/renew.c): CPPFLAGS += -I$(BUILD) -DRNICSIM_SOURCE_DIR='"$(CURDIR)"'

$(BUILD)/run_tests: $(call objects,$(TEST_SOURCES)) $(call objects,$(filter-out bench/main.c,$(TOOL_SOURCES))) $(BUILD)/librnicsim.a
	@echo '  LD  $@'
	@$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(TOOL_LIBS) -lcunit

clean:
	rm -rf $(BUILD) out rnicsim
