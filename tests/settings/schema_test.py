"""What is wrong with a file is said in one line that names the place and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.settings import schema, toml
from laconic.settings.config import Config
from laconic.settings.keys import file_schema, kinds, options
from laconic.settings.layers import built_in, check_bytes
from problem_lines import as_text

CASES = sorted((Path(__file__).parents[1] / "cases/schema").glob("*.toml"))


def messages(path: Path) -> str:
    _, problems = check_bytes(path.read_bytes(), path.name)
    return as_text(problems)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_messages_of_a_file_are_exactly_these(path):
    assert messages(path) == path.with_suffix(".err").read_text()


def test_there_are_cases_of_good_and_of_broken_files():
    sizes = [path.with_suffix(".err").stat().st_size for path in CASES]
    assert sizes.count(0) >= 2
    assert len(sizes) >= 12


def test_the_built_in_configuration_is_valid_and_complete():
    document = built_in()
    assert not list(schema.check(document, file_schema()))
    assert not list(schema.check(document, schema.table_of(Config)))


def test_every_option_has_a_kind_and_a_meaning():
    assert set(kinds()) == set(options())
    assert all(option.meaning for option in options().values())


class Leaf(NamedTuple):
    name: str
    size: int = 3


class Tree(NamedTuple):
    leaf: Leaf
    leaves: tuple[Leaf, ...] = ()
    words: tuple[Annotated[str, schema.is_name], ...] = ()
    color: Literal["red", "blue"] = "red"
    env: Mapping[str, str] = {}


def faults(document):
    return list(schema.check(document, schema.table_of(Tree)))


def test_a_good_document_becomes_an_immutable_value():
    document = {"leaf": {"name": "a"}, "leaves": [{"name": "b", "size": 1}], "env": {"X": "1"}}
    assert faults(document) == []
    tree = schema.build(document, Tree)
    assert tree == Tree(Leaf("a"), (Leaf("b", 1),), (), "red", {"X": "1"})
    with pytest.raises(TypeError):
        tree.env["X"] = "2"


def test_what_is_required_must_be_there():
    assert faults({}) == [("", 'key "leaf" is missing', "")]
    assert faults({"leaf": {}}) == [("[leaf]", 'key "name" is missing', "")]


def test_true_is_not_a_number():
    document = {"leaf": {"name": "a", "size": True}}
    assert faults(document)[0].message == "expected a whole number, 0 or more, found true"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(list(file_schema().keys)) | st.text(), VALUES))
def test_checking_never_fails_and_every_message_is_one_printable_line(document):
    for fault in schema.check(document, file_schema()):
        assert "\n" not in "".join(fault)
        assert "".join(fault).isprintable()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_text_reads_back_as_itself(text):
    assert toml.parse(f"x = {toml.quote(text)}".encode()) == {"x": text}


def test_dots_in_strings_and_comments_are_not_those_of_a_key():
    dots = "." * 60
    text = f'x = "{dots}" # {dots}\ny = """\n{dots}\n"""\nz = \'\'\'\n{dots}\'\'\'\n'
    assert toml.parse(text.encode()) == {"x": dots, "y": f"{dots}\n", "z": dots}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = \xff", "is not UTF-8 at byte 4"),
        (b"a = ", "is not valid TOML: Invalid value"),
        (b"x = " + b"[" * 20_000, "is nested too deeply"),
        (b"a" + b".a" * 20_000 + b" = 1", "line 1 has more than 50 dots outside of strings"),
        (b'x = ["""a"""", {a' + b".a" * 60 + b' = "1"}]', "line 1 has more than 50 dots"),
        (b"x = [" + b"'''a\n''''', {a" + b".a" * 60 + b" = '1'}]", "line 2 has more than 50 dots"),
        (b'x = "\\"\ny' + b".a" * 60 + b' = "1"', "line 2 has more than 50 dots"),
    ],
)
def test_what_is_no_toml_is_said_in_one_line(data, words):
    with pytest.raises(ValueError, match=words):
        toml.parse(data)
