# Basin: the only build system. GNU make 4.3 or newer, gcc or clang.
#
#   make                  build/basin, build/libbasin.a, build/libbasin.so
#   make deps             install the missing Debian packages (apt, sudo if not root)
#   make demo             build, then train and predict on generated data
#   make test             build and run all tests; installs what is missing
#   make test T=name      only the test programs and scripts whose name contains T
#   make test UPDATE=1    rewrite the expected output of the command-line tests
#   make test-real        tests on real data in DATA; skipped where that is absent
#   make san              all tests under the address and undefined sanitizers
#   make tsan             everything under the thread sanitizer (clang)
#   make coverage         all tests, then line coverage per folder
#   make fuzz SECONDS=60  run each fuzz target for that long (clang)
#   make soak KILLS=500   the long forms: every failing allocation, kills at random moments
#   make bench            timings, see bench/ (make timers: only the programs it runs)
#   make lint, format     check the house rules; run clang-format
#   make house            the folders, their jobs and how large they may be
#   make install          to PREFIX (/usr/local), below DESTDIR
#   make wheel, dist      the Python package for pip, and the sources as it wants them; with WHOLE=1 the
#                         wheel has the libraries inside that it needs, except for those of gcc
#   make sbom             build/sbom.json: what the programs are linked with (SPDX)
#   make deb              Debian packages, in build/deb; DEB_BUILD_OPTIONS= also runs the tests there
#   make clean, help
#
# Switches, with their defaults:
#
#   CC=gcc                the compiler; CC=clang works as well
#   B=build               folder for everything that is built
#   OPT=-O2               optimisation of ordinary code (vector kernels: OPT_VEC=-O3)
#   CFLAGS=, LDFLAGS=     added last; CPPFLAGS= before CFLAGS
#   WERROR=1              warnings are errors
#   SAN=1                 sanitizers            COV=1   count executed lines
#   V=1                   show the commands
#   DEPS=0                packages are neither looked for nor installed; what is missing fails or,
#                         of tests, is skipped
#   DNNL=0                without oneDNN: dense products by OpenBLAS alone
#   BLAS_CFLAGS=, BLAS_LIBS=   another OpenBLAS than Debian's OpenMP flavour, to be linked
#   PREFIX=/usr/local DESTDIR= LIBDIR=$(PREFIX)/lib
#   ZSHDIR=               install: where zsh looks for completions
#   PYTHONDIR=            install: a folder such as /usr/local/lib/python3.11/dist-packages for the
#                         Python package, which then uses the installed library
#   DATA=../shared/data   real data for test-real
#   LIMIT=900             seconds one test program may take

ifeq ($(origin CC),default)
CC := gcc
endif
B       ?= build
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
DATA    ?= ../shared/data
LIMIT   ?= 900
SECONDS ?= 60
DNNL    ?= 1
DEPS    ?= 1

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all lib deps demo test test-real san tsan coverage fuzz fuzz-run soak timers bench lint house format \
        install wheel dist sbom deb clean help

# As many jobs as cores, unless the user said how many.
ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
endif

ifeq ($(V),)
say = @printf '  %-5s %s\n' $1 '$2';
else
say =
endif

# ---- sources ----

