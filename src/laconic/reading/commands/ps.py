"""ps: shows processes; options come with a dash, without one, or as BSD letters.

Unsafe: `e` without a dash and -E show the environment of processes, secrets among it.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_TAKES_LIST = pattern(r"-?[a-zA-Z]*[oOpqUukGgtCN]")
_LETTERS = pattern(r"[a-zA-Z]+")


def judge(call: Call) -> None:
    takes_list = False
    for argument in call.arguments:
        if takes_list:
            takes_list = False
        elif argument.text is None or argument.splits:
            call.unlisted(Kind.WORD, "an option that is not known", argument)
        else:
            _judge_word(call, argument.text)
            takes_list = _TAKES_LIST.fullmatch(argument.text) is not None


def _judge_word(call: Call, word: str) -> None:
    letters = word.removeprefix("-")
    if not _LETTERS.fullmatch(letters):
        return
    shows = "E" in letters if word.startswith("-") else "e" in letters
    # `ps -auxe` is read as `ps auxe` when there is no user x
    if shows or ("x" in letters and "u" in letters and "e" in letters):
        call.does(Effect.SECRETS, "environment", "shows the environment of processes")
