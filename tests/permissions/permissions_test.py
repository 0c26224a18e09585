"""The user's rules in agents' settings: cases, the files they come from, and broken files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decide_cases import under_headers
from laconic.knowledge.catalog import library
from laconic.permissions.formats import (
    read_claude,
    read_codex,
    read_cursor,
    read_droid,
    read_gemini,
    read_opencode,
    read_policy,
    read_qwen,
    read_vibe,
    read_vscode,
)
from laconic.permissions.read import read_permissions
from laconic.policy.permissions import Permission
from laconic.policy.rule_patterns import globs_of
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import Verdict

CASES = Path(__file__).parents[1] / "cases" / "permissions"


def claude_document(rules):
    return {"permissions": {v: [r for w, r in rules if w == v] for v in ("allow", "ask", "deny")}}


def gemini_document(rules):
    keys = {"allow": "allowed", "ask": "confirmationRequired", "deny": "exclude"}
    return {"tools": {keys[v]: [r for w, r in rules if w == v] for v in keys}}


def droid_document(rules):
    keys = {"allow": "commandAllowlist", "ask": "commandDenylist", "deny": "commandBlocklist"}
    return {keys[v]: [r for w, r in rules if w == v] for v in keys}


def vibe_document(rules):
    keys = {"allow": "allowlist", "deny": "denylist"}
    lists = (f"{keys[v]} = {[r for w, r in rules if w == v]!r}\n" for v in keys)
    return ("[tools.bash]\n" + "".join(lists)).encode()


def opencode_document(rules):
    return {"permission": {"bash": {rule: verdict for verdict, rule in rules}}}


def vscode_document(rules):
    words = {"allow": True, "ask": False}
    return {"chat.tools.terminal.autoApprove": {rule: words[verdict] for verdict, rule in rules}}


def policy_document(rules):
    """`deny 10 git push` is a prefix with a priority, `deny 10 /^git/` an expression."""
    words = {"allow": "allow", "ask": "ask_user", "deny": "deny"}
    text = ""
    for verdict, rule in rules:
        priority, _, what = rule.partition(" ")
        is_expression = what.startswith("/")
        key = "commandRegex" if is_expression else "commandPrefix"
        what = what.strip("/") if is_expression else what
        text += f'[[rule]]\ntoolName = "run_shell_command"\n{key} = {json.dumps(what)}\n'
        text += f'decision = "{words[verdict]}"\npriority = {priority}\n'
    return text.encode()


def codex_document(rules):
    """`allow git push` is a prefix."""
    words = {"allow": "allow", "ask": "prompt", "deny": "forbidden"}
    made = (f'prefix_rule(pattern={r.split()!r}, decision="{words[v]}")\n' for v, r in rules)
    return "".join(made).encode()


AGENTS = {
    "claude-code": (claude_document, read_claude),
    "codebuddy": (claude_document, read_claude),
    "qwen": (claude_document, read_qwen),
    "opencode": (opencode_document, read_opencode),
    "vscode": (vscode_document, read_vscode),
    "gemini-policy": (policy_document, read_policy),
    "cursor": (claude_document, read_cursor),
    "gemini": (gemini_document, read_gemini),
    "droid": (droid_document, read_droid),
    "vibe": (vibe_document, read_vibe),
    "codex": (codex_document, read_codex),
}


def permissions(header):
    """The rules of a `==` line: `[agent:] verdict rule ;; verdict rule`."""
    name, _, rest = header.partition(": ")
    agent, text = (name, rest) if name in AGENTS else ("claude-code", header)
    document, reader = AGENTS[agent]
    rules = [tuple(rule.split(" ", 1)) for rule in text.split(" ;; ")]
    made = document(rules)
    data = made if isinstance(made, bytes) else json.dumps(made).encode()
    return tuple(
        Permission(
            r.verdict,
            r.pattern,
            rest=r.rest,
            written=r.text,
            source="x",
            agent=agent,
            unless=r.unless,
        )
        for r in reader(data)
    )


def cases():
    for name, header, line in under_headers(CASES):
        verdict, command = line.replace("\\n", "\n").split(None, 1)
        yield pytest.param(header, verdict, command, id=name)


def verdict_of(command, found):
    rules = Rules()
    rules.permissions = found
    return decide(command, library(), rules, Facts())


@pytest.mark.parametrize(("header", "verdict", "command"), list(cases()))
def test_verdict_under_rules(header, verdict, command):
    decision = verdict_of(command, permissions(header))
    assert decision.verdict == verdict, list(decision.leaves())


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
    return {(p.verdict, p.pattern) for p in found}


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


@pytest.mark.parametrize(
    ("agent", "user", "project", "document"),
    [
        ("codebuddy", ".codebuddy/settings.json", ".codebuddy/settings.local.json", "Bash"),
        ("qoder", ".qoder/settings.json", ".qoder/settings.json", "Bash"),
        ("qwen", ".qwen/settings.json", ".qwen/settings.json", "Shell"),
        ("opencode", ".config/opencode/opencode.jsonc", "opencode.json", ""),
        ("kilo", ".config/kilo/kilo.json", ".kilo/kilo.json", ""),
        ("vscode", ".config/Code/User/settings.json", ".vscode/settings.json", "false"),
        ("gemini", ".gemini/policies/mine.toml", ".gemini/policies/theirs.toml", "policy"),
    ],
)
def test_the_files_of_more_agents_are_found(home, tmp_path, agent, user, project, document):
    verdict = "ask" if document == "false" else "deny"
    for path, rule in ((home / user, "a"), (tmp_path / project, "b")):
        if document == "policy":
            write(path, policy_document([(verdict, f"1 {rule}")]).decode())
        elif document == "false":
            write(path, vscode_document([(verdict, rule)]))
        elif document:
            write(path, claude_document([(verdict, f"{document}({rule})"), ("allow", "Bash(c)")]))
        else:
            write(path, opencode_document([(verdict, rule)]))
    found = patterns(read(home, tmp_path, agent)[0]) - {("allow", "c")}
    assert found == {(verdict, "a"), (verdict, "b")}


def test_a_variable_moves_the_files(home, tmp_path):
    document = opencode_document([("deny", "a")])
    path = write(home / "elsewhere.json", document)
    assert patterns(read(home, tmp_path, "opencode", OPENCODE_CONFIG=str(path))[0]) == {
        ("deny", "a")
    }
    write(home / "there/settings.json", claude_document([("deny", "Bash(b)")]))
    for agent, variable in (("qwen", "QWEN_HOME"), ("qoder", "QODER_CONFIG_DIR")):
        found = read(home, tmp_path, agent, **{variable: str(home / "there")})[0]
        assert patterns(found) == {("deny", "b")}


@pytest.mark.parametrize(
    "document",
    [
        {"permission": "ask"},
        {"permission": {"bash": "ask"}},
        {"permission": {"bash": {"*": "ask"}}},
        {"permission": {"bash": {"a": 1, "b": None, "c": "maybe"}}},
        {"permission": {"edit": {"a": "deny"}}},
        {"permission": ["bash"]},
    ],
)
def test_what_opencode_asks_about_every_command_is_left_to_it(document):
    assert list(read_opencode(json.dumps(document).encode())) == []


def test_so_many_rules_that_each_may_override_another_are_not_read(home, tmp_path):
    path = home / ".config/opencode/opencode.json"
    write(path, opencode_document([("deny", f"x{n}") for n in range(200)]))
    assert len(read(home, tmp_path, "opencode")[0]) == 200
    write(path, opencode_document([("deny", f"x{n}") for n in range(201)]))
    found, problems = read(home, tmp_path, "opencode")
    assert len(found) == 200
    assert "it has more than 200 rules" in problems[0].line


def test_a_rule_that_is_too_much_for_us_is_said_and_not_guessed(home, tmp_path):
    path = home / ".config/Code/User/settings.json"
    write(path, vscode_document([("ask", "/^[a-z]+x/"), ("ask", "rm"), ("allow", "/^(?!x)y/")]))
    found, problems = read(home, tmp_path, "vscode")
    assert patterns(found) == {("ask", "rm")}
    (problem,) = problems
    assert "the rule /^[a-z]+x/: false is too much for laconic" in problem.line


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"^git (push|pull)\b", ["git push*", "git pull*"]),
        ("rm", ["*rm*"]),
        (r"^npm\s+(?:run )?publish$", ["npm publish", "npm run publish"]),
        (r"^git (status|show\b.*)$", ["git status", "git show*"]),
        (r"^a\s*b|^c$", ["ab*", "a b*", "c"]),
        (r"^x\.sh\b.+--force", ["x.sh*--force*"]),
        *((e, None) for e in (
            "^[a-z]+", "a{2}", "(a|b)+c", "a+", "a*", ".*", "(", ")", "x\\", r"\w", r"(a)\1",
            "^a(?=b)", "^(^a)", "a$b", r"\*", "(a|b)" * 20, "(" * 300 + ")" * 300,
        )),
    ],
)  # fmt: skip
def test_expressions_are_read_as_patterns_or_not_at_all(expression, expected):
    assert globs_of(expression) == expected


@given(
    st.recursive(
        st.sampled_from(["a", "b", " ", r"\s+", ".", ".*", r"\b", r"\.", "-"]),
        lambda inner: (
            st.lists(inner, min_size=1, max_size=3).map("".join)
            | st.lists(inner, min_size=1, max_size=3).map(lambda i: f"({'|'.join(i)})")
            | inner.map(lambda i: f"({i})?")
        ),
        max_leaves=6,
    ),
    st.text("ab. -", max_size=8),
    st.sampled_from(["", "^"]),
    st.sampled_from(["", "$"]),
)
def test_a_pattern_fits_whatever_its_expression_fits(expression, text, start, end):
    """Blanks count as one, and none count at the ends, on both sides."""
    text = " ".join(text.split())
    globs = globs_of(f"{start}{expression}{end}")
    if globs is not None and re.search(f"{start}(?:{expression}){end}", text):
        rules = [
            Permission(Verdict.ASK, g, rest=False, written="", source="", agent="") for g in globs
        ]
        assert any(rule.fits(text) for rule in rules)


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


def test_a_star_in_the_name_of_a_directory_is_no_pattern(tmp_path):
    place = tmp_path / "a*b"
    (place / ".claude").mkdir(parents=True)
    rules = '{"permissions": {"deny": ["Bash(git push:*)"]}}'
    (place / ".claude/settings.json").write_text(rules)
    (place / ".claude/other-settings.json").write_text('{"permissions": {"deny": ["Bash(ls)"]}}')
    found, problems = read_permissions("claude-code", str(place), str(place), {"HOME": "/x"}, "/x")
    assert [permission.written for permission in found] == ["Bash(git push:*)"]
    assert problems == ()
