"""Hooks speak each agent's dialect: what it sends, and what it is answered, case by case."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hook_fixture import PATHS, REASON, REWRITTEN, filled, named, read_case, said
from laconic.agents.load import AFTER, ALIASES, BEFORE, DATA, hooked, load
from laconic.hooks import output, respond
from laconic.hooks.call import dialect_of
from laconic.hooks.response import Response
from laconic.permissions.formats import FORMS
from laconic.shell.words import quoted
from laconic.types import Outcome

# -- case by case ----------------------------------------------------------------------------------

CANNED = {
    "rewritten": lambda new: Response(Outcome.LEFT, "", new),
    "allowed": lambda new: Response(Outcome.ALLOWED, REASON, new),
    "allowed_only": lambda _: Response(Outcome.ALLOWED, REASON),
    "denied": lambda new: Response(Outcome.DENIED, REASON, new),
    "asked": lambda new: Response(Outcome.ASKED, REASON, new),
    "unchanged": lambda _: Response(),
}


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_each_answer_is_in_the_words_of_the_agent(path, place, monkeypatch):
    command = "pytest -q 'a b'"
    stdin, expected = read_case(path, place, command)
    for kind, make in CANNED.items():
        if kind not in expected:
            continue

        shown = json.dumps(expected[kind], ensure_ascii=False)
        what = "…" if "allow … --for" in shown else quoted(command)
        way_out = f"laconic allow {what} --for 30m" if "can allow it" in shown else ""

        def canned(call, *_, make=make, way_out=way_out):
            new = [REWRITTEN + c if c == command else c for c in call.commands]
            response = make(tuple(new))
            response.way_out = way_out
            return response

        monkeypatch.setattr(respond, "respond", canned)
        given = place.answer(path.parent.name, stdin)
        assert (said(given), given.fault) == (expected[kind], ""), kind


@pytest.mark.parametrize(
    "path", [p for p in PATHS if "replaced" in json.loads(p.read_text())], ids=named
)
def test_each_output_is_replaced_in_the_words_of_the_agent(path, place, monkeypatch):
    stdin, expected = read_case(path, place, "pytest")
    monkeypatch.setattr(
        output, "replacement", lambda *_: Response(output={"out": "short\n", "err": ""})
    )
    assert said(place.answer(path.parent.name, stdin)) == expected["replaced"]


def reasons_hidden(value):
    if isinstance(value, dict):
        return {key: reasons_hidden(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [reasons_hidden(inner) for inner in value]
    return re.sub("laconic(:| asks:| blocked).*", "…", value) if isinstance(value, str) else value


@pytest.mark.parametrize(
    "path", [p for p in PATHS if "denied" in json.loads(p.read_text())], ids=named
)
@pytest.mark.parametrize(
    ("kind", "command", "config"),
    [
        ("allowed", "git show", ""),
        ("rewritten", "git show", '[settings]\ngate = "off"\n'),
        ("rewritten", "git show", '[settings]\ngate = "advise"\n'),
        ("denied", "rm -rf /", ""),
        ("asked", "kill 1", ""),
        ("unchanged", "frobnicate --all", ""),
    ],
)
def test_real_commands_get_these_answers(path, kind, command, config, place):
    place.configure(config)
    if kind == "asked":
        place.configure("[skip]\nexclude = ['git log']\n" + config)  # nothing to rewrite in it
    stdin, expected = read_case(path, place, command)
    if path.parent.name == "codebuddy" and kind == "allowed":
        new = f"laconic wrap -- /bin/bash -lc '{command}'"
        expected = filled(expected, {REWRITTEN + command: new})
    if kind == "unchanged" and not load(path.parent.name).has_flow:
        kind = "asked"  # nobody else would ask about a command that laconic does not know
    wanted = expected[kind]
    if kind == "asked" and isinstance(wanted, dict):
        wanted = without_rewrite(wanted)
    given = place.answer(path.parent.name, stdin)
    assert reasons_hidden(said(given)) == reasons_hidden(wanted)
    assert given.fault == ""


def without_rewrite(value):
    keys = ("updatedInput", "modifiedArgs", "input", "updated_input")
    return {
        key: without_rewrite(inner) if isinstance(inner, dict) else inner
        for key, inner in value.items()
        if key not in keys
    }


# -- the reference, where it is there --------------------------------------------------------------

KINDS = {
    "stdout_when_rewritten": CANNED["rewritten"],
    "stdout_when_rewritten_and_allowed": CANNED["allowed"],
    "stdout_when_allowed": CANNED["allowed"],
    "stdout_when_denied": CANNED["denied"],
    "stdout_when_asked": CANNED["asked"],
    "stdout_when_no_change": CANNED["unchanged"],
}
# A rewrite that may not be said alone: it grants, so only an allowed command gets it.
GRANTED = {"codebuddy", "qwen"}
DIFFERENT = {
    ("gemini-cli", "AfterTool", "stdout_when_rewritten"): "it would be shown as an error",
    ("cline-cli", "PreToolUse", "stdout_when_denied"): "`cancel` ends the run of the real binary",
    ("cline-cli", "PreToolUse", "stdout_when_asked"): "nothing in Cline reads `review`",
}


def pytest_generate_tests(metafunc):
    """Rows of hook traffic that others have written down: pytest --hook-traffic FILE."""
    if "row" in metafunc.fixturenames:
        given = metafunc.config.getoption("--hook-traffic")
        lines = Path(given).read_text().splitlines() if given else []
        rows = [json.loads(line) for line in lines]
        metafunc.parametrize("row", rows, ids=lambda row: f"{row['agent']}-{row['event']}")


def test_the_answers_are_those_of_the_reference(row, place, monkeypatch):
    name = "claude-code" if "running-claude-file" in row["agent"] else row["agent"]
    agent = load(name).name
    event = next((e for e in load(name).events if e.name == row["event"]), None)
    is_after = event is not None and event.kind == AFTER
    for key, make in KINDS.items():
        expected = row.get(key)
        if expected is None or (row["agent"], row["event"], key) in DIFFERENT:
            continue
        if is_after and key not in ("stdout_when_rewritten", "stdout_when_no_change"):
            continue
        is_granted = agent in GRANTED or (event is not None and event.kind == "permission")
        if key == "stdout_when_rewritten" and is_granted:
            make = CANNED["allowed"]  # noqa: PLW2901 - the same case with the answer it needs

        monkeypatch.setattr(respond, "respond", lambda call, *_, m=make: m(rewritten_all(call)))
        shown = {"out": "compact\n", "err": ""} if key == "stdout_when_rewritten" else None
        monkeypatch.setattr(output, "replacement", lambda *_, s=shown: Response(output=s))
        given = place.answer(agent, row["stdin"])
        verdict = {"stdout_when_denied": "denied", "stdout_when_asked": "asked"}.get(key, "")
        assert given.status == row.get("exit", {}).get(verdict, 0)
        document = json.loads(given.stdout) if given.stdout else ""
        assert alike(document, expected), (key, document)


def rewritten_all(call):
    return tuple(REWRITTEN + command for command in call.commands)


FREE_TEXT = {
    "reason", "message", "permissionDecisionReason", "errorMessage", "user_message",
    "agent_message", "throw", "text", "stdout", "textResultForLlm", "output",
}  # fmt: skip
# What may be left out or added: defaults, what our own plugin or the user may be told.
OPTIONAL = {"interrupt", "permissionDecisionReason", "input", "systemMessage"}


def alike(ours, theirs):
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return ours == theirs
    differing = set(ours) ^ set(theirs)
    return differing <= OPTIONAL and all(
        alike(ours[key], theirs[key])
        if key not in FREE_TEXT or not isinstance(ours[key], str)
        else bool(ours[key])
        for key in set(ours) & set(theirs)
    )


# -- what the data say -----------------------------------------------------------------------------

KEYS = {
    "title", "dialect", "silence", "neutral", "rewrite_with", "wraps", "login_shell",
    "rules_see_rewrites", "runs_unasked", "shows_typed", "passes_ours", "timeout", "tools",
    "tools_without", "events", "fields", "foreign", "answer", "modes", "open_without",
    "permissions", "project_variable", "sandbox", "unattended", "install", "shells", "users_shells",
    "files",
}  # fmt: skip


@pytest.mark.parametrize("name", hooked())
def test_what_is_known_of_an_agent_is_complete(name):
    agent = load(name)
    assert set(agent.document) <= KEYS
    assert agent.document["silence"] in ("asks", "runs")
    assert set(agent.document["timeout"]) == {"unit", "default", "wanted"}
    assert set(agent.fields) <= {
        "event",
        "tool",
        "input",
        "command",
        "cwd",
        "directory",
        "mode",
        "output",
        "is_list",
        "mcp_tool",
    }
    assert set(agent.files) <= {"mcp", "reads", "writes", "changes"}
    assert {"event", "tool", "input", "command", "cwd"} <= set(agent.fields)
    assert set(agent.unattended) <= {"options", "attended_options", "variables", "modes"}
    assert set(agent.modes.values()) <= {"edits", "plan", "open"}
    assert bool(agent.modes) <= ("mode" in agent.fields)
    for row in agent.permissions:
        assert {"form", "user"} <= set(row) <= {"form", "user", "names", "project"}
        assert row["form"] in FORMS
    assert 1 < agent.limit_s < 30
    for event in agent.events:
        assert event.kind in (BEFORE, "permission", AFTER, "session")
        assert event.can <= {"allow", "ask", "deny", "rewrite", "replace", "no-tool"}
        assert event.kind in (AFTER, "session") or "deny" in event.can
    assert dialect_of(agent).write
    assert any(p.parent.name == name for p in PATHS), "it has no case"


def test_every_agent_with_a_dialect_is_listed():
    with_hooks = {p.stem for p in Path(DATA).glob("*.toml") if 'dialect = "' in p.read_text()}
    assert with_hooks == set(hooked())
    assert set(ALIASES.values()) <= set(hooked())
    assert not set(ALIASES) & set(hooked())


@pytest.mark.parametrize(
    "name", ["", "zed", "nobody", "Codex", "codex.toml", "../data/codex", "codex\0", "x" * 5000]
)
def test_what_has_no_data_file_with_a_dialect_is_not_an_agent_with_hooks(name):
    with pytest.raises(KeyError):
        load(name)


def test_no_two_agents_share_an_alias():
    names = [*hooked(), *ALIASES]
    assert len(names) == len(set(names))
