"""Tells whether somebody is there to answer an agent's question; if not, ask becomes deny.

`[unattended]` in the agent's data file says how to tell. An installed hook passes the number of
the agent's process in _LACONIC_AGENT_PID, because nothing else says how the agent was started.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from laconic.agents.load import Agent

_LIMIT_S = 2


def is_unattended(agent: Agent, environ: Mapping[str, str], agents_mode: str = "") -> bool:
    """Tell whether nobody would answer an ask; False if that is not known."""
    signs = agent.unattended
    if agents_mode in signs.get("modes", ()):
        return True
    number = environ.get("_LACONIC_AGENT_PID", "")
    process = _process(number) if number.isdecimal() and signs.get("options") else None
    first = _first_option(process[0], signs) if process else None
    if first is not None:
        return first in signs["options"]
    if any(_is_set(variable, environ) for variable in signs.get("variables", ())):
        return True
    return process is not None and not process[1]


def _is_set(variable: str, environ: Mapping[str, str]) -> bool:
    name, equals, value = variable.partition("=")
    return environ.get(name) == value if equals else name in environ


def _first_option(words: Sequence[str], signs: Mapping[str, Sequence[str]]) -> str | None:
    """Return the first option that decides; what follows it may be the text of a prompt."""
    known = (*signs["options"], *signs["attended_options"])
    found = (option for word in words for option in known if _is_option(word, option))
    return next(found, None)


def _is_option(word: str, option: str) -> bool:
    """Tell whether a word is the option, also with its value or among other letters: `-yp`."""
    if option.startswith("--"):
        return word.partition("=")[0] == option
    return word[:1] == "-" != word[1:2] and option[1] in word[1:].partition("=")[0]


# -- processes -------------------------------------------------------------------------------------


def _process(number: str) -> tuple[list[str], bool] | None:
    """Return a process's words, and whether it is at a terminal; None if nothing is known of it."""
    if os.path.isdir("/proc/self"):  # noqa: PTH112 - pathlib costs 6 ms
        return _in_proc(f"/proc/{number}")
    return _by_ps(number)


def _in_proc(directory: str) -> tuple[list[str], bool] | None:
    try:
        with open(f"{directory}/cmdline", "rb") as stream:  # noqa: PTH123 - as above
            words = os.fsdecode(stream.read()).split("\0")
        return words, all(_is_terminal(f"{directory}/fd/{handle}") for handle in (0, 1))
    except OSError:
        return None


def _is_terminal(path: str) -> bool:
    try:
        found = os.stat(path)  # noqa: PTH116 - as above
    except FileNotFoundError:
        return False  # it is closed
    return stat.S_ISCHR(found.st_mode) and found.st_rdev != os.stat(os.devnull).st_rdev  # noqa: PTH116


def _by_ps(number: str) -> tuple[list[str], bool] | None:
    """Ask ps. Words are split at blanks, and any controlling terminal counts.

    Without -ww, ps cuts its lines to the width of a terminal (ps(1)), and the options are lost.
    """
    import subprocess  # noqa: PLC0415 - on macOS, for a question only

    try:
        done = subprocess.run(  # noqa: S603 - the system's own program
            ["/bin/ps", "-ww", "-o", "tty=", "-o", "args=", "-p", number],
            capture_output=True,
            timeout=_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    terminal, *words = os.fsdecode(done.stdout).split()
    return words, not terminal.startswith("?")
