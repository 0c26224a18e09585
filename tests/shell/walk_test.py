"""What bash really runs, against what the walk over our tree reports."""

from __future__ import annotations

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from laconic.shell import ParseError, parse
from laconic.shell.ast import Script, Word
from laconic.shell.walk import Context, commands, evaluations, redirects
from laconic.shell.words import literal

CASES = Path(__file__).parents[1] / "cases" / "runs"
MARK = "evil-ran"
TIME_LIMIT_S = 10


class Snippet(NamedTuple):
    where: str
    name: str
    source: str

    @property
    def topic(self) -> str:
        """What comes before the colon in the name."""
        return self.name.partition(":")[0]


def read_snippets(file: str) -> list[Snippet]:
    """Snippets of a case file: a line `%% name`, then the source; comments above the first one."""
    found: list[Snippet] = []
    text = (CASES / file).read_bytes().decode()  # carriage returns must survive
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("%% "):
            found.append(Snippet(f"{file}:{number}", line[3:], ""))
        elif found:
            found[-1] = found[-1]._replace(source=f"{found[-1].source}{line}\n")
    return [snippet._replace(source=snippet.source.rstrip("\n")) for snippet in found]


# -- running for real ----------------------------------------------------------------------------


def write_stub(directory: Path) -> None:
    """Make a program `evil` that leaves a mark."""
    stub = directory / "bin" / "evil"
    stub.parent.mkdir(parents=True)
    stub.write_text(f"#!/bin/sh\n: > '{directory / MARK}'\n")
    stub.chmod(0o755)


def runs_evil(snippet: Snippet, directory: Path) -> bool:
    """Run the snippet in bash, in an empty world; tell whether the program `evil` was started."""
    path = f"{directory / 'bin'}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(directory), "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-c", snippet.source],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            process.communicate(timeout=TIME_LIMIT_S)  # background jobs hold the pipe open
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"{snippet.where}: bash did not end")
    return (directory / MARK).exists()


def run_all(snippets: list[Snippet], directory: Path) -> dict[Snippet, bool]:
    places = [directory / str(number) for number in range(len(snippets))]
    for place in places:  # all before the first fork: a program open for writing cannot be run
        write_stub(place)
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(snippets, pool.map(runs_evil, snippets, places), strict=True))


# -- what we report ------------------------------------------------------------------------------


def parsed(snippet: Snippet) -> Script | None:
    try:
        return parse(snippet.source)
    except ParseError:
        return None


def names(script: Script) -> list[str | None]:
    """The name of each command, None where it is not known; a path counts as its last part."""
    heads = [found.command.words[0] for found in commands(script) if found.command.words]
    return [value and value.rsplit("/", 1)[-1] for value in map(literal, heads)]


def describe(failed: list[Snippet]) -> str:
    return "\n".join(f"{one.where} ({one.name}):\n{one.source}" for one in failed)


HIDDEN = ["lists.txt", "words.txt", "substitutions.txt", "backquotes.txt"]
REJECTED = {
    "behind an invalid later line",
    "behind an unclosed quote on a later line",
    "behind an unclosed bracket on a later line",
    "single quotes in a default value in double quotes",
    "single quotes in an alternative in double quotes",
    "single quotes in arithmetic",
    "single quotes in an arithmetic command",
    "between the dollar and the parenthesis a line continuation",
    "single quotes in a default value in quotes",
    "with a line continuation",
}


@pytest.mark.parametrize("file", HIDDEN)
def test_what_bash_runs_is_reported_or_the_text_is_rejected(file: str, tmp_path: Path) -> None:
    ran = run_all(read_snippets(file), tmp_path)
    assert not describe([snippet for snippet, did in ran.items() if not did])
    scripts = {snippet: parsed(snippet) for snippet in ran}
    missed = [one for one, script in scripts.items() if script and "evil" not in names(script)]
    assert not describe(missed)


def test_only_known_snippets_are_rejected() -> None:
    """Rejecting is safe, but each rejection costs a question: no new ones unseen."""
    snippets = [snippet for file in HIDDEN for snippet in read_snippets(file)]
    rejected = {snippet.name for snippet in snippets if parsed(snippet) is None}
    assert rejected == REJECTED