VEC_SRC  := $(sort $(wildcard src/device/cpu/vec/*.c))
SRC      := $(filter-out $(VEC_SRC),$(sort $(shell find src -name '*.c')))
TOOL_SRC := $(sort $(shell find tool -name '*.c'))
TESTS   := $(sort $(wildcard tests/test_*.c tests/test64_*.c))
BENCHES := $(sort $(wildcard bench/*.c))
FUZZERS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
VERSION := $(shell sed -n 's/^\#define BASIN_VERSION "\(.*\)".*/\1/p' include/basin.h 2>/dev/null)
VERSION := $(or $(VERSION),0.1.0)
SOMAJOR := $(firstword $(subst ., ,$(VERSION)))

ifneq ($(T),)
TESTS := $(foreach t,$(TESTS),$(if $(findstring $(T),$(notdir $t)),$t))
endif

# ---- what the machine has ----
# Goals that build nothing themselves need neither compiler nor libraries.

IDLE := deps san tsan coverage fuzz lint house format dist deb clean help
ifneq ($(filter-out $(IDLE),$(or $(MAKECMDGOALS),all)),)

# One check of the packages per build folder and compiler. Tests and demo install by themselves.
DEPS_OK := $(B)/deps-$(notdir $(lastword $(CC))).ok
LACKING := CC='$(CC)' BLAS_LIBS='$(BLAS_LIBS)' DNNL='$(DNNL)' tools/deps
ifeq ($(shell [ $(DEPS) = 0 ] || [ $(DEPS_OK) -nt tools/deps ] && echo ok),)
MISSING := $(shell $(LACKING) --check)
ifneq ($(MISSING),)
ifneq ($(filter test test-real demo,$(MAKECMDGOALS)),)
$(info installing $(MISSING))
$(shell $(LACKING) --install 1>&2)
MISSING := $(shell $(LACKING) --check)
endif
endif
ifneq ($(MISSING),)
$(error missing Debian packages: $(MISSING); install them with: make deps)
endif
$(shell mkdir -p $(B) && touch $(DEPS_OK))
endif

# Some tests need Debian's Python with numpy and the like: got once if possible, else they skip.
ifneq ($(filter test,$(MAKECMDGOALS)),)
ifeq ($(if $(filter 0,$(DEPS)),no,$(wildcard $(B)/deps-python.tried)),)
ifneq ($(shell tools/deps --check --python),)
$(info installing $(shell tools/deps --check --python), for the tests of the Python package)
$(shell tools/deps --install --python 1>&2)
endif
$(shell touch $(B)/deps-python.tried)
endif
endif

MACHINE   := $(shell $(CC) -dumpmachine)
MULTIARCH := $(or $(shell $(CC) -print-multiarch 2>/dev/null),\
                  $(shell dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null))
IS_CLANG  := $(shell $(CC) --version 2>/dev/null | grep -c clang)

# Always the OpenMP flavour, from its own folder: the alternatives system cannot put the pthread
# flavour, with a second set of threads, in its place. It is not linked; src/device/cpu/blas.h explains why.
BLAS_CFLAGS ?= -isystem /usr/include/$(MULTIARCH)/openblas-openmp
ifeq ($(BLAS_LIBS),)
DEFINES := -DBS_BLAS_FILE='"/usr/lib/$(MULTIARCH)/openblas-openmp/libopenblas.so.0"'
else
DEFINES :=
endif

# oneDNN makes dense products faster.
ifeq ($(DNNL),1)
DEFINES   += -DBS_DNNL
DNNL_LIBS := -ldnnl
endif

PKGS       := libarchive libpng libjpeg expat jansson zlib libxxhash libpcre2-8 libutf8proc
PKG_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKGS)))
PKG_LIBS   := $(shell pkg-config --libs $(PKGS))
CMOCKA     := $(shell pkg-config --cflags --libs cmocka 2>/dev/null)

# ---- flags ----

OPT     ?= -O2
OPT_VEC ?= -O3

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual \
        -Wwrite-strings -Wundef
ifneq ($(IS_CLANG),0)
WARN += -Wno-pass-failed -Wno-missing-field-initializers
endif
ifeq ($(WERROR),1)
WARN += -Werror
endif

# Folders that touch foreign bytes also warn about conversions that lose something.
STRICT := src/base/% src/data/% src/file/% src/token/% src/pretrained/%

ifeq ($(SAN),1)
OPT     := -O1
OPT_VEC := -O1
MODE    := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
ifeq ($(TSAN),1)
OPT     := -O1
OPT_VEC := -O1
MODE    := -fsanitize=thread
endif
ifeq ($(COV),1)
OPT     := -O0
OPT_VEC := -O0
MODE    := --coverage
endif
ifeq ($(FUZZ),1)
OPT     := -O1
OPT_VEC := -O1
MODE    := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
           -fno-omit-frame-pointer
endif

