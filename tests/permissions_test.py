"""The user's rules in agents' settings: cases, the files they come from, and broken files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from laconic.agent_rules import read_permissions
from laconic.catalog import library
from laconic.policy.decide import decide
from laconic.policy.permissions import Permission
from laconic.policy.places import Facts
from laconic.policy.rules import Rules
from laconic.rule_files import read_claude, read_codex, read_cursor, read_droid, read_gemini
from laconic.types import Verdict

CASES = Path(__file__).parent / "cases" / "permissions"


def claude_document(rules):
    return {"permissions": {v: [r for w, r in rules if w == v] for v in ("allow", "ask", "deny")}}


def gemini_document(rules):
    keys = {"allow": "allowed", "ask": "confirmationRequired", "deny": "exclude"}
    return {"tools": {keys[v]: [r for w, r in rules if w == v] for v in keys}}


def droid_document(rules):
    keys = {"allow": "commandAllowlist", "ask": "commandDenylist", "deny": "commandBlocklist"}
    return {keys[v]: [r for w, r in rules if w == v] for v in keys}


AGENTS = {
    "claude-code": (claude_document, read_claude),
    "cursor": (claude_document, read_cursor),
    "gemini": (gemini_document, read_gemini),
    "droid": (droid_document, read_droid),
}


def permissions(header):
    """The rules of a `==` line: `[agent:] verdict rule ;; verdict rule`."""
    name, _, rest = header.partition(": ")
    agent, text = (name, rest) if name in AGENTS else ("claude-code", header)
    document, reader = AGENTS[agent]
    rules = [tuple(rule.split(" ", 1)) for rule in text.split(" ;; ")]
    return tuple(
        Permission(r.verdict, r.pattern, rest=r.rest, written=r.text, source="x", agent=agent)
        for r in reader(json.dumps(document(rules)).encode())
    )


def cases():
    for path in sorted(CASES.glob("*.cases")):
        header = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("== "):
                header = line[3:]
            elif line and not line.startswith("#"):
                verdict, command = line.split(None, 1)
                yield pytest.param(header, verdict, command, id=f"{path.stem}:{number}")


def verdict_of(command, found):
    rules = Rules()
    rules.permissions = found
    return decide(command, library(), rules, Facts())


@pytest.mark.parametrize(("header", "verdict", "command"), list(cases()))
def test_verdict_under_rules(header, verdict, command):
    decision = verdict_of(command, permissions(header))
    assert decision.verdict.word == verdict, list(decision.leaves())


def test_the_decision_names_the_rule_and_its_file():
    decision = verdict_of("git log", permissions("deny Bash(git log:*)"))
    assert decision.rule == "permissions/claude-code/deny"
    assert "Bash(git log:*)" in decision.reason
    assert "(x)" in decision.reason


def test_a_pattern_with_many_stars_costs_no_time():
    found = permissions("deny Bash(" + "a*" * 40 + "b)")
    assert verdict_of("echo " + "a" * 5000, found).verdict is Verdict.ALLOW


# -- files -----------------------------------------------------------------------------------------


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def read(home, project, agent="claude-code", **environ):
    return read_permissions(
        agent, str(project), str(project), {"HOME": str(home), **environ}, home / "state"
    )


def patterns(found):
    return {(p.verdict.word, p.pattern) for p in found}


def test_rules_of_user_project_and_local_files_count(home, tmp_path):
    write(
        home / ".claude/settings.json", claude_document([("deny", "Bash(a)"), ("allow", "Bash(u)")])
    )
    write(tmp_path / ".claude/settings.json", claude_document([("ask", "Bash(b)")]))
    write(tmp_path / ".claude/settings.local.json", claude_document([("deny", "Bash(c)")]))
    found, problems = read(home, tmp_path)
    assert problems == ()
    assert patterns(found) == {("deny", "a"), ("allow", "u"), ("ask", "b"), ("deny", "c")}


def test_a_project_cannot_allow(home, tmp_path):
    write(tmp_path / ".claude/settings.json", claude_document([("allow", "Bash(zz)")]))
    write(tmp_path / ".claude/settings.local.json", claude_document([("allow", "Bash(zz)")]))
    assert read(home, tmp_path) == ((), ())


def test_a_subdirectory_sees_the_rules_of_the_directories_above_it(home, tmp_path):
    write(tmp_path / ".claude/settings.json", claude_document([("deny", "Bash(b)")]))
    inner = tmp_path / "src/deep"
    inner.mkdir(parents=True)
    environ = {"HOME": str(home)}
    found, _ = read_permissions("claude-code", str(inner), str(tmp_path), environ, home / "state")
    assert patterns(found) == {("deny", "b")}


def test_the_configuration_directory_can_be_elsewhere(home, tmp_path):
    write(home / "elsewhere/settings.json", claude_document([("deny", "Bash(a)")]))
    found, _ = read(home, tmp_path, CLAUDE_CONFIG_DIR=str(home / "elsewhere"))
    assert patterns(found) == {("deny", "a")}


def test_another_agents_rules_do_not_count(home, tmp_path):
    write(home / ".claude/settings.json", claude_document([("deny", "Bash(a)")]))
    assert read(home, tmp_path, "gemini") == ((), ())
    assert read(home, tmp_path, "an agent without rules") == ((), ())


def test_every_agents_files_are_found(home, tmp_path):
    write(home / ".cursor/cli-config.json", claude_document([("deny", "Shell(a)")]))
    write(tmp_path / ".cursor/cli.json", claude_document([("deny", "Shell(b)")]))
    write(home / ".gemini/settings.json", gemini_document([("deny", "run_shell_command(a)")]))
    write(home / ".factory/settings.json", droid_document([("deny", "a")]))
    rule = 'prefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")\n'
    write(home / ".codex/rules/mine.rules", "# mine\n" + rule)
    assert patterns(read(home, tmp_path, "cursor")[0]) == {("deny", "a"), ("deny", "b")}
    assert patterns(read(home, tmp_path, "gemini")[0]) == {("deny", "a")}
    assert patterns(read(home, tmp_path, "droid")[0]) == {("deny", "a")}
    assert patterns(read(home, tmp_path, "codex")[0]) == {("ask", "git push"), ("ask", "git pull")}


def test_a_file_may_have_comments_and_trailing_commas(home, tmp_path):
    text = '// mine\n{"permissions": {"deny": ["Bash(a // b)", /* x */ "Bash(c)",],},}\n'
    write(home / ".claude/settings.json", text)
    assert patterns(read(home, tmp_path)[0]) == {("deny", "a // b"), ("deny", "c")}


@pytest.mark.parametrize(
    "broken",
    ["{", "[]", '{"a": 1', "\udcff", "{" * 100000, '{"permissions": {"deny": ["Bash(a)"}}'],
)
def test_a_broken_file_keeps_its_last_good_rules_and_says_so(home, tmp_path, broken):
    path = write(home / ".claude/settings.json", claude_document([("deny", "Bash(a)")]))
    good, _ = read(home, tmp_path)
    path.write_bytes(broken.encode("utf-8", "surrogateescape"))
    found, problems = read(home, tmp_path)
    assert patterns(found) == patterns(good) == {("deny", "a")}
    assert len(problems) == 2
    assert str(path) in problems[0].line
    assert problems[1].line == f"{path}: its last good rules are in force"


def test_a_file_that_was_never_good_has_no_rules_and_says_so(home, tmp_path):
    path = write(home / ".claude/settings.json", "{")
    found, problems = read(home, tmp_path)
    assert found == ()
    assert problems[1].line == f"{path}: its rules are not in force"


def test_a_file_without_rules_forgets_the_old_ones(home, tmp_path):
    path = write(home / ".claude/settings.json", claude_document([("deny", "Bash(a)")]))
    read(home, tmp_path)
    path.write_text("{}")
    assert read(home, tmp_path) == ((), ())
    path.write_text("{")
    assert read(home, tmp_path)[0] == ()


def test_the_copy_holds_the_rules_and_nothing_else(home, tmp_path):
    document = {**claude_document([("deny", "Bash(a)")]), "env": {"KEY": "secret"}}
    write(home / ".claude/settings.json", document)
    read(home, tmp_path)
    (copy,) = (home / "state/last-good").iterdir()
    assert "Bash(a)" in copy.read_text()
    assert "secret" not in copy.read_text()
    assert copy.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "document",
    [
        {"permissions": []},
        {"permissions": {"deny": "Bash(a)"}},
        {"permissions": {"deny": [1, None, {}, "", "Bash(", "Bash()x", "Edit(a)"]}},
        {"permissions": {"deny": {"Bash(a)": 1}}},
    ],
)
def test_what_is_no_rule_is_passed_over(document):
    assert list(read_claude(json.dumps(document).encode())) == []


def test_a_codex_rule_that_is_not_understood_is_an_error():
    with pytest.raises(ValueError, match="line 1"):
        list(read_codex(b'prefix_rule(pattern=["a"], decision="maybe")'))
    with pytest.raises(ValueError, match="line 1"):
        list(read_codex(b"prefix_rule(pattern=[])"))
    assert [r.pattern for r in read_codex(b'x = 1\nother(1)\nprefix_rule(pattern=["a", "b"])')] == [
        "a b"
    ]
