"""tree: lists directories; its letters take their values from the words that follow, in order.

Unsafe: -o and --output (write), -R (writes 00Tree.html files with -L and -o).
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import MAY_BE_OPTION, MAY_BE_SEVERAL
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_LETTERS = frozenset("adlfxqNQpugshDFvtcUriASnCXJ1")
_WITH_VALUE = frozenset("LPIHT")
_LONG = frozenset(
    "gitignore ignore-case matchdirs metafirst prune info noreport si du inodes device dirsfirst"
    " filesfirst nolinks fromfile fromtabfile fflinks help version hyperlink opt-toggle".split()
)
_LONG_WITH_VALUE = frozenset(
    "gitfile infofile charset filelimit timefmt sort hintro houtro scheme authority".split()
)


def judge(call: Call) -> None:
    todo = list(reversed(call.arguments))
    while todo:
        word = todo.pop()
        text = word.text if word.is_static else None
        if text == "--":
            return
        if text is None and (not word.leading or word.leading.startswith("-") or word.splits):
            if not (word.glob and word.leading and not word.leading.startswith("-")):
                call.does(Effect.UNCLEAR, Kind.WORD, MAY_BE_OPTION, word)
        elif text is not None and text.startswith("--"):
            _judge_long(call, text, word, todo)
        elif text is not None and text.startswith("-"):
            _judge_letters(call, text[1:], word, todo)


def _judge_long(call: Call, text: str, word: Argument, todo: list[Argument]) -> None:
    name, equals, _ = text[2:].partition("=")
    if name in _LONG_WITH_VALUE:
        if not equals and todo:
            _skip_value(call, todo)
    elif name not in _LONG or equals:
        call.unlisted(Kind.OPTION, f"laconic does not know the option --{name}", word)


def _judge_letters(call: Call, letters: str, word: Argument, todo: list[Argument]) -> None:
    for pos, letter in enumerate(letters):
        if letter == "L" and letters[pos + 1 :].isdigit():
            return
        if letter in _WITH_VALUE and todo:
            _skip_value(call, todo)
        elif letter not in _LETTERS:
            call.unlisted(Kind.OPTION, f"laconic does not know the option -{letter}", word)


def _skip_value(call: Call, todo: list[Argument]) -> None:
    value = todo.pop()
    if value.splits:
        call.does(Effect.UNCLEAR, Kind.VALUE, MAY_BE_SEVERAL, value)
