"""Reads the tables of reports: of data/reports.txt, what the lines of each one's report are."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

import re
from functools import cache
from os.path import dirname, join
from typing import Any, NamedTuple

from laconic.patterns import compiled

_DATA = join(dirname(dirname(__file__)), "data")
NONE, _ANY = compiled(r"(?!)"), compiled(r".*")


class Block(NamedTuple):
    """One form of a failure.

    begins: its first line. below: its next line that is not blank. head: its first two lines, if
    they are the title. more: lines of the title below, of which the last ends with a colon. within:
    further lines. frames: lines of which the last ones end it. title: what is made of the groups of
    `begins`, or of `head`. has_code: whether its first line may have the code that failed.
    """

    begins: re.Pattern[str]
    title: str = r"\1"
    head: re.Pattern[str] | None = None
    below: re.Pattern[str] = _ANY
    within: re.Pattern[str] = _ANY
    frames: re.Pattern[str] | None = None
    more: re.Pattern[str] = NONE
    has_code: bool = False


class Runner(NamedTuple):
    """How a runner reports; each pattern is that of a line.

    sign: what every report has. names: lines that tell of a failure, by its name. is_below: the
    failures are below the sign. is_script: the frames are those of JavaScript. dull: what says
    nothing. again: what is told of a test by its failure, perhaps with lines of that below it.
    seed: what a success does not need, as the order of the tests. short: what is shown by the
    groups of the pattern alone. other: further lines that may not be shown, or end what is told
    again. marks: tests in an overview. part: the heading of a part; passed: what says that all is
    well in it; failed: what says that it is not, and stands for the heading. mark: what is written
    before places.

    Of a failure, beside: what is before its lines. noise: what says nothing. values: what does,
    with what is indented below it, where there is a difference. begun: the place where the test
    begins. said: a line of which the first group is shown. frame: a frame with its place. cause:
    the heading of an exception that caused another. legend: what stands above a difference.
    """

    sign: re.Pattern[str]
    blocks: tuple[Block, ...]
    names: re.Pattern[str] = NONE
    is_below: bool = False
    is_script: bool = False
    marks: re.Pattern[str] = NONE
    part: re.Pattern[str] = NONE
    passed: re.Pattern[str] = NONE
    failed: re.Pattern[str] = NONE
    said: re.Pattern[str] = NONE
    dull: re.Pattern[str] = NONE
    again: re.Pattern[str] = NONE
    seed: re.Pattern[str] = NONE
    short: re.Pattern[str] = NONE
    other: re.Pattern[str] = NONE
    beside: re.Pattern[str] = NONE
    noise: re.Pattern[str] = NONE
    values: re.Pattern[str] = NONE
    begun: re.Pattern[str] = NONE
    frame: re.Pattern[str] = NONE
    cause: re.Pattern[str] = NONE
    legend: re.Pattern[str] = NONE
    mark: str = " "


@cache
def runner(name: str) -> Runner:
    """The row of a runner; its patterns are compiled when it is first asked for."""
    keys, *failures = sections("reports")[name]
    blocks = tuple(Block(**values_of(one, Block._field_defaults)) for one in failures)
    return Runner(blocks=blocks, **values_of(keys, Runner._field_defaults))


def values_of(keys: dict[str, list[str]], defaults: dict[str, Any]) -> dict[str, Any]:
    """The values of a table, each of the type of its default: else one pattern, or several."""
    found: dict[str, Any] = {}
    for key, texts in keys.items():
        kind = type(defaults.get(key))
        if kind is tuple:
            found[key] = tuple(map(compiled, texts))
        else:
            found[key] = kind(texts[0]) if kind in (str, int, bool) else compiled("|".join(texts))
    return found


@cache
def sections(table: str) -> dict[str, list[dict[str, list[str]]]]:
    """For each name in a table, the keys of it, and of each further section of that name."""
    found: dict[str, list[dict[str, list[str]]]] = {}
    keys: dict[str, list[str]] = {}
    with open(join(_DATA, f"{table}.txt"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("["):
                keys = {}
                found.setdefault(line.strip("[]").split()[0], []).append(keys)
            elif line and not line.startswith("#"):
                key, _, text = line.partition(" = ")
                keys.setdefault(key, []).append(text[1:-1] if text[0] == text[-1] == '"' else text)
    return found
