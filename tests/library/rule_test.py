"""Rules, catalogues and registries: checked when they are made, matched on the parsed command."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import laconic
from laconic.library.line import Line
from laconic.library.registry import DATA, shipped
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands

CATALOGUE = """
schema = 1
id = "acme/make"
stack = "make"

[[rule]]
id = "make.parallel"
severity = "info"
explanation = "Use all cores."
match = { program = ["make", "gmake"], unless = ["-j"] }
rewrite = { append = "-j4" }
yes = ["make all"]
no = ["make -j2"]
"""


def test_a_catalogue_is_a_file(tmp_path):
    (tmp_path / "make.toml").write_text(CATALOGUE)
    catalogue = laconic.Catalogue.from_toml(tmp_path / "make.toml")
    gate = laconic.Gate(
        registry=laconic.Registry.seed().register(catalogue), stacks=["make"], gate=False
    )
    assert gate.decide("cd x && make all | tail").command == "cd x && make all -j4 | tail"
    assert gate.decide("rm -rf /").verdict == "deny"
    assert laconic.Catalogue.from_dict(json.loads(json.dumps(catalogue.to_dict()))) == catalogue


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("schema = 1", "schema = 2", "schema"),
        ("severity", "severty", "severty"),
        ("[[rule]]", "[[rule", "make.toml"),
        ('unless = ["-j"]', "unless = 3", "unless"),
        ("program", "programme", "programme"),
        ('append = "-j4"', 'prepend = "-j4"', "rewrite"),
        ('program = ["make", "gmake"], ', "", "program"),
        ('unless = ["-j"]', 'code = "os.system"', "os.system"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path, old, new, said):
    path = tmp_path / "make.toml"
    path.write_text(CATALOGUE.replace(old, new))
    with pytest.raises(laconic.RuleError, match=r"make\.toml") as caught:
        laconic.Catalogue.from_toml(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.toml")), ids=lambda path: path.stem)
def test_a_shipped_catalogue_survives_json(path):
    catalogue = shipped(path.stem)
    assert laconic.Catalogue.from_dict(json.loads(json.dumps(catalogue.to_dict()))) == catalogue


# -- catalogues of other packages ------------------------------------------------------------------


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "acme_rules.py").write_text(
        "from pathlib import Path\nimport laconic\n"
        "VALUE = laconic.Catalogue(id='acme/value', rules=[{'id': 'a', 'pattern': '^frob'}])\n"
        "def made(): return {'id': 'acme/made', 'rules': []}\n"
        "FILE = Path(__file__).with_name('make.toml')\n"
    )
    (tmp_path / "make.toml").write_text(CATALOGUE)
    info = tmp_path / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[laconic.catalogues]\nvalue = acme_rules:VALUE\nmade = acme_rules:made\n"
        "file = acme_rules:FILE\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("acme_rules", None)


@pytest.mark.usefixtures("package")
def test_a_package_offers_catalogues_and_none_counts_unless_it_is_named():
    assert [c.id for c in laconic.Registry.seed()] == ["harn-canon/universal"]
    assert "acme_rules" not in sys.modules
    named = laconic.Registry.seed(plugins=["value", "made", "file"])
    assert [c.id for c in named][1:] == ["acme/value", "acme/made", "acme/make"]
    assert laconic.Gate(plugins=["value"], gate=False).decide("frob").rule_id == "a"
    both = laconic.Gate(stacks=["rust"], plugins=["file"], gate=False)
    assert both.decide("make").rule_id == "make.parallel"


def test_a_package_that_is_not_there_is_an_error():
    with pytest.raises(laconic.RuleError, match="no package offers"):
        laconic.Gate(plugins=["nobody"])


# -- a line ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("a | b && c; d & e", "a b c d e"),
        ("sudo -u x env A=1 nice -n 5 cargo build", "sudo env nice cargo"),
        ("python3.12 -m pip install x", "python3.12 pip"),
        ("bash -lc 'a; b \"$(c)\"'", "bash a b c"),
        (r"find . -name x -exec a {} \; -execdir b {} +", "find a b"),
        ("find . -exec sh -c 'a {}' \\;", "find sh a"),
        ("A=1 B=2", ""),
        ("$unknown x", ""),
        ("uv run --with x pytest", "uv pytest"),
        ("xargs -n 1 -I {} a {}", "xargs a"),
        ("timeout -k 5 10 a", "timeout a"),
        ("command -v a", "command"),
        ("time a", "a"),
        ("! a", "a"),
        ("case x in a) b;; esac", "b"),
        ("/usr/bin/a", "a"),
        ("eval a '; b'", "eval a b"),
        ("a <(b) >(c)", "a b c"),
        ("a `b`", "a b"),
        ("echo 'a b' | sh", "echo sh a"),
        ("busybox rm -rf /", "busybox rm"),
        ("rm -rf / '\x01'; b 'c", "rm b"),
    ],
)
def test_every_program_of_a_line_is_found(text, programs):
    assert sorted(i.program for i in Line(text).invocations) == sorted(programs.split())


def test_a_program_of_the_project_is_not_that_of_the_system():
    registry = laconic.Registry.seed(["python"])
    assert registry.match("./pip install x", ["python"]) == []
    assert registry.match("/usr/bin/pip install x", ["python"]) != []


def test_directories_follow_cd():
    (*_, last) = Line("cd a && cd ../b && rm x", "/p").invocations
    assert last.directories[-1] == "/p/b"


def test_a_predicate_sees_each_command_and_then_the_line():
    seen = []

    def predicate(command, context):
        seen.append((command, context.invocation and context.invocation.program, context.rule_id))
        return False

    rule = laconic.Rule(id="a", pattern=predicate)
    laconic.Registry([laconic.Catalogue(id="c", rules=(rule,))]).match("x 1 | y 'a b'")
    assert seen == [("x 1", "x", "a"), ("y 'a b'", "y", "a"), ("x 1 | y 'a b'", None, "a")]


# -- properties ------------------------------------------------------------------------------------

WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
QUOTED = WORD.map(lambda text: "'" + text.replace("'", "'\\''") + "'")
AROUND = st.sampled_from(
    [
        *("{}", "{} #", " {} > log 2>&1", "cd a && {}", "({})", "if {}; then b; fi", "X=1 {}"),
        *("time {}", "a; {} & b", "! {}", "{}\necho b", 'echo "$({})"', "{} | head -3"),
    ]
)
GATE = laconic.Gate(
    stacks=["rust", "python", "typescript", "swift", "sql", "harn"],
    gate=False,
    cwd="/p",
    environ={},
)


@given(AROUND, st.lists(QUOTED, max_size=3), st.lists(QUOTED, max_size=2))
def test_a_flag_lands_behind_the_arguments_of_its_program_and_nothing_else_changes(
    around, before, behind
):
    tail = [*(["--"] if behind else []), *behind]
    command = around.format(" ".join(["cargo", "check", *before, *tail]))
    wanted = around.format(
        " ".join(["cargo", "check", *before, "--target-dir target-shared", *tail])
    )
    assume("'--'" not in before)  # it ends the options in quotes, too
    assume(not any(word.strip("'").startswith("--target-dir") for word in before + behind))
    envelope = GATE.decide(command)
    assert envelope.command == wanted
    parse(envelope.command.encode())
    assert GATE.decide(wanted).command == wanted


@given(st.text(max_size=60))
def test_any_text_is_decided_without_a_fault(text):
    envelope = GATE.decide(text)
    assert envelope.rule_id != "laconic/fault"
    assert envelope.original_command == text


@given(
    st.lists(
        st.sampled_from(
            "cargo build|cargo test|pytest|find . -name '*.py'|ls|a -- b|$(pytest)|x=1".split("|")
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([" && ", " | ", "; ", "\n", " & "]),
)
def test_a_rewrite_keeps_the_number_of_commands_and_is_settled(parts, between):
    command = between.join(parts)
    new = GATE.decide(command).command
    assert len(commands(parse(new.encode()))) == len(commands(parse(command.encode())))
    assert GATE.decide(new).command == new


@given(st.text(alphabet="rm -rf/~.*'\"$HOME{}();&|\\\n", max_size=30))
def test_what_bash_would_read_is_looked_at(text):
    """A removal of the root before any text is seen, as long as the text can be parsed."""
    command = f"rm -rf /; {text}"
    try:
        parse(command.encode())
    except ParseError:
        return
    assert GATE.decide(command).verdict == "deny"
