"""Programs of which no more is known than how they tell their version and help.

For anything else there is no opinion, as for a program that is not known at all. `needs`
of their tables names the words for the version, besides --version and --help.
"""

from __future__ import annotations

from laconic.reading.call import Call
from laconic.reading.sending import publishing_word
from laconic.reading.word_places import follow_code
from laconic.types import Effect


def judge(call: Call) -> None:
    words = [argument.text if argument.is_static else None for argument in call.arguments]
    if len(words) == 1 and words[0] in call.entry.needs:
        return
    why = f"laconic knows nothing of {call.path[0]} but its version"
    call.does(call.match.effect, "unknown", why)
    call.findings[-1] = call.findings[-1].but(risk=False)
    follow_code(call)
    for argument in call.arguments:
        call.may_run(argument)
    if (word := publishing_word(call.arguments)) is not None:
        call.does(Effect.SENDS, "sends", "may publish something", word)
