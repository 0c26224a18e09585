"""Variables that are taken for mere texts before a program: what it asks the C library for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import warm_server
from laconic.reading import environment
from machine import needs

SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *asked(const char *function, const char *name) {
    int file = open(LIST, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (write(file, name, strlen(name)) < 0 || write(file, "\\n", 1) < 0) abort();
    close(file);
    return ((char *(*)(const char *))dlsym(RTLD_NEXT, function))(name);
}
char *getenv(const char *name) { return asked("getenv", name); }
char *secure_getenv(const char *name) { return asked("secure_getenv", name); }
"""
# They say how wide, in which unit or in which colour something is printed, how many threads there
# are at most, and how large the stacks of Rust's are (doc.rust-lang.org/std/thread, "Stack size").
SHOW = {
    "DF_BLOCK_SIZE", "DU_BLOCK_SIZE", "LS_BLOCK_SIZE", "TABSIZE", "JQ_COLORS", "OMP_THREAD_LIMIT",
    "COLS", "RUST_MIN_STACK",
}  # fmt: skip
ARGUMENTS = {
    "diff": ["a", "b"], "grep": ["x", "a"], "jq": ["-n", "1"], "ls": ["-la", "--color=always"],
    "rg": ["x"], "sed": ["p", "a"],
}  # fmt: skip


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    words = ["-shared", "-fPIC", f'-DLIST="{folder}/asked"', "shim.c", "-o", "shim.so", "-ldl"]
    subprocess.run([warm_server.COMPILER, *words], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("place")
    for name in ("a", "b"):
        (folder / name).write_text(name)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def asked_for(shim: Path, folder: Path, *words: str) -> set[str]:
    """Run a program where nothing is; return the variables that it looked at."""
    (shim / "asked").write_text("")
    subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        env={"PATH": os.environ["PATH"], "LD_PRELOAD": str(shim / "shim.so")}, timeout=60,
    )  # fmt: skip
    return set((shim / "asked").read_text().split())


def may_be_set(name: str, *words: str) -> bool:
    return environment.is_harmless(name, "x", words) and not environment.is_harmless(name, "x")


CALLS = [
    *(("git", subcommand) for subcommand in sorted(environment._LOCAL_GIT)),
    # yes never ends
    *((name, *ARGUMENTS.get(name, ())) for name in sorted(environment._READS_FEW - {"yes"})),
]


@warm_server.needs_compiler
@pytest.mark.parametrize(
    "words", [pytest.param(words, id=" ".join(words), marks=needs(words[0])) for words in CALLS]
)
def test_no_program_heeds_a_variable_that_is_taken_for_a_mere_text(words, shim, place):
    asked = asked_for(shim, place, *words)
    assert {name for name in asked if may_be_set(name, *words)} <= SHOW


@warm_server.needs_compiler
def test_what_programs_ask_for_is_seen(shim, place):
    calls = ("git", "status"), ("ls", *ARGUMENTS["ls"]), ("sort", "a")
    seen = set().union(*(asked_for(shim, place, *words) for words in calls))
    assert {"GIT_DIR", "LS_COLORS", "POSIXLY_CORRECT"} <= seen
