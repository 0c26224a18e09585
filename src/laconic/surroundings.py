"""What a run must know of its environment before it starts a command; loads nothing else.

`laconic.settings` reads the same variables with all the rest, which takes twenty milliseconds.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Set by agents for the commands they run: the agent's name, and the variable with its session.
_AGENTS = {
    "CLAUDECODE": ("claude-code", "CLAUDE_CODE_SESSION_ID"),
    "GEMINI_CLI": ("gemini", "GEMINI_SESSION_ID"),
    "QWEN_CODE": ("qwen", ""),
}
_OFF = frozenset(("", "0", "false", "no", "off"))


def environment() -> Mapping[str, str]:
    return os.environ


def state_directory(environ: Mapping[str, str]) -> str:
    """Give the directory of the records, as settings.read_directories finds it."""
    own = environ.get("LACONIC_STATE_DIR", "")
    if os.path.isabs(own):
        return own
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = f"{_home(environ)}/.local/state"
    return f"{base}/laconic"


def is_on(environ: Mapping[str, str], name: str) -> bool:
    return environ.get(name, "").strip().lower() not in _OFF


def agent_of(environ: Mapping[str, str]) -> tuple[str, str]:
    """Give the agent that runs us and its session, or empty texts."""
    for variable, (agent, session) in _AGENTS.items():
        if environ.get(variable):
            return agent, environ.get(session, "") if session else ""
    return "", ""


def _home(environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return home
    import pwd  # noqa: PLC0415 - a process without HOME is rare

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/nonexistent"
