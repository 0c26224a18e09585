"""What the handlers of cloud command lines share: the words of a command, and its options.

These programs have thousands of commands with request parameters for options. A command that
reads is known by its words; behind them any option may stand but those that write a file or
reveal secrets.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import MAY_BE_OPTION
from laconic.reading.call import Call
from laconic.types import Effect, Kind


def skip_options(
    arguments: list[Argument], at: int, values: frozenset[str], flags: frozenset[str]
) -> int:
    """The place of the next word that is none of these options nor the value of one."""
    while at < len(arguments) and not arguments[at].splits:
        name, equals, _ = arguments[at].leading.partition("=")
        value = arguments[at + 1 : at + 2]
        if name in values and equals:
            at += 1
        elif name in values and value and not value[0].splits:
            at += 2
        elif arguments[at].text in flags:
            at += 1
        else:
            break
    return at


def judge_parameters(call: Call, arguments: list[Argument], refused: frozenset[str]) -> None:
    """Judge what follows the words; unknown text is fine only as the value of an option."""
    behind_option = False
    for argument in arguments:
        is_option = argument.leading.startswith("-")
        name = argument.leading.partition("=")[0]
        if is_option and _abbreviates(name, refused):
            call.does(
                Effect.SECRETS,
                Kind.OPTION,
                f"{name} writes a file, reveals secrets or runs a program",
                argument,
            )
        is_unknown = argument.text is None and not (behind_option or "=" in argument.leading)
        is_address = argument.glob and bool(argument.leading) and not is_option
        if (argument.splits and not is_address) or is_unknown:
            call.does(
                Effect.UNCLEAR,
                Kind.DYNAMIC,
                MAY_BE_OPTION,
                argument,
            )
        behind_option = is_option and "=" not in argument.leading


def _abbreviates(name: str, refused: frozenset[str]) -> bool:
    """`--op` may stand for `--open`, but `--output` is an option of its own."""
    is_long = len(name) > len("--o") and name != "--output"
    return is_long and any(full.startswith(name) for full in refused)