ifneq ($(filter x86_64-% amd64-%,$(MACHINE)),)
ISAS := plain avx2 avx512
ARCH :=
else
ISAS := plain
ARCH := -DBS_ONLY_PLAIN
endif
FLAGS_plain  :=
FLAGS_avx2   := -mavx2 -mfma -mf16c
FLAGS_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma \
                -mprefer-vector-width=512

BASE  := -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Iinclude -fopenmp -fPIC \
         -fno-math-errno $(ARCH) -g
DEPEND = -MMD -MP -MF $(basename $@).d
ALL   := $(BASE) -Isrc $(WARN) $(DEFINES) $(BLAS_CFLAGS) $(PKG_CFLAGS) $(CPPFLAGS)
USUAL := $(OPT) -ffp-contract=off
FAST  := $(OPT_VEC) -ffp-contract=fast -fno-trapping-math
LIBS  := $(PKG_LIBS) $(BLAS_LIBS) $(DNNL_LIBS) -ldl -lm

# Changed flags rebuild everything; an added or removed source file rebuilds the archive.
FLAGS_NOW := $(strip $(shell $(CC) --version | head -n 1) $(CC) $(ALL) $(USUAL) $(FAST) $(MODE) \
             $(CFLAGS) $(LDFLAGS) $(LIBS) $(CMOCKA) $(FLAGS_avx2) $(FLAGS_avx512))
ifneq ($(FLAGS_NOW),$(strip $(file <$(B)/flags)))
$(shell mkdir -p $(B))
$(file >$(B)/flags,$(FLAGS_NOW))
endif
LIST_NOW := $(strip $(SRC) $(VEC_SRC) $(TOOL_SRC))
ifneq ($(LIST_NOW),$(strip $(file <$(B)/sources)))
$(file >$(B)/sources,$(LIST_NOW))
endif

# ---- library and tool, in float and (for some tests) in double ----

# $1 folder of the objects
objects = $(SRC:%.c=$(B)/$1/%.o) \
          $(foreach i,$(ISAS),$(VEC_SRC:%.c=$(B)/$1/%_$i.o))
verbs   = $(patsubst %.c,$(B)/$1/%.o,$(filter-out tool/main.c,$(TOOL_SRC)))

OBJ32  := $(call objects,f32)
OBJ64  := $(call objects,f64)
LIB32  := $(B)/libbasin.a
LIB64  := $(B)/f64/libbasin.a
VERB32 := $(call verbs,f32)
VERB64 := $(call verbs,f64)
TOOL32 := $(B)/libtool.a
TOOL64 := $(B)/f64/libtool.a

# $1 folder, $2 flags of this precision
define precision
$(B)/$1/%.o: %.c $(B)/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)$(CC) $(ALL) $$(if $$(filter tool/%,$$<),-Itool) \
	    $$(if $$(filter $(STRICT),$$<),-Wconversion) $(USUAL) $2 \
	    $(MODE) $(CFLAGS) $$(DEPEND) -c $$< -o $$@
endef

# $1 folder, $2 flags of this precision, $3 instruction set
define vector
$(B)/$1/src/device/cpu/vec/%_$3.o: src/device/cpu/vec/%.c $(B)/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)$(CC) $(ALL) $(FAST) $2 -DBS_ISA=$3 $(FLAGS_$3) \
	    $(MODE) $(CFLAGS) $$(DEPEND) -c $$< -o $$@
endef

$(eval $(call precision,f32,))
$(eval $(call precision,f64,-DBS_DOUBLE))
$(foreach i,$(ISAS),$(eval $(call vector,f32,,$i)))
$(foreach i,$(ISAS),$(eval $(call vector,f64,-DBS_DOUBLE,$i)))

$(LIB32): $(OBJ32)
$(LIB64): $(OBJ64)
$(TOOL32): $(VERB32)
$(TOOL64): $(VERB64)
# Several folders have files with the same name: q appends all of them, r would keep the last.
$(LIB32) $(LIB64) $(TOOL32) $(TOOL64): $(B)/sources
	@mkdir -p $(@D) && rm -f $@
	$(call say,AR,$@)$(AR) qcs $@ $(filter %.o,$^)

