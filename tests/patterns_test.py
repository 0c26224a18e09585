"""Patterns mean the same on every interpreter, or are not relied on."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import pytest

from laconic import patterns
from laconic.compact.format import is_pattern
from laconic.compact.patterns import Pattern
from laconic.knowledge.catalog import tables
from laconic.patterns import compile_written, is_possessive, pattern, problem, repeats_possessively
from laconic.settings.toml import parse as parse_toml

SRC = Path(patterns.__file__).parent
MODULES = sorted(SRC.rglob("*.py"))
# Whatever `re` has that takes a pattern.
FUNCTIONS = {"search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SRC.parent).with_suffix("").parts).removesuffix(".__init__")


def made_by(module) -> list[str]:
    """The sources of the patterns that a module makes when it is loaded."""
    values = list(vars(module).values())
    values += chain.from_iterable(v for v in values if isinstance(v, tuple))
    values += chain.from_iterable(v for v in values if isinstance(v, tuple))
    sources = [value._made_from[0] for value in values if isinstance(value, pattern)]
    return [s if isinstance(s, str) else s.decode("latin-1") for s in sources]


def calls_of_re(tree: ast.AST) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in FUNCTIONS | {"compile"}
    ]


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_no_pattern_of_ours_needs_what_an_interpreter_may_not_have(path):
    if path.name == "__main__.py" or path == SRC / "patterns.py":
        return
    if path.parent.name == "adapters":  # their frameworks are not installed here
        assert "laconic.patterns" not in path.read_text()
        return
    module = importlib.import_module(module_name(path))
    sources = made_by(module)
    for call in calls_of_re(ast.parse(path.read_text())):
        given = call.args[0]
        assert call.func.attr != "compile", "laconic.patterns compiles"
        assert (
            isinstance(given, ast.Constant)
            or (isinstance(given, ast.Name) and isinstance(vars(module).get(given.id), str | bytes))
            or path.name in {"redact.py", "rewriting.py"}
        ), "compile_written() is for what is given"
        if isinstance(given, ast.Constant):
            sources.append(given.value)
    assert [source for source in sources if is_possessive(source) or "(?>" in source] == []


def test_no_pattern_in_our_filters_and_tables_needs_it_either():
    filters = map(Path.read_bytes, sorted(SRC.glob("compact/data/**/*.toml")))
    found = list(chain.from_iterable(strings(parse_toml(data)) for data in filters))
    found += chain.from_iterable(strings(table) for _, _, table in tables())
    assert len(found) > 1000
    assert [text for text in found if text.startswith("^") and is_possessive(text)] == []


def strings(value) -> list[str]:
    if isinstance(value, str):
        return [] if "\n" in value else [value]
    values = value.values() if isinstance(value, dict) else value
    return list(chain.from_iterable(map(strings, values))) if isinstance(value, dict | list) else []


# -- what a person writes --------------------------------------------------------------------------

POSSESSIVE = ["a*+b", "a++", "x?+y", "(?:ab){2,3}+", "^(?:(?!c).)++$", "(a(b|[+]c*+))"]
PLAIN = [r"a\*+", "[*+]+", r"\++", "a{2}[+]", "a+b*c?", r"[]*+]x", r"C\+\+"]


@pytest.mark.parametrize("source", POSSESSIVE)
def test_a_possessive_repeat_is_refused_where_it_would_be_misread(source, monkeypatch):
    assert is_possessive(source)
    monkeypatch.setattr(patterns, "repeats_possessively", lambda: False)
    with pytest.raises(re.error, match=r"106052.*Python 3\.11\.5"):
        compile_written(source)
    with pytest.raises(re.error):
        compile_written(source.encode())
    assert "mishandles possessive repeats" in is_pattern(source)
    with pytest.raises(re.error):
        Pattern(source).search("a")


@pytest.mark.parametrize("source", PLAIN)
def test_what_only_looks_like_one_is_not(source, monkeypatch):
    monkeypatch.setattr(patterns, "repeats_possessively", lambda: False)
    assert compile_written(source).pattern == source
    assert is_pattern(source) == ""


def test_it_is_accepted_where_it_works():
    if repeats_possessively():
        assert compile_written("(?:ab?c)*+").match("aca").end() == 2
    else:
        assert sys.version_info < (3, 11, 5)


# -- an interpreter that cannot be relied on -------------------------------------------------------

PLANTED = """
import json, re, re._compiler as compiler
compile_rightly = compiler.compile
def compile_wrongly(source, flags=0):
    return compile_rightly(source.replace(*{damage}) if isinstance(source, str) else source, flags)
compiler.compile = compile_wrongly
from laconic import engine
from laconic.knowledge.catalog import library
from laconic.rewrite.from_config import rewritten
from laconic.settings.load import read_settings
environ = {{"HOME": {home!r}, "PATH": "/usr/bin:/bin"}}
settings = read_settings(environ)
def decide(command):
    found = engine.decide_request(engine.Request(command, "/", environ), settings)
    return found.verdict, found.reason, found.firm
print(json.dumps([decide("ls"), decide("rm -rf /"), rewritten("cargo test", settings).text]))
"""


def planted(damage, home):
    program = PLANTED.format(damage=damage, home=str(home))
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "damage",
    [
        ("(?!", "(?="),
        ("(?<!", "(?<="),
        ("[^", "["),
        ("{1,2}", "{1}"),
        ("(?:", "("),
        ("(?>", "(?:"),
        ("(?m)", ""),
    ],
)
def test_nothing_is_allowed_or_rewritten_by_a_planted_fault(damage, home):
    (verdict, reason, firm), (denied, _, _), text = planted(damage, home)
    assert (verdict, firm, text) == ("ask", True, "cargo test")
    # or the parser finds no command in it any more
    assert "wrong answers about regular expressions" in reason or "cannot be read" in reason
    assert denied in ("ask", "deny")


def test_without_a_fault_the_same_is_allowed_and_rewritten(home):
    (verdict, _, _), (denied, _, _), text = planted(("x", "x"), home)
    assert (verdict, denied) == ("allow", "deny")
    assert text.startswith("laconic run")


def test_output_is_shown_as_it_is_by_a_planted_fault():
    program = """
import sys, re._compiler as compiler
compile_rightly = compiler.compile
if sys.argv.pop(1) == "broken":
    compiler.compile = lambda source, flags=0: compile_rightly(
        source.replace("(?!", "(?=") if isinstance(source, str) else source, flags)
from laconic.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
    lines = "seq 1 400 | sed 's/.*/the same line/'"

    def shown(kind):
        command = [sys.executable, "-c", program, kind, "run", "sh", "-c", lines]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert shown("broken") == "the same line\n" * 400
    assert shown("sound") != "the same line\n" * 400


def test_this_interpreter_can_be_relied_on():
    assert problem() == ""


def test_the_self_check_takes_less_than_a_fifth_of_a_millisecond():
    """Without what the first pattern of a process costs, whichever that is: see bench/parse.py."""
    taken = []
    for _ in range(50):
        re.purge()
        problem.cache_clear()
        before = time.process_time_ns()
        assert problem() == ""
        taken.append(time.process_time_ns() - before)
    assert min(taken) < 200_000