def test_text_that_is_evaluated_again_is_an_evaluation_site(tmp_path: Path) -> None:
    ran = run_all(read_snippets("evaluated.txt"), tmp_path)
    assert not describe([snippet for snippet, did in ran.items() if not did])
    assert not describe([snippet for snippet in ran if not has_site(snippet)])


def has_site(snippet: Snippet) -> bool:
    """Tell whether a site of the right kind holds `evil` or comes after the text that does.

    A site whose text is not known, of whatever kind, will do as well: it may be anything.
    """
    script = parsed(snippet)
    if script is None:
        return True
    evil = snippet.source.encode().index(b"evil")
    return any(
        site.text is None or (site.kind == snippet.topic and site.end > evil)
        for site in evaluations(script)
    )


def test_a_command_with_an_unknown_name_is_reported_as_such(tmp_path: Path) -> None:
    ran = run_all(read_snippets("dynamic.txt"), tmp_path)
    assert not describe([snippet for snippet, did in ran.items() if not did])
    scripts = {snippet: parsed(snippet) for snippet in ran}
    missed = [one for one, script in scripts.items() if script is None or None not in names(script)]
    assert not describe(missed)


def test_a_command_that_runs_its_arguments_is_reported(tmp_path: Path) -> None:
    ran = run_all(read_snippets("wrapped.txt"), tmp_path)
    assert not describe([snippet for snippet, did in ran.items() if not did])
    scripts = {snippet: parsed(snippet) for snippet in ran}
    missed = [
        one for one, script in scripts.items() if not script or one.topic not in names(script)
    ]
    assert not describe(missed)


def test_text_that_does_not_run_is_not_reported(tmp_path: Path) -> None:
    ran = run_all(read_snippets("absent.txt"), tmp_path)
    assert not describe([snippet for snippet, did in ran.items() if did])
    scripts = {snippet: parsed(snippet) for snippet in ran}
    assert not describe([one for one, script in scripts.items() if not script])
    assert not describe(
        [one for one, script in scripts.items() if script and "evil" in names(script)]
    )


def test_some_snippets_are_checked() -> None:
    assert sum(len(read_snippets(file)) for file in HIDDEN) >= 400
    assert len(read_snippets("evaluated.txt")) >= 100


# -- where commands stand ------------------------------------------------------------------------


def place(context: Context) -> str:
    """The context of a command in a few words; what is usual is left out."""
    facts = [f"{context.stage + 1}/{context.stages}"] if context.stages > 1 else []
    facts += [name for name in ("background", "subshell", "negated") if getattr(context, name)]
    facts += [f"in {context.substitution}"] if context.substitution else []
    facts += [f"function {context.function}"] if context.function else []
    facts += [f"around {one.operator}" for one in context.around]
    return ", ".join(facts)


