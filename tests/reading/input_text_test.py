"""What a line prints into pipes and files is looked for wherever it may print something."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from decide_cases import ALL
from laconic.knowledge.arguments import Values
from laconic.reading.decide import _PRINTS
from laconic.reading.input_text import Inputs
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands

WORDS = "echo printf pwd cat tee sh ls a 1 -n | ; > x << E <<< { } ( ) ec''ho 'cat' \\cat".split()


def skips_no_text(text: str) -> None:
    source = text.encode("utf-8", "surrogateescape")
    try:
        script = parse(source)
    except ParseError:
        return
    inputs = Inputs(script.nodes())
    values = Values({"PWD": "/project"})
    read = [inputs.text(one.command, values, frozenset()) for one in commands(script)]
    if any(one is not None for one in read):
        assert _PRINTS.search(source), text


def test_no_text_that_a_command_reads_is_passed_over() -> None:
    for _, case in ALL:
        skips_no_text(case.command)


@given(st.lists(st.sampled_from(WORDS), max_size=9))
def test_no_text_is_passed_over_in_any_words(words: list[str]) -> None:
    skips_no_text(" ".join(words))
