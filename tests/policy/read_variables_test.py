"""Variables that are taken for mere texts before a program: what it asks the C library for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import warm_server
from laconic.policy import environment

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
# They say how wide, in which unit or in which colour something is printed, and how many threads
# there are at most.
SHOW = {
    "DF_BLOCK_SIZE", "DU_BLOCK_SIZE", "LS_BLOCK_SIZE", "TABSIZE", "JQ_COLORS", "OMP_THREAD_LIMIT",
    "COLS",
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


@pytest.mark.skipif(warm_server.COMPILER is None, reason="there is no C compiler")
def test_no_program_heeds_a_variable_that_is_taken_for_a_mere_text(shim, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    calls = [("git", subcommand) for subcommand in sorted(environment._LOCAL_GIT)]
    calls += [(name, *ARGUMENTS.get(name, ())) for name in sorted(environment._READS_FEW)]
    found, seen = set(), set()
    for words in calls:
        if words[0] == "yes" or shutil.which(words[0]) is None:
            continue
        asked = asked_for(shim, tmp_path, *words)
        seen |= asked
        found |= {(words[0], name) for name in asked if may_be_set(name, *words)}
    assert {"GIT_DIR", "LS_COLORS", "POSIXLY_CORRECT"} <= seen
    assert {name for _, name in found} <= SHOW, found
