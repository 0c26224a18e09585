"""Which pipes laconic can take off a command and honour itself: `| head`, `| tail`, `| grep`."""

from __future__ import annotations

from laconic.lazy import pattern
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Command

_LINES = pattern(r"-[0-9]+|-n[0-9]+|--lines=[0-9]+")
_GREP_FLAGS = pattern(r"-[iEFwvx]+")


def is_strippable(command: Command) -> bool:
    """Tell whether this last stage of a pipeline only picks lines, in a way we know exactly."""
    if command.assignments or command.redirects or not command.words:
        return False
    words = [literal(word) for word in command.words]
    known = [word for word in words if word is not None]
    if len(known) != len(words):
        return False
    name, arguments = known[0], known[1:]
    if name in ("head", "tail"):
        return _picks_lines(arguments)
    return name == "grep" and _picks_matches(arguments)


def _picks_lines(arguments: list[str]) -> bool:
    if arguments and arguments[0] in ("-n", "--lines"):
        return len(arguments[1:]) == 1 and arguments[1].isdigit()
    return not arguments or (len(arguments) == 1 and _LINES.fullmatch(arguments[0]) is not None)


def _picks_matches(arguments: list[str]) -> bool:
    """Flags, then one pattern; a second operand would be a file."""
    flags = [word for word in arguments if word.startswith("-")]
    patterns = [word for word in arguments if not word.startswith("-")]
    return (
        len(patterns) == 1
        and "\n" not in patterns[0]
        and all(_GREP_FLAGS.fullmatch(flag) for flag in flags)
    )
