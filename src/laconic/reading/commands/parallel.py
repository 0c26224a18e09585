"""GNU parallel: runs a command for each word of its input, or after `:::`.

Unsafe: the command, which is shell code; options that write results or name other hosts.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.shell.words import quoted
from laconic.types import Effect, Kind

_PLAIN = pattern(r"[\w@%+=:,./-]+")
_MARK = pattern(r"\{[0-9.+/#%-]*\}")  # {= .. =} is Perl


_MOST = 8


def judge(call: Call) -> None:
    words = call.parsed.operands
    cut = next(
        (i for i, word in enumerate(words) if (word.text or "").startswith(":::")), len(words)
    )
    words, divider, given = words[:cut], words[cut : cut + 1], words[cut + 1 :]
    for value in given[:_MOST] if words and divider else ():
        if divider[0].text == "::::":
            call.reads(value)
        else:
            _follow(call, words, value)
    if not words or call.parsed.ended:  # the parallel of moreutils runs what is behind `--`
        call.does(Effect.UNCLEAR, Kind.STDIN, "runs its input as commands", firm=True)
        return
    for word in words:
        if not word.is_static or not _PLAIN.fullmatch(_MARK.sub("x", word.text or "")):
            call.shell(Argument(None, word.start, word.end))
            return
    start, end = call.span
    has_mark = any(_MARK.search(word.text or "") for word in words)
    filled = [
        Argument(
            None,
            w.start,
            w.end,
            leading=(w.text or "")[: mark.start()],
            splits=not any(map(str.isdigit, mark[0])),  # `{}` is one word of each source
        )
        if (mark := _MARK.search(w.text or ""))
        else w
        for w in words
    ]
    extra = [] if has_mark else [Argument(None, start, end, leading="", splits=True)]
    call.runs([*filled, *extra])


def _follow(call: Call, words: list[Argument], value: Argument) -> None:
    """What the command does with one of the values behind `:::`, which are quoted for the shell."""
    if value.text is None or not all(word.is_static for word in words):
        return
    word, code = quoted(value.text), " ".join(word.text or "" for word in words)
    filled = _MARK.sub(lambda _: word, code)
    call.shell(Argument(filled if filled != code else f"{code} {word}", value.start, value.end))
