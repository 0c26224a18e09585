"""check, explain, allow, log and rules, as a person or a script runs them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from laconic.report.explain import underlined
from laconic.report.text import columns, visible

pytestmark = pytest.mark.usefixtures("project")


# -- check -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status", "word"),
    [
        ("git status", 0, "allow"),
        ("git push", 10, "ask"),
        ("rm -rf /", 20, "deny"),
        ("zz", 10, "ask"),
    ],
)
def test_the_exit_status_of_check_is_the_verdict(command, status, word, laconic):
    found, out, err = laconic("check", command)
    assert (found, err) == (status, "")
    assert out.startswith(f"{word}  ")


def test_the_real_program_gives_the_same_status():
    for command, status in (("git status", 0), ("git push", 10), ("rm -rf /", 20)):
        done = subprocess.run(
            [sys.executable, "-m", "laconic", "check", command], capture_output=True, check=False
        )
        assert done.returncode == status


def test_check_says_when_it_has_no_opinion(laconic):
    message = "ask  zz is not a command that laconic knows\neffects: unknown\n"
    assert laconic("check", "zz") == (10, message, "")


def test_check_reads_stdin(laconic):
    assert laconic("check", "-", stdin=b"git status\n")[0] == 0
    assert laconic("check", "-", stdin=b"git status\nrm -rf /\n")[0] == 20
    assert laconic("check", "-", stdin=b"echo '\xff")[0] == 10
    assert laconic("check", "-", stdin=b"a\0b")[0] == 10


def test_check_prints_json(laconic):
    status, out, _ = laconic("check", "--json", "git status; zz")
    found = json.loads(out)
    assert (status, found["version"], found["verdict"], found["answer"]) == (10, 1, "ask", None)
    assert [part["verdict"] for part in found["parts"]] == ["allow", "ask"]
    assert found["parts"][1] | {"reason": ""} == {
        "verdict": "ask", "effects": ["unknown"], "text": "zz", "rule": "unknown-command",
        "reason": "", "start": 12, "end": 14, "risk": False, "firm": False,
    }  # fmt: skip


def test_check_looks_from_another_directory(project, laconic):
    (project / "x").mkdir()
    assert laconic("check", "--profile=relaxed", "--cwd", "x", "touch ../y")[0] == 0
    assert laconic("check", "--profile=relaxed", "--cwd", "/etc", "touch y")[0] == 10
    status, _, err = laconic("check", "--cwd", "nothing", "ls")
    assert (status, err) == (1, "laconic: nothing: is not a directory\n")


def test_check_decides_by_a_profile(laconic):
    assert laconic("check", "curl https://example.com")[0] == 0
    assert laconic("check", "--profile", "strict", "curl https://example.com")[0] == 10
    assert laconic("check", "--profile", "odd", "ls")[0] == 2


def test_check_escalates_deny(laconic):
    status, out, _ = laconic("check", "--escalate-deny", "rm -rf /")
    assert status == 10
    assert "(escalated from deny)\neffects: destroys\n" in out


def test_check_takes_one_text(laconic):
    status, _, err = laconic("check", "git", "status")
    assert status == 2
    assert "laconic check 'git status'" in err


def test_check_tells_of_broken_files_and_decides_all_the_same(home, laconic):
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text("{")
    status, out, err = laconic("check", "git status")
    assert (status, out[:5]) == (0, "allow")
    assert f"{path}: its rules are not in force" in err


def test_nothing_in_a_command_can_command_the_terminal(laconic):
    for name in ("check", "explain"):
        _, out, err = laconic(name, "zz\x1b[31m\u202e\u200b; './\x07x'")
        assert not set(out + err) & set("\x1b\u202e\u200b\x07")


# -- explain ---------------------------------------------------------------------------------------


def test_explain_shows_the_tree_with_the_text_underlined(laconic):
    status, out, _ = laconic("explain", "git status && git push")
    assert status == 0
    lines = out.splitlines()
    assert lines[0].startswith("ask  git/push: ")
    assert "  allow  git/status: " in out
    start = lines.index(next(line for line in lines if line.startswith("  ask    git/push: ")))
    assert lines[start + 1] == "    git status && git push"
    assert lines[start + 2] == "                  ^^^^^^^^"


def test_explain_prints_json(laconic):
    found = json.loads(laconic("explain", "--json", "git push")[1])
    assert (found["version"], found["verdict"], found["rule"]) == (1, "ask", "git/push")


def test_explain_uses_no_allowance_up(laconic):
    laconic("allow", "--once", "npm publish")
    assert laconic("explain", "npm publish")[1].startswith("allow  allowance/")
    assert laconic("check", "npm publish")[0] == 0
    assert laconic("check", "npm publish")[0] == 10


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a\x1b[0m", "a\\x1b[0m"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u200b\u202e\u00a0\u2028\ufeff", "\\u200b\\u202e\\xa0\\u2028\\ufeff"),
        ("e\u0301", "e\\u0301"),
        ("\u3164\u2800", "\\u3164\\u2800"),
        ("\udcff", "\\udcff"),
    ],
)
def test_text_is_made_visible(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["漢字 x", "é x", "\x1b\x1b x", "\u200b x"])
def test_the_carets_stand_under_the_text(text):
    source = text.encode()
    line, carets = underlined(source, len(source) - 1, len(source))
    assert columns(line[: line.index(" x", 2) + 1]) == carets.index("^")


def test_a_long_command_is_cut_around_the_part():
    source = b"a" * 5000 + b" rm x " + b"b" * 5000
    line, carets = underlined(source, 5001, 5005)
    assert line[carets.index("^") : carets.rindex("^") + 1] == "rm x"
    assert len(line) < 120


# -- allow -----------------------------------------------------------------------------------------


def test_allow_list_and_remove(project, laconic):
    status, out, _ = laconic("allow", "npm publish", "--for", "30m")
    name = out.split()[0]
    assert status == 0
    assert re.fullmatch(r"[0-9a-f]{8}", name)
    assert laconic("allow", "--list")[1] == out
    assert str(project) in out
    assert laconic("explain", "npm publish")[1].startswith(f"allow  allowance/{name}: ")
    assert laconic("check", "npm publish && rm x")[0] == 10
    assert laconic("allow", "--remove", name)[0] == 0
    assert laconic("check", "npm publish")[0] == 10
    message = f"laconic: there is no allowance {name}\nhint: laconic allow --list\n"
    assert laconic("allow", "--remove", name) == (1, "", message)


def test_an_allowance_is_removed_by_its_command_in_its_project(project, laconic, monkeypatch):
    elsewhere = project.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".laconic").mkdir()
    laconic("allow", "npm publish", "--for", "30m")
    with monkeypatch.context() as there:
        there.chdir(elsewhere)
        assert laconic("allow", "--remove", "npm publish")[0] == 1
    assert laconic("allow", "--remove", "npm publish") == (0, "removed: npm publish\n", "")
    assert laconic("check", "npm publish")[0] == 10


def test_allow_until_a_day(laconic):
    assert laconic("allow", "npm publish", "--until", "2001-01-01")[0] == 2
    assert laconic("allow", "npm publish", "--until", "9999-01-01")[0] == 2
    assert laconic("allow", "npm publish", "--until", "tomorrow")[0] == 2
    assert laconic("allow", "npm publish", "--for", "soon")[0] == 2
    assert laconic("allow", "npm publish", "--for", "0s")[0] == 2


@pytest.mark.parametrize("command", ["rm -rf /", "echo x > ~/.bashrc", "echo 'a", "git status"])
def test_allow_refuses_what_has_no_effect(command, laconic):
    status, out, err = laconic("allow", command)
    assert (status, out) == (1, "")
    assert err.startswith("laconic: ")
    hint = "hint: laconic allow 'npm publish' --for 30m"
    said = f"laconic: you have allowed nothing by hand\n{hint}\n"
    assert laconic("allow", "--list") == (0, "", said)


def test_allow_without_a_command(laconic):
    assert laconic("allow")[0] == 2


# -- log -------------------------------------------------------------------------------------------


def test_log_shows_what_was_decided_without_secrets(laconic):
    laconic("check", "git status")
    laconic("check", "curl -u me:hunter2 https://h")
    status, out, _ = laconic("log", "--agent", "cli")
    first, second = out.splitlines()
    assert status == 0
    assert first.endswith("  allow  git status  (git/status; reads)")
    assert "hunter2" not in second
    rows = [json.loads(line) for line in laconic("log", "--agent", "cli", "--json")[1].splitlines()]
    assert [row["command"] for row in rows] == ["git status", "curl -u [hidden] https://h"]


def test_log_since(laconic):
    laconic("check", "git status")
    assert len(laconic("log", "--agent", "cli", "--since", "2h")[1].splitlines()) == 1
    assert laconic("log", "--agent", "cli", "--since", "2999-01-01")[1] == ""
    assert len(laconic("log", "--agent", "cli", "--since", "2001-01-01T10:00")[1].splitlines()) == 1
    assert laconic("log", "--agent", "cli", "--since", "whenever")[0] == 2


def test_explain_is_not_logged(laconic):
    laconic("explain", "git status")
    assert laconic("log", "--agent", "cli") == (0, "", "laconic: the log has no such check\n")


# -- rules -----------------------------------------------------------------------------------------


def test_rules_list_has_a_line_for_every_table(laconic):
    from laconic.knowledge.catalog import tables

    status, out, _ = laconic("rules", "list")
    assert status == 0
    assert len(out.splitlines()) == len(tables())


@pytest.mark.parametrize("name", ["git/push", "git push", "git/push/force"])
def test_rules_show_prints_what_is_known(name, laconic):
    status, out, _ = laconic("rules", "show", name)
    assert status == 0
    assert out.startswith("ask    git/push")
    assert "from      git.toml" in out
    assert "not allowed git push" in out


def test_rules_show_of_nothing(laconic):
    message = "laconic: there is no rule 'zz'\nhint: laconic rules list\n"
    assert laconic("rules", "show", "zz") == (1, "", message)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("git/psh", "git"), ("git/push/force", "git/push"), ("git/push", ""), ("git push", "")],
)
def test_rules_show_says_when_it_shows_another_rule(name, shown, laconic):
    notice = f"laconic: {name} has no table of its own; it belongs to {shown}\n" if shown else ""
    assert laconic("rules", "show", name)[::2] == (0, notice)


def test_rules_test_fails_for_a_broken_file(home, laconic):
    path = home / ".config/laconic/rules/x.toml"
    path.parent.mkdir(parents=True)
    path.write_text('["x y"]\nverdct = "ask"\n')
    status, _, err = laconic("rules", "test")
    assert (status, "x.toml" in err) == (1, True)


def test_rules_test_runs_the_examples(capsys):
    from laconic.cli import rules
    from laconic.knowledge.catalog import library

    good = ("x.toml", "ls", {"yes": ["ls"], "no": ["ls > x"]})
    bad = ("x.toml", "rm", {"yes": ["rm x"], "no": ["ls"]})
    assert rules._test([good], library()) == 0
    assert capsys.readouterr().out == "2 examples, 0 of them wrong\n"
    assert rules._test([good, bad], library()) == 1
    out = capsys.readouterr().out
    assert "x.toml: rm: in `yes`, but ask: rm x" in out
    assert "x.toml: rm: in `no`, but allow: ls" in out
    assert "4 examples, 2 of them wrong" in out


def test_rules_test_of_one_program(laconic):
    status, out, _ = laconic("rules", "test", "seq")
    assert (status, out.endswith(" examples, 0 of them wrong\n")) == (0, True)
    assert int(out.split()[0]) < 100
    message = "laconic: there is no rule for 'zz'\nhint: laconic rules list\n"
    assert laconic("rules", "test", "zz") == (1, "", message)


def test_rules_test_finds_mistakes_in_tables():
    from laconic.cli import rules

    table = {"operand": "V", "options": "-o=OUTPUT", "no": ["x"]}
    found = list(rules._mistakes([("x.toml", "frob", table)]))
    assert found[0] == 'x.toml: ["frob"]: key operand: unknown key; did you mean operands?'
    assert found[1].startswith('x.toml: ["frob"]: key options: OUTPUT is not known; known: CODE, ')
    assert found[2] == 'x.toml: ["frob"]: an example is missing; add yes = ["frob ..."]'


def test_a_broken_file_of_knowledge_is_named(tmp_path, monkeypatch):
    from laconic.errors import FileError
    from laconic.knowledge import catalog

    (tmp_path / "frob.toml").write_text("why = x")
    monkeypatch.setattr(catalog, "_DATA", str(tmp_path))
    with pytest.raises(FileError, match=r"frob\.toml is not valid TOML: .*line 1"):
        catalog.tables()
