"""Generates makefiles that use what make does with shells: $(shell), SHELL, sub-makes, eval."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_HEADS = (
    "X := $(shell git say a b)", "X := $(shell git long | wc -l)", "X := $(shell git long)",
    "X = $(words $(shell git long))", "X != git status", "X := $(shell echo $(SHELL))",
    "SHELL := /bin/bash", "SHELL = bash", ".SHELLFLAGS = -ec", ".ONESHELL:", ".SILENT:",
    "two: SHELL := /bin/bash", "two: .SHELLFLAGS := -ec", "export V = 3", "include more.mk",
    "-include made.mk\nmade.mk:\n\tgit say > /dev/null; echo Z=1 > made.mk",
    "$(eval Y := $(shell git long | tail -1))", "$(eval include more.mk)", "MAKEFLAGS += -s",
    "define lines\n\t@git status\n\t@git say $(1)\nendef", ".DELETE_ON_ERROR:", "unexport V",
    "SHELL := $(shell command -v bash)", "override SHELL := /bin/bash", "export SHELL",
    "export SHELL := /bin/bash", "SHELL := /usr/bin/env bash", "one: export SHELL := /bin/false",
    ".SHELLFLAGS := -e -u -c", ".SHELLFLAGS := -o pipefail -c\nSHELL := /bin/bash", ".POSIX:",
    ".EXPORT_ALL_VARIABLES:", "export PATH := OTHER:$(PATH)", "PATH := OTHER:$(PATH)",
    "export MAKEFILES := more.mk", "MAKEFLAGS += --no-print-directory", "sinclude more.mk",
    "define made\n$(1):\n\t@git say made $(1)\nendef\n$(eval $(call made,three))\none: three",
    "two: $(shell git say x > /dev/null; echo in.txt)",
    "%.out: in.txt\n\tgit long > $@\ntwo: a.out",
    "ifeq ($(shell git fail; echo $$?),0)\nX := no\nendif",
    "X := $(shell git fail 3)$(.SHELLSTATUS)", "X = $(file < in.txt)",
    "$(file > kept.txt,$(shell git long))", "$(info $(shell git long | wc -l))",
    "$(warning $(SHELL))", "X := $(shell $(SHELL) -c 'git long' | wc -l)", "private Y := 1",
    "X := $(shell make -s -C sub long | wc -l)", "MAKE := make -s", "vpath %.txt sub", "load:",
)  # fmt: skip
_LINES = (
    "git status", "@git status", "-git fail 3", "@-git fail", "+git log", "git fail 2",
    "@echo $(X)", "@echo $(words $(X))", "@echo $(Y) $(Z)", "@$(SHELL) -c 'echo hi'",
    "@${SHELL} s.sh", "@$(SHELL) -e s.sh", "@echo $$0", '@echo "$$SHELL" | wc -w',
    "@$(MAKE) -C sub", "@make -C sub", "$(MAKE) -s -C sub long", "@git long", "git long > long.txt",
    "@x=$$(git long); echo $${#x}", "@git long | wc -l", "@git say $@ $^", "@cd sub && git status",
    "@git env V", "@git env MAKELEVEL", "@x=1", "@echo $$x", "@git say one; \\\n\t  git say two",
    "@for i in 1 2; do git say $$i; done", "@git err", "@nosuchprogram",
    '@test -n "$(shell git log)"', "@$(foreach n,1 2,git say $(n);)", "@exit 4",
    "@[[ a == a ]] && echo bash", "$(call lines,z)", "@$(MAKE) -C sub SHELL=/bin/bash",
    "@$(MAKE) -f more.mk -n", "+@git long", "@git long | tail -1 >&2",
    "@set -o pipefail; git fail 3 | cat", "@trap 'echo bye' EXIT; git long", "@exec git long",
    "@git() { echo function; }; git status", "@PATH=OTHER git status",
    "@MAKEFLAGS= make -C sub long | wc -l", "@sh -c 'git long' | wc -l", "@cargo long",
    "@./tool long", "@git long 2>&1 | tee tee.txt | wc -l", "@git in < in.txt",
    "@echo $(MAKEFLAGS) | wc -w", "@cd sub; \\\n\tmake long", "$(if $(X),@git long,@git status)",
    "@git fail 3 || git long", "@kill -TERM $$$$", "@git long > $@.txt; wc -l < $@.txt",
    "@git env SHELL", "@git env MAKEFILES",
)  # fmt: skip
_CALLS = (
    "make", "make", "make all", "make -s", "make -k", "make -k -j2", "make -k -j2 -Otarget",
    "make two", "make X=5", "make -n", "make SHELL=/bin/bash", "MAKEFILES=more.mk make",
    "make -f Makefile one", "make -C sub", "make -C sub long", "V=4 make -e", "make > log.txt",
    "make | tail -2", "make 2>&1 | tail -3", "make one two; echo $?",
    "make && echo fine || echo failed", "make nosuchtarget", "/usr/bin/make -B one",
    'x=$(make -s); echo "$x" | wc -l', "make -q", "export MAKEFILES=more.mk; make",
    "export MAKEFLAGS=-s; make", "MAKEFLAGS=-k make", "make -i",
    "make --eval='X := $(shell git long)' one", "make -f - <<'E'\nall:\n\tgit long\nE",
    "make -n --warn-undefined-variables", "make SHELL='bash -e' one", "make SHELL=/bin/false -k",
    "make .SHELLFLAGS=-ec two", "make -w", "SHELL=/bin/bash make -e",
    "export SHELL=/bin/false; make", "env V=3 make -e", "nice make -s", "timeout 20 make one",
    "cd sub && make long", "cd sub; make | tail -1", "make -C sub -f Makefile",
    "for t in one two; do make $t; done", "make one && make two", "(make -s)",
    "{ make; } > log.txt", "make | tee log.txt | tail -1", "make 2>&1 | grep git | sort",
    "make one & wait", "make -j2 -k | cat", "set -o pipefail; make | tail -1; echo $?",
    "make -s one | tail -1; echo ${PIPESTATUS[*]}", "make long -C sub | head -3", "exec make -s",
    "make -o two one", "bash -c 'make -s'", "make one 2>/dev/null", "make -k 2> errors.txt",
    "PATH=OTHER:$PATH make -s", "make --trace one", "xargs make -s <<< one", "f() { make -s; }; f",
    "make X='$(shell git long)' one", "if make; then :; fi",
)  # fmt: skip
MORE = "Q := $(shell git long | wc -l)\n"


def makefile(choose: random.Random) -> str:
    heads = choose.sample(_HEADS, choose.randint(0, 3))
    rules = ["all: one two"]
    for target in ("one", "two"):
        lines = [choose.choice(_LINES) for _ in range(choose.randint(1, 3))]
        rules.append(f"{target}:\n" + "\n".join(f"\t{line}" for line in lines))
    # a variable before the rules keeps `all` the first of them
    return "\n".join(["default: all", *heads, *rules, ".PHONY: default all one two", ""])


def call(choose: random.Random) -> str:
    return choose.choice(_CALLS)
