"""Runs Python programs, given as JSON on its input, and prints what they tried to do."""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import platform
import sys

# Events of https://docs.python.org/3/library/audit_events.html that come of looking only.
_LOOKING = frozenset(
    """compile exec import marshal.loads marshal.load object.__getattr__ code.__new__ os.listdir
    os.scandir os.walk glob.glob glob.glob/2 pathlib.Path.glob pathlib.Path.rglob os.getxattr
    sys._getframe sys._getframemodulename socket.gethostname builtins.id cpython.run_command
    os.fwalk time.sleep object.__setattr__ object.__delattr__ sys.excepthook
    sys.unraisablehook""".split()
)
_WRITING = 0o3 | 0o100 | 0o1000 | 0o2000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND


class Stopped(BaseException):
    """An effect that was not allowed to happen."""


class Watch:
    def __init__(self) -> None:
        self.is_on = False
        self.seen: list[str] = []

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_on or event in _LOOKING:
            return
        if event == "open":
            path, _, flags = arguments
            if not (isinstance(flags, int) and flags & _WRITING) or "__pycache__" in str(path):
                return
        self.seen.append(event)
        raise Stopped(event)


def _state() -> list[object]:
    return [dict(vars(builtins)), list(sys.path), *(dict(vars(m)) for m in _MODULES)]


_MODULES = [__import__(name) for name in "os sys platform json re shutil socket random".split()]


def main() -> None:
    watch = Watch()
    platform.platform()  # runs uname once, and remembers the answer
    sys.addaudithook(watch)
    found: dict[str, list[str]] = {}
    for program in json.load(sys.stdin):
        watch.seen = []
        before = _state()
        watch.is_on = True
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(BaseException):
            exec(program, {"__name__": "__main__"})
        watch.is_on = False
        if _state() != before:
            watch.seen.append("changed a module")
            sys.path[:] = before[1]
            vars(builtins).update(before[0])
        if watch.seen:
            found[program] = watch.seen
    sys.__stdout__.write(json.dumps(found))


if __name__ == "__main__":
    main()
