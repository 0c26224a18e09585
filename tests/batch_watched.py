"""Judges many rows and notes what is looked at meanwhile: files, variables, other programs.

python batch_watched.py DIRECTORY...; what is below these is the program itself. It prints a digest
of the answers and what was looked at.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys

import pyarrow as pa

ALLOWED = tuple(f"{os.path.realpath(directory)}/" for directory in sys.argv[1:])
HARMLESS = "PYARROW_", "/dev/null/"  # what pyarrow asks itself; below the last nothing can be
QUESTIONS = (
    "access", "getcwd", "getlogin", "getuid", "listdir", "lstat", "readlink", "scandir", "stat",
    "uname",
)  # fmt: skip
EVENTS = ("open", "os.fork", "os.posix_spawn", "os.system", "pwd.", "socket.", "subprocess.Popen")

looked: list[tuple[str, str]] = []
is_on = False


def note(what, about=""):
    text = os.fsdecode(about) if isinstance(about, bytes) else str(about)
    if is_on and not text.startswith((*ALLOWED, *HARMLESS)):
        looked.append((what, text))


def watched(name):
    function = getattr(os, name)

    def called(*given, **named):
        note(name, given[0] if given else "")
        return function(*given, **named)

    return called


class Variables(dict):
    def __getitem__(self, name):
        note("variable", name)
        return super().__getitem__(name)

    def __contains__(self, name):
        note("variable", name)
        return super().__contains__(name)

    def __iter__(self):
        note("variables")
        return super().__iter__()

    def get(self, name, default=None):
        note("variable", name)
        return super().get(name, default)


def hook(event, arguments):
    is_open_already = bool(arguments) and isinstance(arguments[0], int)
    if event.startswith(EVENTS) and not is_open_already:
        note(event, arguments[0] if arguments else "")


# before laconic takes any of them by its name
for question in QUESTIONS:
    setattr(os, question, watched(question))
os.environ = Variables(os.environ)  # noqa: B003 - those who look are to be seen
sys.addaudithook(hook)

from decide_cases import ALL  # noqa: E402
from laconic.batch import judge  # noqa: E402
from outputs import cases  # noqa: E402


def rows():
    found = [(case.command, None, None) for _, case in ALL[::3]]
    found += [(case.command, case.raw, case.status) for case in cases()[::5]]
    columns = map(list, zip(*found, strict=True))
    return pa.table(dict(zip(("command", "output", "status"), columns, strict=True)))


def digest(table):
    with pa.BufferOutputStream() as sink:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return hashlib.sha256(sink.getvalue()).hexdigest()


if __name__ == "__main__":
    asked = rows()
    is_on = True
    said = judge(asked, profile="work")
    is_on = False
    print(json.dumps({"rows": said.num_rows, "digest": digest(said), "looked": looked}))
