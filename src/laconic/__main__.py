"""Where `laconic-py` and `python -m laconic` begin: a hook is answered at once, all else is typed.

A call that found no server has one started for the next.
"""

from __future__ import annotations

import sys
from os import X_OK, access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# What the client asks a server for; it comes here when there is none, or none that answers.
_WARM = frozenset(("hook", "run", "wrap", "check", "rewrite"))


def main() -> NoReturn:
    from laconic.settings.environ import restore_environment  # noqa: PLC0415 - as below

    restore_environment()
    _call_client_by_name()
    words = sys.argv[1:]
    if sys.platform == "win32":
        _point_to_wsl(words)
    elif words[:2] == ["server", "attend"]:
        from laconic.server.attend import main as attend  # noqa: PLC0415 - not for hooks

        sys.exit(attend(words[2:]))
    elif words and (words[0] in _WARM or _is_shell_call(words)):
        from laconic.server.start import start  # noqa: PLC0415 - as above
        from laconic.settings.environ import environment  # noqa: PLC0415

        start(environment())
    answer_here()


def answer_here() -> NoReturn:
    """Answer a hook, or be the command line, in this process."""
    from laconic.hooks import hook  # noqa: PLC0415 - the server is under way by now

    if hook.is_call(sys.argv):
        hook.run(sys.argv[2:])  # which ends the process
    from laconic.cli.main import main_entry  # noqa: PLC0415 - as above

    main_entry()


def _point_to_wsl(words: list[str]) -> None:
    """Say what to do instead; a hook says it in its agent's words, or nothing."""
    if words[:1] != ["hook"]:
        print("laconic: Windows itself is not supported", file=sys.stderr)
        print("hint: install laconic in WSL, and run your agent there", file=sys.stderr)
        sys.exit(1)


def _is_shell_call(words: list[str]) -> bool:
    from laconic.run.shell_call import is_shell_call  # noqa: PLC0415 - not for hooks

    return is_shell_call(words)


def _call_client_by_name() -> None:
    """Have commands that start laconic again start the client, which is faster."""
    client = sys.argv[0].removesuffix("-py")
    if client != sys.argv[0] and access(client, X_OK):
        sys.argv[0] = client


def ask_server_first() -> NoReturn:
    """Be `laconic` where it is not the client in C: ask the server, else answer here."""
    from laconic.server.python_client import ask  # noqa: PLC0415 - only in its place
    from laconic.settings.environ import environment, restore_environment  # noqa: PLC0415

    restore_environment()

    try:
        status = ask(sys.argv[1:], environment())
    except OSError:
        status = None  # stdin or the reader is gone; the long way knows what to do
    if status is not None:
        sys.exit(status)
    main()


if __name__ == "__main__":
    answer_here()