$(B)/libbasin.so: $(OBJ32) $(B)/sources tools/basin.map
	$(call say,LD,$@)$(CC) -shared -fopenmp $(MODE) $(CFLAGS) -Wl,-soname,libbasin.so.$(SOMAJOR) \
	    -Wl,--version-script=tools/basin.map $(if $(MODE),,-Wl,-z,defs) -o $@ $(OBJ32) $(LDFLAGS) \
	    $(LIBS)
	@ln -sf libbasin.so $@.$(SOMAJOR)

# The library for a wheel that can be installed without Debian's packages: it finds other libraries
# in the folder libs beside it. All of them are named in this one, so that none is searched for by
# another; OpenBLAS has a name of its own, so that no other flavour in the process takes its place.
WHOLE_BLAS := /usr/lib/$(MULTIARCH)/openblas-openmp/libopenblas.so.0

$(B)/whole/blas.o: src/device/cpu/blas.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(filter-out -DBS_BLAS_FILE=%,$(ALL)) $(USUAL) $(CFLAGS) \
	    -DBS_BLAS_FILE='"libbasin-openblas.so.0"' -c $< -o $@

$(B)/whole/libbasin.so: $(B)/libbasin.so $(B)/whole/blas.o
	@ldd $(B)/libbasin.so $(WHOLE_BLAS) | awk '$$2 == "=>" { print $$3 }' | sort -u | \
	    grep -vE '/lib(c|m|gcc_s|stdc\+\+|gomp)\.so' > $(B)/whole/libs
	$(call say,LD,$@)$(CC) -shared -fopenmp $(CFLAGS) -Wl,-soname,libbasin.so.$(SOMAJOR) \
	    -Wl,--version-script=tools/basin.map -Wl,-z,defs -Wl,-rpath,'$$ORIGIN/libs' -o $@ \
	    $(filter-out $(B)/f32/src/device/cpu/blas.o,$(OBJ32)) $(B)/whole/blas.o $(LDFLAGS) \
	    -Wl,--no-as-needed $$(cat $(B)/whole/libs) $(LIBS)
	@echo $(WHOLE_BLAS) >> $(B)/whole/libs

# ---- the tool: verbs over the headers of the library ----

$(B)/basin: $(B)/f32/tool/main.o $(TOOL32) $(LIB32)
	$(call say,LD,$@)$(CC) -fopenmp $(MODE) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

lib: $(LIB32) $(B)/libbasin.so
all: lib $(B)/basin

# ---- tests, fuzz targets, timings: one program per file ----
# Tests can run on the far device (tests/far.h), and so can the tool in $(B)/far.

FAR32 := $(B)/f32/tests/far.o
FAR64 := $(B)/f64/tests/far.o
WRAP  := -Wl,--wrap=bs_workspace_open

$(B)/far/basin: $(B)/f32/tool/main.o $(FAR32) $(TOOL32) $(LIB32)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -fopenmp $(MODE) $(CFLAGS) $(WRAP) -o $@ $^ $(LDFLAGS) $(LIBS)

PROG32 := $(patsubst %.c,$(B)/%,$(filter tests/test_%,$(TESTS)))
PROG64 := $(patsubst %.c,$(B)/%,$(filter tests/test64_%,$(TESTS)))
TIMERS := $(BENCHES:%.c=$(B)/%)
FUZZED := $(FUZZERS:tests/fuzz/%.c=$(B)/%)

# $1 more flags, $2 library, $3 more libraries
program = $(call say,LD,$@)$(CC) $(ALL) $(USUAL) $1 $(MODE) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< \
          $2 $(LDFLAGS) $3 $(LIBS)

$(filter-out $(B)/tests/test_toy,$(PROG32)): $(B)/%: %.c $(FAR32) $(TOOL32) $(LIB32) $(B)/flags
	@mkdir -p $(@D)
	$(call program,-I. -Itool -Itests $(WRAP),$(FAR32) $(TOOL32) $(LIB32),$(CMOCKA))

