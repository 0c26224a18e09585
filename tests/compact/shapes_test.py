"""What the generic compactor shows of outputs by their shape: tests/cases/shapes/NAME.in and .out.

The status is 1 if the name ends with `-failed`, else 0. What must be shown is in NAME.keep, one
text per line.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from laconic.compact.generic import compact_generic
from laconic.compact.lines import read_lines
from laconic.compact.notice import notice
from laconic.compact.result import GAP, MADE, RAW, SHORT, WHOLE, Written
from laconic.compact.shapes.asked import Asked
from laconic.compact.shapes.passes import shaped
from laconic.compact.stages.clean import clean
from laconic.compact.tokens import estimate

ROOT = Path(__file__).parents[1] / "cases/shapes"
CASES = sorted(ROOT.glob("*.in"))
IDS = [path.stem for path in CASES]
WORD = re.compile(r"\w+")


def compacted_of(path: Path):
    status = 1 if path.stem.endswith("-failed") else 0
    return compact_generic(read_lines(path.read_bytes()), status)


def shown(path: Path) -> str:
    compacted = compacted_of(path)
    if compacted is None:
        return "[raw]\n"
    line = notice(compacted, "ID")
    return compacted.text() + (f"{line}\n" if line else "")


@pytest.mark.parametrize("path", CASES, ids=IDS)
def test_an_output_without_a_filter_is_shown_like_this(path, request):
    expected = path.with_suffix(".out")
    if request.config.getoption("--update-cases"):
        expected.write_text(shown(path))
    assert shown(path) == expected.read_text()


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.keep")), ids=lambda path: path.stem)
def test_what_must_be_kept_of_an_output_without_a_filter_is_shown(path):
    text = shown(path.with_suffix(".in"))
    assert text != "[raw]\n", "nothing is hidden of it, so that it proves nothing"
    assert [fact for fact in path.read_text().splitlines() if fact not in text] == []


@pytest.mark.parametrize("path", CASES, ids=IDS)
def test_every_line_is_shown_or_counted_as_hidden_and_all_words_are_the_outputs_own(path):
    compacted = compacted_of(path)
    if compacted is None:
        return
    lines = read_lines(path.read_bytes())
    cleaned = list(clean(lines).texts)
    told = {n for r in compacted.shown if r.kind in (RAW, SHORT, WHOLE) for n in r.numbers}
    dropped = {n for first, last in compacted.dropped for n in range(first, last + 1)}
    assert told | dropped == set(range(1, len(cleaned) + 1))
    assert not told & dropped
    assert compacted.hidden == len(dropped)
    text = compacted.text()
    assert estimate(text + notice(compacted)) < estimate(lines.text)
    known = set(WORD.findall("\n".join(cleaned)))
    for row in compacted.shown:
        words = set(WORD.findall(re.sub(r"\[[^\]]*\]|\bx\d+:| [+-]\d+", "", row.text)))
        if row.kind == WHOLE:
            sources = {w for n in row.numbers for w in WORD.findall(cleaned[n - 1])}
            assert sources <= set(WORD.findall(text)), f"{row} has not all of its lines"
        if row.kind in (MADE, WHOLE) and "…" not in row.text:
            assert words <= known, f"{row} says what the output does not"
        assert row.kind != GAP or row.text.startswith(f"[... {len(row.numbers)} line")


def test_no_output_grows_smaller_by_being_shown_twice():
    for path in CASES:
        compacted = compacted_of(path)
        if compacted is not None:
            text = compacted.text() + notice(compacted) + "\n"
            assert compact_generic(read_lines(text.encode()), 0) is None


def test_of_very_many_findings_each_rule_and_each_file_is_told_with_its_number():
    rules = ["1:25  warning  Missing semicolon  semi", "2:1  error  'x' is not defined  no-undef"]
    files = [f"/srv/app/src/m{n}.js" for n in range(70)]
    texts = [
        text
        for n, path in [*enumerate(files), (5, "/srv/app/src/twin.js")]
        for text in ["", path, *(f"  {n + k}{rules[k % 2]}" for k in range(30 + n))]
    ]
    texts += ["", "/srv/app/odd.js", "  3:7  error  Unexpected 'debugger' statement  no-debugger"]
    compacted = compact_generic(read_lines("\n".join(texts).encode()), 1)
    assert compacted is not None
    shown = compacted.text()
    assert "/srv/app/odd.js:3:7 error: no-debugger Unexpected 'debugger' statement" in shown
    assert [path for path in files if f" {path.rpartition('/')[2]} [" not in shown] == []
    assert "m69.js [99]" in shown
    assert f"Missing semicolon +{sum('semi' in text for text in texts) - 1} [" in shown
    assert estimate(shown) < 1500
    assert " twin.js [35]" in shown


def test_the_place_that_an_instantiation_begins_with_stays_in_the_first_line():
    texts = dict(enumerate(["t.cpp:13:20:   required from here", "a.h:8:60: error: no match"]))
    rows = shaped(("notes",), list(texts), Written(texts), Asked(1, bytes(len(texts))))
    assert rows[0] == 0
