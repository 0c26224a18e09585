"""The knowledge files: their form, and their own examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from laconic.knowledge.catalog import DATA, library, tables
from laconic.knowledge.knowledge import Branch
from laconic.knowledge.options import VALUE, Spec
from laconic.policy.rules import Rules
from laconic.reading.commands import NAMES, handler
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.reading.table_faults import faults_of, missing_example
from laconic.types import Verdict

FILES = sorted(DATA.glob("*.toml"))
TABLES = tables()


# A test for each file, not for each table or example: of those there are more than ten thousand.
each_file = pytest.mark.parametrize("stem", [path.stem for path in FILES])


def _tables(stem: str) -> list[tuple[str, Any]]:
    return [(name, table) for of, name, table in TABLES if of == stem]


@each_file
def test_a_table_has_no_mistake(stem: str) -> None:
    assert list(faults_of(dict(_tables(stem)))) == []


@each_file
def test_a_table_shows_what_it_does(stem: str) -> None:
    missing = [(name, missing_example(table)) for name, table in _tables(stem)]
    assert [f"{name}: add an example, {key} = [...]" for name, key in missing if key] == []


def test_every_handler_is_used_and_every_used_handler_exists() -> None:
    used = {table["code"] for _, _, table in TABLES if "code" in table}
    assert used == NAMES
    for name in NAMES:
        assert callable(handler(name))


def test_no_path_stands_in_two_files() -> None:
    seen: dict[str, str] = {}
    for stem, name, table in TABLES:
        for path in (name, *table.get("also", ())):
            assert seen.setdefault(path, stem) == stem, f"{path} is in {seen[path]} and {stem}"


def test_breadth() -> None:
    assert len(library().root.words) >= 130


def _verdict(command: str, facts: Facts | None = None) -> Verdict:
    return decide(command, library(), Rules(), facts or Facts()).verdict


@each_file
def test_yes(stem: str) -> None:
    examples = [example for _, table in _tables(stem) for example in table.get("yes", ())]
    assert [e for e in examples if _verdict(e) is not Verdict.ALLOW] == []


@each_file
def test_no(stem: str) -> None:
    examples = [example for _, table in _tables(stem) for example in table.get("no", ())]
    assert [e for e in examples if _verdict(e) is Verdict.ALLOW] == []


def _undone(table: Any) -> Iterator[str]:
    """Allowed examples that need an option, with that option taken back in all common ways."""
    spec = Spec(table.get("options", "") + " " + table.get("everywhere", ""))
    needs = [n for n in table.get("needs", "").split() if n.startswith("--")]
    flags = {n for n in needs if spec.known.get(n, (VALUE,))[0] != VALUE}
    for example in table.get("yes", ()):
        words = example.split(" ")
        for pos, word in enumerate(words):
            if word not in flags:
                continue
            behind = [word, "false"] if word not in table.get("values", {}) else [f"{word}=no"]
            for undoing in (behind, [word, f"--no-{word[2:]}"], [word, f"{word}=false"]):
                yield " ".join([*words[:pos], *undoing, *words[pos + 1 :]])


def test_an_option_that_is_needed_cannot_be_taken_back() -> None:
    undone = [command for _, _, table in TABLES for command in _undone(table)]
    assert len(undone) > 500
    assert [command for command in undone if _verdict(command) is Verdict.ALLOW] == []


def _where(names: str) -> Facts:
    files = {f"/project/{name.removeprefix('**/').partition('?')[0]}" for name in names.split()}
    return Facts(exists=files.__contains__)


@each_file
def test_what_heeds_settings_at_its_start_asks_where_they_are(stem: str) -> None:
    for name, table in _tables(stem):
        for setting in table.get("startup_settings", "").split():
            for command in table.get("yes", ()):
                assert _verdict(command, _where(setting)) is Verdict.ASK, (name, setting, command)


@each_file
def test_what_heeds_settings_asks_where_they_are(stem: str) -> None:
    for name, table in _tables(stem):
        questions = {"--version", "--help", *table.get("alone", "").split()}
        asked = [c for c in table.get("yes", ()) if questions.isdisjoint(c.split())]
        for setting in set(table.get("settings", "").split()) - {"FILES", "**/*.csproj"}:
            for command in asked:
                decision = decide(command, library(), Rules(), _where(setting))
                assert decision.verdict is Verdict.ASK, (name, setting, command)
                assert any("of the project (" in leaf.reason for leaf in decision.leaves())


def test_settings_with_a_pattern_count_where_their_text_has_it() -> None:
    def verdict(text: str | None) -> Verdict:
        here = Facts(exists="/project/ruff.toml".__eq__, text=lambda _: text)
        return _verdict("ruff check .", here)

    assert verdict("line-length = 100\n") is Verdict.ALLOW
    assert verdict("[lint]\nfixable = ['ALL']\nfix = false\n") is Verdict.ALLOW
    for text in ("fix = true", '"fix"=true', "x = 1\nfix\t= true", None):
        assert verdict(text) is Verdict.ASK, text


def _branches(branch: Branch, path: str) -> Iterator[tuple[str, Branch]]:
    yield path, branch
    for word, below in (*branch.words.items(), *branch.alternatives):
        yield from _branches(below, f"{path} {word}".lstrip())


def test_a_program_with_files_and_subcommands_says_which_words_are_subcommands() -> None:
    for path, branch in _branches(library().root, ""):
        entry = branch.entry
        if entry is None or not (branch.words or branch.alternatives):
            continue
        takes_files = any(role.startswith("READ") for role in entry.operands or ())
        assert entry.subcommands or entry.code or not takes_files, path