$(PROG64): $(B)/%: %.c $(FAR64) $(TOOL64) $(LIB64) $(B)/flags
	@mkdir -p $(@D)
	$(call program,-I. -Itool -Itests -DBS_DOUBLE $(WRAP),$(FAR64) $(TOOL64) $(LIB64),$(CMOCKA))

# A task and an encoder added as docs/adding.md says: the lists are compiled once more, with those of
# tests/toy, and linked in place of the archives' own.
TOY  := $(sort $(wildcard tests/toy/*.c)) src/task/tasks.c src/nn/encoders.c tool/tasks/tasks.c
TOYS := -DBS_TASKS='"tests/toy/tasks.def"' -DBS_ENCODERS='"tests/toy/encoders.def"'
$(B)/tests/test_toy: tests/test_toy.c $(TOY) $(wildcard tests/toy/*.h tests/toy/*.def) $(FAR32) \
                     $(TOOL32) $(LIB32) $(B)/flags
	@mkdir -p $(@D)
	$(call program,$(TOYS) -I. -Itool -Itests $(WRAP) $(TOY),$(FAR32) $(TOOL32) $(LIB32),$(CMOCKA))

$(TIMERS): $(B)/%: %.c $(TOOL32) $(LIB32) $(B)/flags
	@mkdir -p $(@D)
	$(call program,-I. -Itool -Ibench,$(TOOL32) $(LIB32),)

$(FUZZED): $(B)/%: tests/fuzz/%.c $(TOOL32) $(LIB32) $(B)/flags
	$(call program,-fsanitize=fuzzer -I. -Itool -Itests,$(TOOL32) $(LIB32),)

-include $(OBJ32:.o=.d) $(OBJ64:.o=.d) $(VERB32:.o=.d) $(VERB64:.o=.d) $(B)/f32/tool/main.d \
         $(FAR32:.o=.d) $(FAR64:.o=.d)
-include $(addsuffix .d,$(PROG32) $(PROG64) $(TIMERS) $(FUZZED))

endif

# ---- goals ----

test: all $(B)/far/basin $(PROG32) $(PROG64)
	@B='$(B)' T='$(T)' UPDATE='$(UPDATE)' LIMIT='$(LIMIT)' tools/run-tests $(PROG32) $(PROG64)

test-real: all
	@B='$(B)' T='$(T)' DATA='$(DATA)' tools/run-tests --real

demo: all
	@B='$(B)' PATH="$(abspath $(B)):$$PATH" sh examples/demo.sh

san:
	@$(MAKE) --no-print-directory B=$(B)/san SAN=1 test

# libarcher tells the sanitizer which threads of OpenMP wait for which; only LLVM's has it.
tsan:
	@command -v clang >/dev/null || \
	    { echo "tsan: needs clang; tools/deps --install --tools gets it" >&2; exit 1; }
	@OMP_TOOL_LIBRARIES=$$(clang -print-resource-dir)/../../libarcher.so \
	    TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	    $(MAKE) --no-print-directory B=$(B)/tsan TSAN=1 CC=clang test

# Counts cannot be written when a test forbids files to grow: that one fails, and what ran still counts.
coverage:
	-@$(MAKE) --no-print-directory B=$(B)/cov COV=1 CC=gcc test
	@tools/coverage $(B)/cov

fuzz:
	@command -v clang >/dev/null || \
	    { echo "fuzz: needs clang; tools/deps --install --tools gets it" >&2; exit 1; }
	@$(MAKE) --no-print-directory B=$(B)/fuzz FUZZ=1 CC=clang fuzz-run

fuzz-run: $(FUZZED)
	@tools/fuzz $(B) $(SECONDS) $(FUZZED)

# Both can take hours; SOAK=7 tries every 7th allocation.
soak: all $(B)/tests/test_allocations
	SOAK=$(or $(SOAK),1) $(B)/tests/test_allocations
	PATH="$(abspath $(B)):$$PATH" bash tests/soak/kill.sh $(or $(KILLS),500)

timers: all $(TIMERS)

bench: timers
	@[ ! -e bench/run ] || B='$(B)' PATH="$(abspath $(B)):$$PATH" bench/run

deps:
	@CC='$(CC)' BLAS_LIBS='$(BLAS_LIBS)' DNNL='$(DNNL)' tools/deps --install

lint:
	@tools/lint

house:
	@tools/house

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

VERBS  := $(shell sed -n 's/^VERB(\(.*\))/\1/p' tool/verbs.def)
SHARED := man/man1 man/man7 bash-completion/completions fish/vendor_completions.d

# What libbasin.a needs is listed as libraries, not as packages: those would bring in what they need
# to be linked statically themselves, which is not installed with them.
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 755 $(B)/basin $(DESTDIR)$(PREFIX)/bin/basin
	install -m 644 include/basin.h $(DESTDIR)$(PREFIX)/include/basin.h
	install -m 644 $(B)/libbasin.a $(DESTDIR)$(LIBDIR)/libbasin.a
	install -m 755 $(B)/libbasin.so $(DESTDIR)$(LIBDIR)/libbasin.so.$(VERSION)
	ln -sf libbasin.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libbasin.so.$(SOMAJOR)
	ln -sf libbasin.so.$(SOMAJOR) $(DESTDIR)$(LIBDIR)/libbasin.so
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' \
	    'Name: basin' 'Description: structured prediction with energy networks' \
	    'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lbasin' \
	    'Libs.private: $(LIBS) -fopenmp' \
	    > $(DESTDIR)$(LIBDIR)/pkgconfig/basin.pc
	install -d $(foreach d,$(SHARED),$(DESTDIR)$(PREFIX)/share/$d) $(DESTDIR)$(ZSHDIR)
	@set -e; say() { $(abspath $(B))/basin --generate "$$@"; }; cd $(DESTDIR)$(PREFIX)/share; \
	say man > man/man1/basin.1; \
	for verb in $(VERBS); do say man $$verb > man/man1/basin-$$verb.1; done; \
	say man settings > man/man7/basin-settings.7; \
	say bash > bash-completion/completions/basin; \
	say fish > fish/vendor_completions.d/basin.fish
	$(B)/basin --generate zsh > $(DESTDIR)$(ZSHDIR)/_basin
ifneq ($(PYTHONDIR),)
	install -d $(DESTDIR)$(PYTHONDIR)/basin
	install -m 644 python/basin/*.py python/basin/py.typed $(DESTDIR)$(PYTHONDIR)/basin
endif

PYTHON = PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3

wheel: all $(if $(WHOLE),$(B)/whole/libbasin.so)
	@mkdir -p $(B)/wheel
	@B='$(B)' BASIN_WHOLE='$(WHOLE)' $(PYTHON) -c 'import backend; print("$(B)/wheel/" + backend.build_wheel("$(B)/wheel"))'

dist:
	@mkdir -p $(B)/dist
	@$(PYTHON) -c 'import backend; print("$(B)/dist/" + backend.build_sdist("$(B)/dist"))'

sbom: all
	tools/sbom $(B) > $(B)/sbom.json

# Built apart from what is here, from what `make dist` packs.
DEB_BUILD_OPTIONS ?= nocheck

deb: dist
	@rm -rf $(B)/deb && mkdir -p $(B)/deb
	@cp $(B)/dist/basin-$(VERSION).tar.gz $(B)/deb/basin_$(VERSION).orig.tar.gz
	@cd $(B)/deb && tar xf basin_$(VERSION).orig.tar.gz && cd basin-$(VERSION) && \
	    env -u MAKEFLAGS -u MAKELEVEL DEB_BUILD_OPTIONS='$(DEB_BUILD_OPTIONS)' \
	    dpkg-buildpackage -us -uc -j$(shell nproc) > ../log 2>&1 || { tail -n 40 ../log; exit 1; }
	@if command -v lintian > /dev/null; then lintian --fail-on error $(B)/deb/*.changes; fi
	@ls $(B)/deb/*.deb

clean:
	rm -rf $(B)

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile
