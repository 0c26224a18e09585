"""The questions that a client may ask the server: `laconic check ...` and `laconic rewrite ...`.

What is not in this table is not answered, and the client becomes the command line itself. So no
client can have the server run a command line: neither of the two starts a program or writes a file
that the words name.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence

from laconic.cli import check, rewrite
from laconic.cli.source import PROFILES


class _Question:
    def __init__(
        self, main: Callable[[Namespace], int], flags: Sequence[str], values: Sequence[str]
    ) -> None:
        self.main, self.flags, self.values = main, flags, values


_QUESTIONS = {
    "check": _Question(check.main, ("--json", "--escalate-deny"), ("--cwd", "--profile")),
    "rewrite": _Question(rewrite.main, ("--json", "--verbose"), ("--cwd",)),
}


def answer(words: Sequence[str]) -> int | None:
    """Print the answer to a question and return its exit status; None if it is none, or fails."""
    question = _QUESTIONS.get(words[0] if words else "")
    args = _read(question, words[1:]) if question else None
    if question is None or args is None:
        return None
    try:
        return question.main(args)
    except Exception:  # noqa: BLE001 - the client asks the command line, which says what is wrong
        return None


def _read(question: _Question, words: Sequence[str]) -> Namespace | None:
    """Read options and the one text that is asked about; None if something else is among them."""
    given: dict[str, str | bool] = dict.fromkeys(question.flags, False)
    given |= dict.fromkeys(question.values, "")
    texts = []
    left = iter(words)
    for word in left:
        name, is_joined, value = word.partition("=")
        if word in question.flags:
            given[word] = True
        elif name in question.values:
            given[name] = value if is_joined else next(left, "")
            if not given[name]:
                return None
        elif word.startswith("-"):  # an option that is not known here, or stdin
            return None
        else:
            texts.append(word)
    if len(texts) != 1 or given.get("--profile", "") not in ("", *PROFILES):
        return None
    named = {name[2:].replace("-", "_"): value for name, value in given.items()}
    return Namespace(command=texts, directory=named.pop("cwd"), **named)
