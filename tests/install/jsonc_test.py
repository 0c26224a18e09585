"""Editing JSON with comments: cases in plain files, and what must hold for any document."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from laconic.install import jsonc

CASES = Path(__file__).parents[1] / "cases" / "jsonc"
AT, VALUE = ("hooks", "Pre"), {"run": "x"}


def read_cases(name):
    """`=== name`, input, `---`, output."""
    found = []
    text = (CASES / f"{name}.case").read_text("utf-8")
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = block.partition("\n")
        before, _, after = rest.partition("---\n")
        found.append(pytest.param(before, after, id=title))
    return found


def containers(text):
    """The paths that were there before, which a removal leaves."""
    root = jsonc.parse(text)
    return [AT[:n] for n in range(3) if jsonc.find(root, AT[:n])]


def undone(before, after):
    number = len(jsonc.load(jsonc.find(jsonc.parse(after), AT))) - 1
    return jsonc.remove(after, (*AT, number), keep=containers(before))


@pytest.mark.parametrize(("before", "after"), read_cases("append"))
def test_an_addition_looks_like_the_rest_and_can_be_undone(before, after):
    assert jsonc.append(before, AT, VALUE) == after
    assert undone(before, after) == before


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(("before", "after"), read_cases("append"))
def test_line_ends_and_a_byte_order_mark_stay(before, after, line_end):
    before, after = ("\ufeff" + text.replace("\n", line_end) for text in (before, after))
    if before.count("\n") > 1:  # in one line there is nothing to learn from
        assert jsonc.append(before, AT, VALUE) == after
        assert undone(before, after) == before


@pytest.mark.parametrize(("text", "message"), read_cases("broken"))
def test_what_is_no_json_is_named_with_its_place(text, message):
    with pytest.raises(ValueError, match=re.escape(message.strip())):
        jsonc.parse(text)


@pytest.mark.parametrize("text", ['{"hooks": 1}', '{"hooks": {"Pre": {}}}', '{"hooks": []}', "[]"])
def test_what_is_something_else_is_not_replaced(text):
    with pytest.raises(ValueError, match="is not"):
        jsonc.append(text, AT, VALUE)


def test_deep_nesting_is_refused_and_not_a_crash():
    with pytest.raises(ValueError, match="nested"):
        jsonc.parse("[" * 5000)


def test_a_member_in_the_middle_takes_its_comma_with_it():
    text = '{\n  "a": 1,\n  "b": 2, // two\n  "c": 3\n}\n'
    assert jsonc.remove(text, ("b",)) == '{\n  "a": 1, // two\n  "c": 3\n}\n'


def test_a_replaced_value_keeps_its_place():
    text = '{\n  "a": {\n    "b": 1\n  }, // note\n  "c": [1, 2]\n}'
    assert jsonc.replace(text, ("a",), {"b": 2}) == text.replace("1\n", "2\n", 1)
    assert jsonc.replace(text, ("c", 1), [3]) == text.replace("[1, 2]", "[1, [3]]")


# -- any document ----------------------------------------------------------------------------------

BLANKS = st.sampled_from(
    ["", " ", "  ", "\n", "\n  ", "\r\n\t", " // c }\n", "/* ] , */", "\n//\n "]
)
SCALARS = st.sampled_from(["1", "-2.5e3", "true", "null", '""', '"a\\"b"', '"// no"', '"é"'])
KEYS = st.sampled_from(["a", "hooks", "Pre", "b c"])


@st.composite
def documents(draw, depth=3):
    """JSON with blanks, comments and commas wherever they may be."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(SCALARS)
    is_object = draw(st.booleans())
    parts = []
    for _ in range(draw(st.integers(0, 3))):
        key = f'"{draw(KEYS)}"{draw(BLANKS)}:{draw(BLANKS)}' if is_object else ""
        value = draw(documents(depth=depth - 1))
        parts.append(f"{draw(BLANKS)}{key}{value}{draw(BLANKS)}")
    inner = ",".join(parts) + ("," + draw(BLANKS) if parts and draw(st.booleans()) else "")
    inner = inner or draw(BLANKS)
    return f"{{{inner}}}" if is_object else f"[{inner}]"


def plain(text):
    """The value by Python's own parser, comments and last commas taken out by a second reader."""
    strings = r'"(?:[^"\\]|\\.)*"'
    bare = re.sub(rf"({strings})|//[^\n]*|/\*.*?\*/", lambda m: m[1] or " ", text, flags=re.DOTALL)
    bare = re.sub(rf"({strings})|,(?=\s*[\]}}])", lambda m: m[1] or "", bare)
    return json.loads(bare)


@given(documents())
def test_a_document_is_read_as_python_reads_it(text):
    assert jsonc.load(jsonc.parse(text)) == plain(text)


@given(documents())
@example("{}")
@example('{"hooks": { "Pre": [ ] }}')
def test_what_was_added_is_there_and_removing_it_gives_back_the_text(text):
    try:
        after = jsonc.append(text, AT, VALUE)
    except ValueError:
        assume(False)
    wanted = plain(text)
    wanted.setdefault("hooks", {}).setdefault("Pre", []).append(VALUE)
    assert plain(after) == wanted
    # Blanks in a container that holds nothing else may be others.
    assert hollow(undone(text, after)) == hollow(text)


def hollow(text):
    return re.sub(r"([{\[])\s*([}\]])", r"\1\2", text)


@pytest.mark.parametrize("text", ["{}", "{ }", '{"hooks": {}}', '{\n  "hooks": { }\n}'])
def test_an_empty_container_is_empty_again(text):
    assert undone(text, jsonc.append(text, AT, VALUE)) == text


@given(st.text(alphabet='{}[]",:/* \n\\a1', max_size=30))
def test_any_text_is_a_document_or_a_value_error(text):
    try:
        node = jsonc.parse(text)
    except ValueError:
        return
    assert 0 <= node.start <= node.end <= len(text)
