"""Reads the table of test runners, data/reports.txt: what the lines of each one's report are."""

# pathlib takes six milliseconds to load.
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

import re
from functools import cache
from os.path import dirname, join
from typing import Any, NamedTuple

from laconic.patterns import compiled

_TABLE = join(dirname(dirname(__file__)), "data", "reports.txt")
_NONE, _ANY = compiled(r"(?!)"), compiled(r".*")


class Block(NamedTuple):
    """One form of a failure.

    begins: its first line. below: its next line that is not blank. head: its first two lines, if
    they are the title. more: lines of the title below, of which the last ends with a colon. within:
    further lines. frames: lines of which the last ones end it. title, name, indent: what is made of
    the groups of `begins`, or of `head`; where: of the group `place`, or nothing if the title has a
    file. reason: lines that belong to the title. has_code: whether its first line may have the code
    that failed.
    """

    begins: re.Pattern[str]
    title: str = r"\1"
    name: str = ""
    indent: str = "  "
    where: str = "{}"
    head: re.Pattern[str] | None = None
    below: re.Pattern[str] = _ANY
    within: re.Pattern[str] = _ANY
    frames: re.Pattern[str] | None = None
    more: re.Pattern[str] = _NONE
    reason: re.Pattern[str] = _NONE
    has_code: bool = False


class Runner(NamedTuple):
    """How a runner reports; each pattern is that of a line.

    sign: what every report has. names: lines that tell of a failure, by its name. is_below: the
    failures are below the sign. is_script: the frames are those of JavaScript, and the lines of a
    failure stay as they are. dull: what says nothing. again: what is told of a test by its failure,
    perhaps with lines of that below it. seed: the order of the tests. short: what is shown by the
    groups of the pattern alone. other: further lines that may not be shown, or end what is told
    again. marks: tests in an overview. part: the heading of a part; passed: what says that all is
    well in it; failed: what says that it is not, and stands for the heading. mark: what is written
    before places.

    Of a failure, beside: what is before its lines. noise: what says nothing. values: what does,
    with what is indented below it, where there is a difference. begun: the place where the test
    begins. said: a line of which the first group is shown. code: the source that failed. frame: a
    frame with its place. cause: the heading of an exception that caused another. legend: what
    stands above a difference.
    is_spaced: that has blanks which values do not have. width: of a message that is put into one
    line.
    """

    sign: re.Pattern[str]
    blocks: tuple[Block, ...]
    names: re.Pattern[str] = _NONE
    is_below: bool = False
    is_script: bool = False
    marks: re.Pattern[str] = _NONE
    part: re.Pattern[str] = _NONE
    passed: re.Pattern[str] = _NONE
    failed: re.Pattern[str] = _NONE
    said: re.Pattern[str] = _NONE
    dull: re.Pattern[str] = _NONE
    again: re.Pattern[str] = _NONE
    seed: re.Pattern[str] = _NONE
    short: re.Pattern[str] = _NONE
    other: re.Pattern[str] = _NONE
    beside: re.Pattern[str] = _NONE
    noise: re.Pattern[str] = _NONE
    values: re.Pattern[str] = _NONE
    begun: re.Pattern[str] = _NONE
    code: re.Pattern[str] = _NONE
    frame: re.Pattern[str] = _NONE
    cause: re.Pattern[str] = _NONE
    legend: re.Pattern[str] = _NONE
    is_spaced: bool = False
    width: int = 0
    mark: str = " "


@cache
def runner(name: str) -> Runner:
    """The row of a runner; its patterns are compiled when it is first asked for."""
    keys, *failures = _table()[name]
    blocks = tuple(Block(**_values(one, Block._field_defaults)) for one in failures)
    return Runner(blocks=blocks, **_values(keys, Runner._field_defaults))


def _values(keys: dict[str, list[str]], defaults: dict[str, Any]) -> dict[str, Any]:
    """The values of a table: texts, numbers and flags as their defaults are, else patterns."""
    found: dict[str, Any] = {}
    for key, texts in keys.items():
        kind = type(defaults.get(key))
        found[key] = kind(texts[0]) if kind in (str, int, bool) else compiled("|".join(texts))
    return found


@cache
def _table() -> dict[str, list[dict[str, list[str]]]]:
    """For each name, the keys of the runner, and of each form of its failures."""
    found: dict[str, list[dict[str, list[str]]]] = {}
    keys: dict[str, list[str]] = {}
    with open(_TABLE, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("["):
                keys = {}
                found.setdefault(line.strip("[]").split()[0], []).append(keys)
            elif line and not line.startswith("#"):
                key, _, text = line.partition(" = ")
                keys.setdefault(key, []).append(text[1:-1] if text[0] == text[-1] == '"' else text)
    return found
