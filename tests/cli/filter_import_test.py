"""laconic filters import: what of other tools' filters is taken over, and what is named as left."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.compact.foreign import from_tokenjuice, from_tokf
from laconic.compact.format import check_filter
from laconic.compact.load import load_filters
from laconic.run.shells import arguments_of
from laconic.settings.load import read_settings

TOKF = r"""
command = ["acme build", "acme compile *"]
description = "Compact acme output."
run = "acme build --quiet {args}"
strip_ansi = true
skip = ["^Enumerating", '^\s*\d+% ', '(?<=unclosed']
dedup = true
passthrough_args = ["--json", "list"]
match_output = [{ contains = "rejected", output = "push rejected" }]

[[replace]]
pattern = '^(\S+) written in (\S+)$'
output = "{1} {2}"

[[replace]]
pattern = "^(a) b$"
output = "{7}"

[on_success]
output = "ok {2}"

[on_failure]
tail = 10
skip = ["^hint:"]
"""
RULE = {
    "id": "acme/deploy",
    "family": "deploy",
    "description": "Compact acme deploy.",
    "match": {
        "toolNames": ["exec"],
        "argv0": ["acme", "./acme"],
        "argvIncludes": [["deploy"], ["deploy", "--all"]],
        "commandIncludes": ["deploy"],
    },
    "transforms": {"stripAnsi": True, "dedupeAdjacent": True, "prettyPrintJson": True},
    "filters": {"skipPatterns": ["^\\s*uploading (?<file>\\S+)", "(?<!x"], "keepPatterns": []},
    "summarize": {"head": 12, "tail": 8},
    "failure": {"preserveOnFailure": True, "head": 20, "tail": 20},
    "counters": [{"name": "error", "pattern": "error"}],
    "onEmpty": "nothing to do",
}


@pytest.fixture
def source(tmp_path):
    (tmp_path / "acme/build_test").mkdir(parents=True)
    (tmp_path / "acme/build.toml").write_text(TOKF)
    (tmp_path / "acme/build_test/built.toml").write_text(
        'name = "built"\ninline = "Enumerating 3\\nEnumerating 4\\na.o written in 3s\\nb.o\\n"\n'
    )
    (tmp_path / "deploy.json").write_text(json.dumps(RULE))
    return tmp_path


def found_for(*words):
    return load_filters(read_settings()).filters.find(arguments_of(words))


def test_a_directory_is_taken_over_and_what_was_left_out_is_said(laconic, source, home):
    status, out, _ = laconic("filters", "import", str(source))
    assert status == 0
    folder = home / ".config/laconic/filters/acme"
    assert sorted(path.name for path in folder.iterdir()) == ["build.toml", "deploy.toml"]
    for said in (
        "for: acme build, acme compile",
        "left out: run: the command runs as it was typed",
        "left out: match_output: a text of its own would be shown in place of the output",
        "left out: on_success.output: 'ok {2}' is not what the command printed",
        "left out: passthrough_args: 'list' is not an option",
        "left out: skip: '(?<=unclosed'",
        "left out: replace: '{7}' has more than groups of its pattern",
        "for: acme deploy, acme deploy --all",
        "left out: match.commandIncludes: has no counterpart",
        "left out: transforms.prettyPrintJson: has no counterpart",
        "left out: counters: what is hidden is counted in the notice",
        "left out: onEmpty: an empty output is shown as it is",
        "left out: skipPatterns: '(?<!x'",
    ):
        assert said in out, said


def test_what_was_taken_over_works(laconic, source):
    laconic("filters", "import", str(source))
    build, deploy = found_for("acme", "-v", "build", "x"), found_for("acme", "deploy")
    assert build.id == "acme/build"
    assert build.table["drop"] == ["^Enumerating", r"^\s*\d+% "]
    assert build.table["failure"] == {"drop": [*build.table["drop"], "^hint:"], "tail": 10}
    assert found_for("acme", "build", "--json") is None
    assert deploy.table["drop"] == [r"^\s*uploading (?P<file>\S+)"]
    assert (deploy.table["head"], deploy.table["failure"]["tail"]) == (12, 20)
    status, out, _ = laconic("filters", "test", "acme/build")
    assert (status, out) == (0, "1 examples, 0 of them wrong\n")


def test_a_single_file_is_named_by_its_command(laconic, source, home):
    assert laconic("filters", "import", str(source / "acme/build.toml"))[0] == 0
    assert (home / ".config/laconic/filters/acme/build.toml").exists()


def test_a_file_that_exists_is_left_alone(laconic, source, home):
    path = home / ".config/laconic/filters/acme/build.toml"
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n")
    _, out, _ = laconic("filters", "import", str(source))
    assert "already exists" in out
    assert path.read_text() == "# mine\n"


def test_a_built_in_filter_that_is_replaced_is_named(laconic, tmp_path):
    (tmp_path / "x.toml").write_text('command = "git push"\nskip = ["^Enumerating"]\n')
    (tmp_path / "y.toml").write_text('command = "cargo test"\nskip = ["^Compiling"]\n')
    _, out, _ = laconic("filters", "import", str(tmp_path / "y.toml"))
    assert "instead of: cargo/test (built-in)" in out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('command = "acme"\nmatch_output = [{contains = "x", output = "y"}]', "nothing of what it"),
        ('skip = ["^x"]', "it names no command"),
        ('command = "../../acme x"\nskip = ["^x"]', "it names no command"),
        ("command = ", "is not valid TOML"),
    ],
)
def test_what_cannot_be_taken_over_is_refused_with_the_reason(laconic, tmp_path, text, reason):
    (tmp_path / "x.toml").write_text(text)
    status, out, _ = laconic("filters", "import", str(tmp_path / "x.toml"))
    assert status == 1
    assert reason in out


def test_no_name_leads_out_of_the_filters(laconic, tmp_path, home):
    rule = {**RULE, "id": "../../../outside"}
    (tmp_path / "x.json").write_text(json.dumps([rule]))
    assert laconic("filters", "import", str(tmp_path / "x.json"))[0] == 1
    assert not list(home.rglob("outside*"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab^$(*\\ {}|1", max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "head", "tail", "skip", "output", "pattern"]), inner
        )
    ),
    max_leaves=6,
)
KEYS = ["command", "skip", "keep", "replace", "on_success", "on_failure", "passthrough_args", "run"]
RULE_KEYS = ["id", "match", "filters", "transforms", "summarize", "failure", "counters"]


@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_any_document_gives_a_filter_that_is_valid_or_has_no_command(document):
    found = from_tokf(document, "x")
    assert not found.table["command"] or not list(check_filter(found.table))


@given(st.dictionaries(st.sampled_from(RULE_KEYS), VALUES))
def test_any_rule_gives_a_filter_that_is_valid_or_has_no_command(rule):
    found = from_tokenjuice(rule)
    assert not found.table["command"] or not list(check_filter(found.table))