PLACES = {
    "a": {"a": ""},
    "a; b && c || d": {"a": "", "b": "", "c": "", "d": ""},
    "a | b |& c": {"a": "1/3, subshell", "b": "2/3, subshell", "c": "3/3, subshell"},
    "a & b": {"a": "background, subshell", "b": ""},
    "a && b & c": {"a": "background, subshell", "b": "background, subshell", "c": ""},
    "! a": {"a": "negated"},
    "! ! a": {"a": ""},
    "! a | b": {"a": "1/2, subshell, negated", "b": "2/2, subshell, negated"},
    "! a; b": {"a": "negated", "b": ""},
    "(a)": {"a": "subshell"},
    "{ a; }": {"a": ""},
    "a $(b)": {"a": "", "b": "subshell, in $("},
    "a `b`": {"a": "", "b": "subshell, in `"},
    "a <(b) >(c)": {"a": "", "b": "subshell, in <(", "c": "subshell, in >("},
    "a $(b <(c))": {"a": "", "b": "subshell, in $(", "c": "subshell, in <("},
    "x=$(a)": {"a": "subshell, in $("},
    "a | b $(c)": {"a": "1/2, subshell", "b": "2/2, subshell", "c": "subshell, in $("},
    "a $(b | c)": {"a": "", "b": "1/2, subshell, in $(", "c": "2/2, subshell, in $("},
    "! a $(b)": {"a": "negated", "b": "subshell, in $("},
    "a $(b & c)": {"a": "", "b": "background, subshell, in $(", "c": "subshell, in $("},
    "f() { a; }; b": {"a": "function f", "b": ""},
    "f() { g() { a; }; b; }": {"a": "function g", "b": "function f"},
    "f() { a $(b); }": {"a": "function f", "b": "subshell, in $(, function f"},
    "coproc a": {"a": "background, subshell"},
    "coproc x { a; }": {"a": "background, subshell"},
    "{ a; } > f": {"a": "around >"},
    "{ a; } < f 2>> g": {"a": "around <, around >>"},
    "{ (a) > f; b; } < g": {"a": "subshell, around <, around >", "b": "around <"},
    "f() { a; } > g": {"a": "function f, around >"},
    "{ a $(b); } > f": {"a": "around >", "b": "subshell, in $("},
    "{ a; } > $(b)": {"a": "around >", "b": "subshell, in $("},
    "while a; do b; done < f": {"a": "around <", "b": "around <"},
    "for i in $(a); do b; done > f": {"a": "subshell, in $(", "b": "around >"},
    "for ((i=$(a);;)); do b; done": {"a": "subshell, in $(", "b": ""},
    "case $(a) in $(b)) c;; esac": {"a": "subshell, in $(", "b": "subshell, in $(", "c": ""},
    "if a; then b; elif c; then d; else e; fi": dict.fromkeys("abcde", ""),
    "[[ $(a) ]] && ((1 + $(b)))": {"a": "subshell, in $(", "b": "subshell, in $("},
    "a <<X\n$(b)\nX\n": {"a": "", "b": "subshell, in $("},
    "time a": {"a": ""},
}


@pytest.mark.parametrize("source", PLACES)
def test_commands_know_where_they_stand(source: str) -> None:
    found = {}
    for occurrence in commands(parse(source)):
        word = occurrence.command.words[0] if occurrence.command.words else None
        if isinstance(word, Word):
            found[literal(word)] = place(occurrence.context)
    assert found == PLACES[source]


PIPED = {
    "a | b | c": {"a": "feeds", "b": "reads feeds", "c": "reads"},
    "a | b && c": {"a": "feeds", "b": "reads", "c": ""},
    "{ a | b; c; } | d": {"a": "feeds", "b": "reads feeds", "c": "feeds", "d": "reads"},
    "a | { b; c | d; }": {"a": "feeds", "b": "reads", "c": "reads feeds", "d": "reads"},
    "a | while b; do c; done > f": {"a": "feeds", "b": "reads", "c": "reads"},
    "a | (b) | c": {"a": "feeds", "b": "reads feeds", "c": "reads"},
    "if a; then b; fi | c": {"a": "feeds", "b": "feeds", "c": "reads"},
    "coproc a": {"a": "reads feeds"},
    "coproc x { a | b; }": {"a": "reads feeds", "b": "reads feeds"},
    "a": {"a": ""},
}


@pytest.mark.parametrize("source", PIPED)
def test_commands_know_whether_they_are_piped(source: str) -> None:
    found = {}
    for occurrence in commands(parse(source)):
        context = occurrence.context
        flags = {"reads": context.reads_pipe, "feeds": context.feeds_pipe}
        name = literal(occurrence.command.words[0])
        found[name] = " ".join(flag for flag, is_set in flags.items() if is_set)
    assert found == PIPED[source]


def test_commands_come_in_the_order_of_the_source() -> None:
    source = "a $(b `c`) | d <<X && e\n$(f)\nX\ng() { h; } > $(i); x=$(j) k"
    assert names(parse(source)) == [*"abcdefhikj"]  # `x=$(j) k` begins before the substitution


def test_redirects_are_found_at_every_depth() -> None:
    source = "a > 1 $(b 2> 2) | { c; } >> 3; f() { d < 4; } <> 5; [[ -n `e <<< 6` ]] &> 7"
    targets = [literal(redirect.target) for redirect in redirects(parse(source))]
    assert targets == list("1234567")


def test_every_command_of_a_deep_tree_is_found() -> None:
    depth = 30
    source = "evil $(" * depth + "evil" + ")" * depth
    assert names(parse(source)) == ["evil"] * (depth + 1)
