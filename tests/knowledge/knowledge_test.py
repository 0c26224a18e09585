"""The knowledge files: their form, and their own examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from laconic.knowledge.catalog import DATA, library, tables
from laconic.knowledge.knowledge import KEYS, Branch
from laconic.knowledge.options import VALUE, Spec
from laconic.policy.call import ROLES
from laconic.policy.commands import NAMES, handler
from laconic.policy.decide import decide
from laconic.policy.places import Facts
from laconic.policy.rules import Rules
from laconic.types import EFFECTS, Verdict

FILES = sorted(DATA.glob("*.toml"))
TABLES = tables()
WORDS = {"allow", "ask", "deny"}


def _id(value: object) -> str:
    return value if isinstance(value, str) else ""


def _examples(key: str) -> list[Any]:
    return [
        pytest.param(example, id=f"{stem}:{name}:{example}")
        for stem, name, table in TABLES
        for example in table.get(key, ())
    ]


@pytest.mark.parametrize(("stem", "name", "table"), TABLES, ids=_id)
def test_a_table_uses_known_keys_roles_and_verdicts(stem: str, name: str, table: Any) -> None:
    assert not set(table) - KEYS, f"{stem}: {name}: unknown keys"
    assert table.get("verdict", "allow") in WORDS
    effect = table.get("effect", "")
    named = effect.values() if isinstance(effect, dict) else [effect]
    assert {word for text in named for word in text.split()} <= EFFECTS.keys()
    for option, text in table.get("does", {}).items():
        words, _, why = text.partition(": ")
        assert set(words.split()) <= EFFECTS.keys()
        assert why, f"{option} does not say what it does"
    spec = Spec(table.get("options", "") + " " + table.get("everywhere", ""))
    assert {role for _, role in spec.known.values() if role} <= ROLES
    assert table.get("does", {}).keys() <= spec.known.keys(), "not in `options`"
    operands = table.get("operands", "").split()
    assert {role.removesuffix("...").removesuffix("?") for role in operands} <= ROLES
    assert all(option.startswith("-") for option in spec.known)
    if "COMMAND" in " ".join(operands):
        assert table.get("late") is False, "the options of the inner command are its own"


@pytest.mark.parametrize(("stem", "name", "table"), TABLES, ids=_id)
def test_a_table_shows_what_it_does(stem: str, name: str, table: Any) -> None:
    if table.get("verdict", "allow") == "allow":
        assert table.get("yes"), f"{stem}: {name}: an example that is allowed is missing"
    else:
        assert table.get("no"), f"{stem}: {name}: an example that is not allowed is missing"


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


@pytest.mark.parametrize("command", _examples("yes"))
def test_yes(command: str) -> None:
    decision = decide(command, library(), Rules(), Facts())
    assert decision.verdict is Verdict.ALLOW, list(decision.leaves())


@pytest.mark.parametrize("command", _examples("no"))
def test_no(command: str) -> None:
    assert decide(command, library(), Rules(), Facts()).verdict is not Verdict.ALLOW


def _undone() -> list[Any]:
    """Allowed examples that need an option, with that option taken back in all common ways."""
    found = []
    for stem, name, table in TABLES:
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
                    text = " ".join([*words[:pos], *undoing, *words[pos + 1 :]])
                    found.append(pytest.param(text, id=f"{stem}:{name}:{text}"))
    return found


@pytest.mark.parametrize("command", _undone())
def test_an_option_that_is_needed_cannot_be_taken_back(command: str) -> None:
    assert decide(command, library(), Rules(), Facts()).verdict is not Verdict.ALLOW


def _with_settings(key: str) -> list[Any]:
    return [
        pytest.param(name, table, example, id=f"{stem}:{name}:{example}")
        for stem, name, table in TABLES
        if table.get(key)
        for example in table.get("yes", ())
    ]


def _where(names: str) -> Facts:
    files = {f"/project/{name.removeprefix('**/')}" for name in names.split()}
    return Facts(exists=files.__contains__)


@pytest.mark.parametrize(("name", "table", "command"), _with_settings("startup_settings"))
def test_what_heeds_settings_at_its_start_asks_where_they_are(
    name: str, table: Any, command: str
) -> None:
    for setting in table["startup_settings"].split():
        decision = decide(command, library(), Rules(), _where(setting))
        assert decision.verdict is Verdict.ASK, (name, setting)


@pytest.mark.parametrize(("name", "table", "command"), _with_settings("settings"))
def test_what_heeds_settings_asks_where_they_are(name: str, table: Any, command: str) -> None:
    questions = {"--version", "--help", *table.get("alone", "").split()}
    for setting in table["settings"].split():
        if questions.isdisjoint(command.split()) and setting not in ("FILES", "**/*.csproj"):
            decision = decide(command, library(), Rules(), _where(setting))
            assert decision.verdict is Verdict.ASK, (name, setting)
            assert "of the project (" in decision.reason


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
