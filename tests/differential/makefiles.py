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
)  # fmt: skip
_LINES = (
    "git status", "@git status", "-git fail 3", "@-git fail", "+git log", "git fail 2",
    "@echo $(X)", "@echo $(words $(X))", "@echo $(Y) $(Z)", "@$(SHELL) -c 'echo hi'",
    "@${SHELL} s.sh", "@$(SHELL) -e s.sh", "@echo $$0", '@echo "$$SHELL" | wc -w',
    "@$(MAKE) -C sub",
    "@make -C sub", "$(MAKE) -s -C sub long", "@git long", "git long > long.txt",
    "@x=$$(git long); echo $${#x}", "@git long | wc -l", "@git say $@ $^", "@cd sub && git status",
    "@git env V", "@git env MAKELEVEL", "@x=1", "@echo $$x", "@git say one; \\\n\t  git say two",
    "@for i in 1 2; do git say $$i; done", "@git err", "@nosuchprogram",
    '@test -n "$(shell git log)"',
    "@$(foreach n,1 2,git say $(n);)", "@exit 4", "@[[ a == a ]] && echo bash",
)  # fmt: skip
_CALLS = (
    "make", "make", "make all", "make -s", "make -k", "make -k -j2", "make -k -j2 -Otarget",
    "make two",
    "make X=5", "make -n", "make SHELL=/bin/bash", "MAKEFILES=more.mk make", "make -f Makefile one",
    "make -C sub", "make -C sub long", "V=4 make -e", "make > log.txt", "make | tail -2",
    "make 2>&1 | tail -3", "make one two; echo $?", "make && echo fine || echo failed",
    "make nosuchtarget", "/usr/bin/make -B one", 'x=$(make -s); echo "$x" | wc -l', "make -q",
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
