"""Reads the user's directories and wishes from the environment.

Paths are strings first, because importing `pathlib` takes longer than a hook may take to decide.
"""

from __future__ import annotations

import os
import stat
from os.path import isabs

from laconic.files import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Variables that agents set for the commands they run: the agent's name, and the session variable.
_AGENTS = {
    "CLAUDECODE": ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    "GEMINI_CLI": ("gemini", "GEMINI_SESSION_ID"),
    "QWEN_CODE": ("qwen", ""),
}
# Variables by which agents mark what they run (https://github.com/agentsmd/agents.md/issues/136,
# https://github.com/cline/cline/discussions/5366); client/laconic.c has the same.
MARKS = (
    "AGENT", "AI_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX",
    "CODEX_THREAD_ID", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI", "GOOSE_TERMINAL", "OPENCODE",
    "PI_CODING_AGENT", "QWEN_CODE", "ROO_ACTIVE", "TRAE_AI_SHELL_ID",
)  # fmt: skip
# Agents that give their shell a file for its output, which they read while it grows. Claude Code
# 2.1 does; `make e2e` would notice if others did.
_READ_FILES = "CLAUDECODE"
_OFF = frozenset(("", "0", "false", "no", "off"))
# Each of these, when it is on, leaves the output of commands as it is.
SWITCHES = ("LACONIC_NO_FILTER", "LACONIC_DISABLED")

# The variables that determine the directories, besides laconic's own.
BASE_VARIABLES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")

PROJECT_FOLDER = ".laconic"
CONFIG_FILE = "config.toml"


class Variable:
    __slots__ = ("default", "meaning", "name")

    def __init__(self, name: str, meaning: str, default: str) -> None:
        self.name, self.meaning, self.default = name, meaning, default


VARIABLES = (
    Variable("LACONIC_CONFIG_DIR", "where your configuration is", "`$XDG_CONFIG_HOME/laconic`"),
    Variable("LACONIC_STATE_DIR", "where trust and records are kept", "`$XDG_STATE_HOME/laconic`"),
    Variable(
        "LACONIC_CACHE_DIR",
        "where laconic keeps what it can compute again",
        "`$XDG_CACHE_HOME/laconic`",
    ),
    Variable(
        "LACONIC_DISABLED",
        "`1`: leave every command alone; with a policy of the machine, outputs only",
        "`0`",
    ),
    Variable("LACONIC_NO_FILTER", "`1`: show the output of commands as it is", "`0`"),
    Variable("LACONIC_NO_SERVER", "`1`: neither start nor ask a server", "`0`"),
    Variable("LACONIC_VERBOSE", "`1`: say on stderr what is done and why", "`0`"),
    Variable("LACONIC_DEBUG", "parts of laconic that log to stderr, separated by commas", "none"),
    Variable(
        "LACONIC_PROFILE",
        "`guard`, `default`, `work` or `strict`, over `[settings] profile`",
        "none",
    ),
    Variable(
        "LACONIC_CODEBUDDY_SHELL", "the shell for commands of CodeBuddy, over `SHELL`", "none"
    ),
    Variable("LACONIC_NO_NATIVE", "`1` while installing: a client in Python instead of C", "`0`"),
)
DIRECTORY_VARIABLES = tuple(v.name for v in VARIABLES if v.name.endswith("_DIR"))


_SAVED = "laconic_environ"  # of the shell that has started us, what it was given
_OF_SHELL = frozenset((b"IFS", b"PWD", b"OLDPWD", b"SHLVL", b"_", b"PPID", _SAVED.encode()))


def environment() -> Mapping[str, str]:
    return os.environ


def restore_environment() -> None:
    """Take back what the shell that started us has dropped or set: the script of hatch_build.py.

    Where /proc is of other processes, what was saved is another's, and that shows.
    """
    saved = os.environ.pop(_SAVED, "")
    if not saved:
        return
    from binascii import a2b_base64  # noqa: PLC0415 - not where the client in C has started us

    try:
        pairs = [pair.partition(b"=") for pair in a2b_base64(saved).split(b"\0")]
    except ValueError:
        return
    known = {name: value for name, sign, value in reversed(pairs) if name and sign}
    shared = known.keys() & os.environb.keys() - _OF_SHELL
    if shared and all(known[name] == os.environb[name] for name in shared):
        os.environb.clear()
        os.environb.update(reversed(known.items()))


