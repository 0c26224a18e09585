"""How the caller can start `laconic`, and how that is recognised in a command."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import X_OK, access
from os.path import isabs, isfile

from laconic.files import real_path
from laconic.rewrite.edits import Edit, apply
from laconic.shell import ParseError, parse
from laconic.shell.walk import written
from laconic.shell.words import quoted

NAME = "laconic"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:,")
# A login shell resets the PATH; these directories are always on it.
_ON_EVERY_PATH = frozenset(("/usr/local/bin", "/usr/bin", "/bin"))


def find_launcher(environ: Mapping[str, str], *, login_shell: bool = False) -> tuple[str, str]:
    """Return the words that start laconic: the short one, and its full path; "" if not found.

    The short one is the name if the PATH has it, else the path next to this Python, quoted; the
    full path is for a command that changes the PATH. login_shell: the command will run with the
    PATH that a login shell sets.
    """
    path = _path(environ)
    directory = path.rpartition("/")[0]
    on_path = directory in environ.get("PATH", "").split(":")
    is_sure = path and on_path and (not login_shell or directory in _ON_EVERY_PATH)
    full = _as_word(path)
    return NAME if is_sure else full, full


def find_genuine(
    environ: Mapping[str, str], project: str, *, login_shell: bool = False
) -> tuple[str, str]:
    """Return the words that start this very laconic: on the PATH, and by its full path; or "".

    A PATH with a directory that is relative, or in the project, may come to have another one.
    """
    own = own_path()
    if not _is_program(own):
        return "", ""
    entries = environ.get("PATH", "").split(":")
    is_sure = real_path(_path(environ)) == real_path(own) and not any(
        not isabs(entry) or f"{entry}/".startswith(f"{project}/") for entry in entries
    )
    full = _as_word(own)
    return find_launcher(environ, login_shell=login_shell)[0] if is_sure else full, full


def own_path() -> str:
    return f"{_beside_python()}/{NAME}"


def _path(environ: Mapping[str, str]) -> str:
    for directory in (*environ.get("PATH", "").split(":"), _beside_python()):
        path = f"{directory}/{NAME}"
        if path[0] == "/" and directory and _is_program(path):
            return path
    return ""


def typed_name(environ: Mapping[str, str]) -> str:
    """Return what the caller can type to start us, whatever is installed."""
    python_way = f"{_beside_python()}/{NAME}-py"
    if not _is_program(python_way):
        python_way = ""
    by_python = _as_word(python_way) or f"{_as_word(sys.executable)} -m laconic"
    return find_launcher(environ)[0] or by_python


def _beside_python() -> str:
    return sys.executable.rpartition("/")[0]


def _as_word(path: str) -> str:
    return path if set(path) <= _PLAIN else quoted(path)


def _is_program(path: str) -> bool:
    return access(path, X_OK) and isfile(path)  # noqa: PTH113 - pathlib costs 6 ms


def with_plain_name(command: str, launcher: str) -> str:
    """Return the command with our own path written as our name, as it is judged.

    Models learn the rewritten form and type it.
    """
    path = launcher.strip("'")
    if path in ("", NAME) or path not in command:
        return command
    try:
        source = command.encode("utf-8", "surrogateescape")
        words = [found.words[0] for found, _ in written(parse(source))]
    except (ParseError, UnicodeError):
        return command
    ours = (path.encode(), launcher.encode())
    edits = [Edit(w.start, NAME, w.end - w.start) for w in words if source[w.start : w.end] in ours]
    return apply(source, edits).decode("utf-8", "surrogateescape")
