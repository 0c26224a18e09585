"""Small Python programs that bind names in many ways: none that is allowed has an effect.

The programs are made at random. Those that the gate takes for pure are run by a real Python whose
audit hook (PEP 578) reports, and stops, whatever touches more than its own memory.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.reading.commands.python_code import parsed

WATCHED = Path(__file__).parents[1] / "python_watched.py"
_PROGRAMS = 8000

_MODULES = "os os os platform platform sys json shutil pathlib socket os.path glob".split()
_NAMES = "x y os sys platform".split()
_DEEDS = [
    'system("true")', 'popen("true")', 'remove("a")', 'mkdir("a")', 'rename("a", "b")',
    'rmtree("a")', 'copy("a", "b")', 'write_text("a")', "unlink()", "touch()", 'symlink("a", "b")',
    'chdir("/")', 'putenv("A", "b")', "kill(1, 0)", "platform()", "getcwd()", "dumps(1)",
    'which("ls")', 'join("a", "b")', 'exists("a")', 'replace("a", "b")', "version", "path",
    'path.join("a")', 'environ.get("A")', "environ", 'stdout.write("a")', "create_connection(1)",
    "gethostname()", 'os.system("true")', "sys.exit()", 'listdir(".")', 'open("a", "w")',
]  # fmt: skip
_VALUES = ["1", "[1]", "'a'", "{n}", "lambda {n}: {n}.{d}", "pathlib.Path('a')", "open", "print"]
# Ways in which Python binds a name: the reference's chapters 4.2.1, 6, 7 and 8.
_BINDINGS = [
    "import {m} as {n}", "import {m}", "import {m}, {m2} as {n}", "from {m} import path as {n}",
    "from {m} import getcwd as {n}", "from os import {n}", "from {m} import *", "{n} = {v}",
    "{n}, *{n2} = {v}, {v2}", "{n} = {n2} = {v}", "{n}: int = {v}", "{n} += {v}", "({n} := {v})",
    "[{n} := {v}]", "for {n} in [{v}]: {u}", "for {n}, {n2} in [({v}, {v2})]: {u}",
    "[{n}.{d} for {n} in [{v}]]", "{{{n}: {n}.{d} for {n} in [{v}]}}",
    "list({n}.{d} for {n} in [{v}])", "with open('a') as {n}: {u}",
    "try:\n {u}\nexcept Exception as {n}:\n {u}", "try:\n 1/0\nexcept* ValueError as {n}:\n {u}",
    "def {n}({n2}={v}): {n2}.{d}", "def f({n}, *{n2}): {u}\nf({v})", "def f(**{n}): {u}",
    "(lambda {n}: {n}.{d})({v})", "(lambda {n}={v}: {n}.{d})()", "class {n}: {n2} = {v}",
    "class C:\n import {m} as {n}\n {u}", "def f():\n global {n}\n import {m} as {n}\nf()",
    "def f():\n {n} = 1\n def g():\n  nonlocal {n}\n  import {m} as {n}\n g()\n {u}\nf()",
    "def f():\n import {m} as {n}\n {u}\nf()", "if 0:\n import {m} as {n}",
    "if 1:\n import {m} as {n}", "for i in []:\n import {m} as {n}",
    "match {v}:\n case {n}: {u}", "match [{v}]:\n case [*{n}]: {u}",
    "match {{1: {v}}}:\n case {{**{n}}}: {u}", "del {n}", "{n}.{n2} = {v}", "{n}.path = {v}",
    "{n}['a'] = {v}", "__builtins__.print = {v}", "__builtins__ = {v}", "__import__('{m}').{d}",
    "@{n}.{d}\ndef f(): pass", "@{n}\ndef {n2}(*a): {u}", "{n} @= {v}", "{n} |= {v}",
    "print = {v}", "if 0: open = 1\nopen('a', 'w')", "while {v}:\n {u}\n break",
    "async def {n}(): {u}", "sys.modules['{m}'] = {v}", "sys.path.append('.')",
    "globals()['{n}'] = {v}", "def f({n}=__import__('{m}')): {u}\nf()",
]  # fmt: skip


_IMPORTS = [
    "import {m} as {n}", "if 0:\n import {m} as {n}", "if 1:\n import {m} as {n}",
    "for i in []:\n import {m} as {n}", "def f():\n import {m} as {n}",
]  # fmt: skip
# What is harmless of one thing and has an effect with another of the same name.
_TEMPTING = [
    'system("true")', 'system("true")', 'remove("a")', 'copy("a", "b")', 'replace("a", "b")',
    "version()", "path", 'which("ls")', 'join("a", "b")', 'exists("a")', "platform()", "getcwd()",
    "dumps(1)",
]  # fmt: skip


def _program(source: random.Random) -> str:
    """A few bindings of two names, most of them imports, and what is done with them."""
    one, other = source.sample(_NAMES, 2)
    names = [one, one, one, other]
    deeds = _TEMPTING if source.random() < 0.8 else _DEEDS
    lines = []
    for _ in range(source.randint(1, 3)):
        words = {
            "m": source.choice(_MODULES),
            "m2": source.choice(_MODULES),
            "n": source.choice(names),
            "n2": source.choice(names),
            "d": source.choice(deeds),
        }
        for name in ("v", "v2"):
            words[name] = source.choice(_VALUES).format(**words)
        words["u"] = f"{source.choice(names)}.{source.choice(deeds)}"
        bindings = _IMPORTS if source.random() < 0.7 else _BINDINGS
        lines.append(source.choice(bindings).format(**words))
    lines.append(f"{source.choice(names)}.{source.choice(deeds)}")
    return "\n".join(lines)


def effects_of(programs: list[str], directory: Path) -> dict[str, list[str]]:
    """What the programs tried to do, apart from computing, reading and printing."""
    done = subprocess.run(
        [sys.executable, "-I", WATCHED],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=True,
        cwd=directory,
    )
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("seed", range(3))
def test_no_program_that_is_allowed_has_an_effect(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    programs = {_program(source) for _ in range(_PROGRAMS)}
    allowed = sorted(p for p in programs if (code := parsed(p)) is not None and code.is_pure())
    assert len(allowed) > _PROGRAMS / 100
    assert effects_of(allowed, tmp_path) == {}


def test_effects_are_seen(tmp_path: Path) -> None:
    harmful = [
        'import os as x\nif 0:\n import platform as x\nx.system("true")',
        'open("a", "w")',
        'import pathlib\npathlib.Path("a").touch()',
        'import os\nos.putenv("A", "b")',
        'import sys\nsys.path.append(".")',
        "print = 1\n__builtins__['print'] = 2",
        'import socket\nsocket.create_connection(("127.0.0.1", 9))',
    ]
    assert sorted(effects_of([*harmful, "print(1)", 'open("a").read()'], tmp_path)) == sorted(
        harmful
    )
    assert list(tmp_path.iterdir()) == []
