"""Reads the user's directories and wishes from the environment, and loads nothing else.

Paths are strings here, because importing `pathlib` takes longer than a hook may take to decide.
"""

from __future__ import annotations

import os
import stat
from os.path import isabs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Variables that agents set for the commands they run: the agent's name, and the session variable.
_AGENTS = {
    "CLAUDECODE": ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    "GEMINI_CLI": ("gemini", "GEMINI_SESSION_ID"),
    "QWEN_CODE": ("qwen", ""),
}
# Agents that give their shell a file for its output, which they read while it grows. Claude Code
# 2.1 does; `make e2e` would notice if others did.
_READ_FILES = "CLAUDECODE"
_OFF = frozenset(("", "0", "false", "no", "off"))
# Each of these, when it is on, leaves the output of commands as it is.
SWITCHES = ("LACONIC_NO_FILTER", "LACONIC_DISABLED")

# The variables that determine the directories, besides laconic's own.
HEEDED = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")

PROJECT_FOLDER = ".laconic"
CONFIG_FILE = "config.toml"


def environment() -> Mapping[str, str]:
    return os.environ


def home(environ: Mapping[str, str]) -> str:
    """Return the home directory; without one, a path that does not exist, so nothing is read."""
    found = environ.get("HOME", "")
    if isabs(found):
        return found
    import pwd  # noqa: PLC0415 - a process without HOME is rare

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/nonexistent"


def current_directory() -> str:
    """Return the current directory, or "" if it has been removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - see above
    except OSError:
        return ""


def config_directory(environ: Mapping[str, str]) -> str:
    return _directory(environ, "LACONIC_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")


def state_directory(environ: Mapping[str, str]) -> str:
    return _directory(environ, "LACONIC_STATE_DIR", "XDG_STATE_HOME", ".local/state")


def cache_directory(environ: Mapping[str, str]) -> str:
    return _directory(environ, "LACONIC_CACHE_DIR", "XDG_CACHE_HOME", ".cache")


def _directory(environ: Mapping[str, str], own: str, xdg: str, default: str) -> str:
    # A path that is not absolute is ignored: https://specifications.freedesktop.org/basedir/latest/
    if isabs(environ.get(own, "")):
        return environ[own]
    base = environ.get(xdg, "")
    return f"{base if isabs(base) else f'{home(environ)}/{default}'}/laconic"


def is_on(environ: Mapping[str, str], name: str) -> bool:
    return environ.get(name, "").strip().lower() not in _OFF


def is_switched_off(environ: Mapping[str, str]) -> bool:
    """Tell whether the user wants the output of commands as it is; client/laconic.c asks, too."""
    return any(is_on(environ, name) for name in SWITCHES)


def agent_of(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the agent that runs us and its session, or empty strings."""
    for variable, (agent, session) in _AGENTS.items():
        if environ.get(variable):
            return agent, environ.get(session, "") if session else ""
    return "", ""


def is_person(environ: Mapping[str, str], terminals: frozenset[int] | None = None) -> bool:
    """Tell whether a person at a terminal reads what we print, also through a pipe of their own.

    An agent may give a command a terminal, so a variable that names an agent decides first.
    terminals: the caller's descriptors that are terminals; by default, our own.
    """
    if agent_of(environ)[0]:
        return False
    found = own_terminals() if terminals is None else terminals
    return 0 in found and not found.isdisjoint((1, 2))


def own_terminals() -> frozenset[int]:
    return frozenset(number for number in range(3) if os.isatty(number))


def _leads_to(status: os.stat_result, number: int) -> bool:
    try:
        return os.path.samestat(status, os.fstat(number))
    except OSError:
        return False


_ERR = 2


def is_kept_file(number: int, environ: Mapping[str, str]) -> bool:
    """Tell whether a descriptor is a file that somebody wants to keep, which must get every byte.

    The one that an agent reads is not: it is what our parent, the agent's shell, writes to as well.
    Claude Code is known by its variable; others give one file for both streams, as Droid does.
    """
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode):
        # what /dev/null takes is shown to nobody, and so must nothing of ours be that counts
        return number == _ERR and os.path.samestat(status, os.stat(os.devnull))  # noqa: PTH116
    if not environ.get(_READ_FILES) and not _leads_to(status, 3 - number):
        return True
    try:
        return not os.path.samestat(status, os.stat(f"/proc/{os.getppid()}/fd/{number}"))  # noqa: PTH116 - pathlib costs 6 ms
    except OSError:
        return True