def working_directory() -> str:
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


def _as_path(text: str) -> Path:
    from pathlib import Path  # noqa: PLC0415 - see above

    return Path(text)


def is_on(environ: Mapping[str, str], name: str) -> bool:
    return environ.get(name, "").strip().lower() not in _OFF


def is_switched_off(environ: Mapping[str, str]) -> bool:
    """Tell whether the user wants the output of commands as it is; client/laconic.c asks, too."""
    return any(is_on(environ, name) for name in SWITCHES)


class Directories:
    """The user's directories; `*_dir` are strings, for code that must not import pathlib."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.config_dir = config_directory(environ)
        self.state_dir = state_directory(environ)
        self.cache_dir = cache_directory(environ)

    @property
    def config(self) -> Path:
        return _as_path(self.config_dir)

    @property
    def state(self) -> Path:
        return _as_path(self.state_dir)

    @property
    def cache(self) -> Path:
        return _as_path(self.cache_dir)


class Environment:
    """The wishes that environment variables express."""

    __slots__ = ("debug", "disabled", "no_filter", "verbose")

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.disabled = is_on(environ, "LACONIC_DISABLED")
        self.no_filter = is_on(environ, "LACONIC_NO_FILTER")
        self.verbose = is_on(environ, "LACONIC_VERBOSE")
        channels = environ.get("LACONIC_DEBUG", "").split(",")
        self.debug = tuple(channel.strip() for channel in channels if channel.strip())

    def under_policy(self) -> Environment:
        """Return the wishes that count where a policy has a say: outputs are the user's alone."""
        made = Environment({})
        made.debug, made.verbose = self.debug, self.verbose
        made.no_filter = self.no_filter or self.disabled
        return made


def agent_of(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the agent that runs us and its session, or empty strings."""
    for variable, (agent, session) in _AGENTS.items():
        if environ.get(variable):
            return agent, environ.get(session, "") if session else ""
    return "", ""


def reader_of(environ: Mapping[str, str]) -> list[str]:
    """Return what tells agents and their sessions apart: whatever marks them, with its value."""
    sessions = (session for _, session in _AGENTS.values())
    return [f"{name}={environ[name]}" for name in (*MARKS, *sessions) if environ.get(name)]


def has_session(environ: Mapping[str, str]) -> bool:
    """Tell whether we know which conversation reads what we print."""
    sessions = ("CODEX_THREAD_ID", *(session for _, session in _AGENTS.values()))
    return any(environ.get(name) for name in sessions if name)


def is_person(environ: Mapping[str, str], terminals: frozenset[int] | None = None) -> bool:
    """Tell whether a person at a terminal reads what we print, also through a pipe of their own.

    An agent may give a command a terminal, so a variable that names an agent decides first.
    terminals: the caller's descriptors that are terminals; by default, our own.
    """
    if any(environ.get(name) for name in MARKS):
        return False
    found = own_terminals() if terminals is None else terminals
    return 0 in found and not found.isdisjoint((1, 2))


def is_at_terminal(environ: Mapping[str, str]) -> bool:
    """Tell whether a person sees what a command writes to its terminal; client/laconic.c asks, too.

    Then the command keeps it: colours, progress bars, pagers, editors and prompts need one.
    """
    return is_person(environ) and os.isatty(1)


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
        # nobody sees what goes to /dev/null, so no notice that matters may go there
        return number == _ERR and os.path.samestat(status, os.stat(os.devnull))  # noqa: PTH116
    if not environ.get(_READ_FILES) and not _leads_to(status, 3 - number):
        return True
    from laconic.machine.processes import file_of, own_number, parent_of  # noqa: PLC0415 - seldom

    try:
        own = own_number()
        return file_of(own, number) != file_of(parent_of(own), number)
    except OSError:
        return True


def has_two_files(environ: Mapping[str, str]) -> bool:
    """Tell whether stdout and stderr are two files, and stdout one that gets every byte."""
    try:
        err = os.fstat(_ERR)
        return stat.S_ISREG(err.st_mode) and not _leads_to(err, 1) and is_kept_file(1, environ)
    except OSError:  # one is closed
        return False
