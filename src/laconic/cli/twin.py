"""The command `laconic` where it is not the client in C: asks the server, else does it itself."""

from __future__ import annotations

import sys

from laconic.server.python_client import ask
from laconic.settings.environ import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    try:
        status = ask(sys.argv[1:], environment())
    except OSError:
        status = None  # stdin or the reader is gone; the long way knows what to do
    if status is not None:
        sys.exit(status)
    from laconic.cli.entry import main as main_entry  # noqa: PLC0415 - only without an answer

    main_entry()
