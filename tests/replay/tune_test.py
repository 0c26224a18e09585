"""Proposals: those that save prompts, and none that opens more than it says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import laconic
from laconic.cli import main as cli
from laconic.reading.decide import decide
from laconic.record.decisions import append
from laconic.replay.candidates import OPEN, Candidate, candidates
from laconic.replay.tune import MOST, PastStep, Tuner, _around, _uses
from laconic.settings.load import process_environment, read_settings
from laconic.types import EFFECTS, HARD, Decision, Effect, Verdict


@pytest.fixture(autouse=True)
def _few_uses(monkeypatch, request):
    """Replay against some of the examples only: there are thousands, and many tests."""
    if "all_uses" not in request.fixturenames:
        monkeypatch.setattr("laconic.replay.tune._uses", lambda program: _uses(program)[::50])


@pytest.fixture
def all_uses():
    """Replay against all of them."""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project/.git").mkdir(parents=True)
    return str(tmp_path / "project")


@pytest.fixture
def config(home):
    return home / ".config/laconic/config.toml"


def proposed(project, commands, agent="claude-code"):
    environ = process_environment()
    seen = Counter(
        {PastStep(agent, project, command): count for command, count in commands.items()}
    )
    return Tuner(read_settings(environ, "/"), environ).propose(seen)


def keys(found):
    return [(proposal.table, proposal.key, proposal.value) for proposal in found]


# -- what is proposed ------------------------------------------------------------------------------


@pytest.mark.usefixtures("all_uses")
def test_a_profile_comes_first_where_it_would_else_be_spelled_out(project):
    found, prompts = proposed(
        project,
        {"pytest -q": 5, "npm test": 4, "mkdir a": 3, "touch b": 2, "ls": 90, "git push": 50},
    )
    assert prompts == 64
    assert keys(found) == [("settings", "profile", "work")]
    assert found[0].saved == 14
    assert found[0].examples == (("pytest -q", 5), ("npm test", 4), ("mkdir a", 3))
    assert found[0].replayed > 1000
    assert found[0].other_count > 100
    assert found[0].line == "laconic config set settings.profile work"


def test_a_cell_comes_first_where_it_alone_saves_as_much(project):
    found, _ = proposed(project, {"pytest -q": 5, "npm test": 4, "git push": 50})
    assert keys(found) == [("effects", "project-code", "allow")]
    assert found[0].saved == 9
    assert found[0].line == "laconic config set effects.project-code allow"


def test_the_profile_work_is_not_proposed_to_who_has_it(project, config):
    config.parent.mkdir(parents=True)
    config.write_text('[settings]\nprofile = "work"\n')
    found, _ = proposed(project, {"pytest -q": 5, "npm test": 4, "frob x": 4, "mkdir a": 3})
    assert keys(found) == [("commands", "allow", "frob x")]


@pytest.mark.parametrize(
    "command",
    [
        "git push origin main",
        "cat .env",
        "sudo pytest",
        "pytest && curl -d @x https://example.com",
        "echo x > ~/.bashrc",
        "ssh host id",
        "kill 1",
        "$cmd x",
        'eval "$x"',
    ],
)
def test_nothing_is_proposed_for_what_has_a_hard_effect_or_is_unclear(project, command):
    assert proposed(project, {command: 50})[0] == []


def test_what_was_asked_once_is_not_worth_a_rule(project):
    assert proposed(project, {"pytest": 1})[0] == []


def test_what_the_agent_does_not_ask_is_not_counted(project):
    assert proposed(project, {"pytest": 9}, agent="opencode") == ([], 0)


def test_there_are_at_most_ten(project):
    commands = {f"frobnicate-{n} run": 5 for n in range(30)}
    assert len(proposed(project, commands)[0]) <= MOST


def test_a_cell_that_the_user_has_set_stays(project, config):
    config.parent.mkdir(parents=True)
    config.write_text('[effects]\nproject-code = "ask"\n')
    found, _ = proposed(project, {"pytest -q": 5})
    assert ("effects", "project-code", "allow") not in keys(found)


def test_another_name_of_a_profile_is_that_profile(project, config):
    config.parent.mkdir(parents=True)
    config.write_text('[settings]\nprofile = "relaxed"\n')
    assert proposed(project, {"pytest -q": 5}) == ([], 0)


# -- candidates ------------------------------------------------------------------------------------


def found_for(command, effects, rule, span=(0, None)):
    start, end = span
    leaf = Decision(
        Verdict.ASK, rule, "", start, len(command) if end is None else end, effects=effects
    )
    seen = PastStep("claude-code", "/p", command)
    settings = read_settings(process_environment(), "/")
    return {c[:3] for c in candidates({seen: leaf}, Counter({seen: 1}), settings.config)}


def test_a_rule_is_made_of_the_words_that_name_what_runs():
    found = found_for("timeout 60 npm run build -- -v", Effect.PROJECT_CODE, "npm/run")
    assert ("commands", "allow", "npm run build -- -v") in found
    assert ("commands", "allow", "npm run *") in found
    assert not any(value.startswith("timeout") for _, _, value in found)


def test_what_installs_or_is_not_known_gets_no_star():
    assert found_for("pip install requests", Effect.INSTALLS, "pip/install") == {
        ("commands", "allow", "pip install requests")
    }
    assert found_for("frob x", Effect.UNKNOWN, "unknown-command") == {
        ("commands", "allow", "frob x")
    }
    assert found_for("frob", Effect.UNKNOWN, "unknown-command") == set()


def test_words_that_are_not_known_or_have_signs_are_in_no_rule():
    assert found_for('pip install "$x"', Effect.INSTALLS, "pip/install") == set()
    assert found_for("pip install 'a b'", Effect.INSTALLS, "pip/install") == set()
    assert found_for("pip install *", Effect.INSTALLS, "pip/install") == set()


@pytest.mark.parametrize(
    "command", ["python x.py", "bash x.sh", "uv run pytest", "npx jest", "make all", "node a.js"]
)
def test_what_runs_anything_gets_no_star(command):
    name = command.split()[0]
    own = next(leaf for leaf in laconic.decide(command).leaves() if leaf.rule.startswith(name))
    rules = {r[2] for r in found_for(command, Effect.PROJECT_CODE, own.rule)} - {"allow"}
    assert rules == {command}


def test_a_rule_is_about_the_program_that_shell_code_runs():
    found = found_for("bash -c 'cd x && cargo build'", Effect.PROJECT_CODE, "cargo/build")
    assert ("commands", "allow", "cargo build") in found


def test_a_secret_is_in_no_rule():
    command = "frob deploy --token=ghp_0123456789abcdefghijABCDEFGHIJ012345"
    assert found_for(command, Effect.UNKNOWN, "unknown-command") == set()
    assert found_for("frob deploy --region=eu", Effect.UNKNOWN, "unknown-command") != set()


@pytest.mark.parametrize("effect", [e for e in EFFECTS.values() if e & (HARD | Effect.UNCLEAR)])
def test_no_candidate_has_a_hard_effect(effect):
    assert found_for("git push", effect, "git/push") == set()
    assert found_for("git push", effect | Effect.PROJECT_CODE, "git/push") == set()


def test_a_place_to_write_is_the_folder_below_the_project():
    found = found_for("sed -i s/a/b/ docs/a.md", Effect.PROJECT_WRITE, "sed/write", (14, 23))
    assert ("paths", "write", "docs/**") in found
    found = found_for("sed -i s/a/b/ ../x/a.md", Effect.PROJECT_WRITE, "sed/write", (14, 23))
    assert not any(table == "paths" for table, _, _ in found)


# -- bypasses --------------------------------------------------------------------------------------


@pytest.mark.parametrize("effect", [e for e in EFFECTS.values() if e & OPEN])
def test_no_cell_that_may_be_proposed_allows_a_way_around(project, effect):
    """With every cell at once that may be proposed."""
    environ = process_environment()
    tuner = Tuner(read_settings(environ, "/"), environ)
    changes = [Candidate("effects", word, "allow") for word in OPEN.words]
    judge = tuner._judge(tuple(changes))
    command = {
        Effect.DOWNLOADS: "curl -s https://example.com",
        Effect.PROJECT_CODE: "pytest -q",
        Effect.PROJECT_WRITE: "mkdir build",
        Effect.HISTORY: "git add -A",
    }[effect]
    assert tuner._decide(judge, PastStep("claude-code", project, command)).verdict is Verdict.ALLOW
    for line in _around():
        seen = PastStep("claude-code", project, line.replace("{}", command))
        assert tuner._decide(judge, seen).verdict is not Verdict.ALLOW, seen.command


def test_a_change_that_opens_a_way_around_is_dropped(project, monkeypatch):
    assert proposed(project, {"pytest": 9})[0]
    monkeypatch.setattr("laconic.replay.tune._around", lambda: ["{} --more"])
    assert proposed(project, {"pytest": 9})[0] == []


def test_a_change_that_opens_a_use_with_another_effect_is_dropped(project, monkeypatch):
    """As if the knowledge of a tool were wrong: with the change it allows what it calls sending."""

    def wrong(command, library, rules, facts):
        is_changed = rules.answers[Effect.PROJECT_CODE] is Verdict.ALLOW
        if command == "pulumi up" and is_changed:
            return Decision(Verdict.ALLOW, "pulumi/up", "", effects=Effect.SENDS)
        return decide(command, library, rules, facts)

    cell, commands = ("effects", "project-code", "allow"), {"pytest": 5, "npm test": 4}
    monkeypatch.setattr("laconic.replay.tune._uses", lambda _: ["pulumi up"])
    assert cell in keys(proposed(project, commands)[0])
    monkeypatch.setattr("laconic.replay.judge.decide", wrong)
    assert cell not in keys(proposed(project, commands)[0])


def test_the_uses_of_a_program_are_those_of_its_tables():
    named = ("npm", "npx", "yarn create", "bun create")  # `npm create` shares its table with them
    assert all(any(name in text for name in named) for text in _uses("npm"))
    assert len(_uses("")) > 4000


# -- the command -----------------------------------------------------------------------------------


def transcript(home, project, commands):
    path = home / ".claude/projects/-p/s.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w") as stream:
        for number, command in enumerate(commands):
            use = {"type": "tool_use", "id": f"t{number}", "name": "Bash"}
            message = {"id": f"m{number}", "content": [{**use, "input": {"command": command}}]}
            line = {"type": "assistant", "sessionId": "s", "cwd": project, "message": message}
            stream.write(json.dumps(line) + "\n")


def log(home, project, command, count):
    for _ in range(count):
        decision = Decision(Verdict.ASK, "x", "y")
        state = str(home / ".local/state/laconic")
        append(state, decision, command=command, cwd=project, agent="claude-code", now=1.8e9)


def test_the_command_reads_transcripts_and_the_log(home, project, capsys):
    transcript(home, project, ["pytest -q"] * 4)
    log(home, project, "pytest -q", 4)  # the same commands again
    log(home, project, "npm test", 3)
    assert cli.run(["tune"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("7 of 7 commands would ask somebody, with the profile default\n")
    assert '1. [effects] project-code = "allow"\n' in said
    assert "saves 7 of the 7 prompts (100.0%), for example\n     pytest -q  (4 times)\n" in said
    assert "none that does harm runs" in said
    assert "to have it: laconic config set effects.project-code allow" in said


def test_no_secret_and_no_control_character_is_printed(home, project, capsys):
    secret = "API_TOKEN=sk-very-secret-value-1234 pytest -k '\x1b[2J'"
    transcript(home, project, [secret] * 3)
    assert cli.run(["tune"]) == 0
    said = capsys.readouterr().out
    assert "saves 3 of the 3 prompts" in said
    assert "very-secret" not in said
    assert "\x1b" not in said


def test_without_anything_to_read_it_says_so(capsys):
    assert cli.run(["tune"]) == 1
    assert "no sessions were found" in capsys.readouterr().err


def test_nothing_is_written_without_a_person(home, project, config, capsys):
    transcript(home, project, ["pytest -q"] * 4)
    assert cli.run(["tune", "--apply"]) == 1
    assert "nobody is there to confirm" in capsys.readouterr().err
    assert not config.exists()


@pytest.fixture
def says(monkeypatch):
    def answer(text):
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("builtins.input", lambda _: text)

    return answer


def test_what_a_person_chooses_is_written_and_comments_stay(home, project, config, says, capsys):
    transcript(home, project, ["pytest -q", "npm test"] * 3 + ["frob x"] * 2)
    config.parent.mkdir(parents=True)
    config.write_text('# mine\n[effects] # cells\ninstalls = "ask"\n')
    says("none")
    assert cli.run(["tune", "--apply"]) == 0
    assert "nothing was written" in capsys.readouterr().out
    says("1")
    assert cli.run(["tune", "--apply"]) == 0
    assert '+project-code = "allow"' in capsys.readouterr().out
    expected = '# mine\n[effects] # cells\ninstalls = "ask"\nproject-code = "allow"\n'
    assert config.read_text() == expected
    says("7")
    assert cli.run(["tune", "--apply"]) == 1
    assert config.read_text() == expected


def test_what_a_person_checks_is_no_evidence(project, capsys):
    for command in ("pytest -q", "npm test"):
        cli.run(["check", "--cwd", project, command])
    capsys.readouterr()
    assert cli.run(["tune"]) == 1
    assert "no sessions were found" in capsys.readouterr().err


def test_what_an_agent_was_not_asked_about_is_no_prompt(home, project, capsys):
    """Codex calls the hook again before it asks, so that the log tells whether it did."""
    state = str(home / ".local/state/laconic")
    decision = Decision(Verdict.ASK, "x", "y", effects=Effect.PROJECT_CODE)
    for number in range(4):
        for event in ("", "permission") if number == 0 else ("",):
            row = {"command": "pytest -q", "cwd": project, "agent": "codex", "now": 1.8e9}
            about = {"outcome": "left", "session": "s", "event": event}
            append(state, decision, **row, about=about)
    assert cli.run(["tune"]) == 0
    assert capsys.readouterr().out.startswith("1 of 4 commands would ask somebody")


def test_a_path_is_all_that_is_read(home, project, tmp_path, capsys):
    log(home, project, "npm test", 3)
    transcript(home, project, ["pytest -q"] * 4)
    kept = tmp_path / "kept"
    (home / ".claude/projects").rename(kept)
    assert cli.run(["tune", str(kept)]) == 0
    assert capsys.readouterr().out.startswith("4 of 4 commands would ask somebody")
    assert cli.run(["tune", str(tmp_path / "nothing")]) == 1


def test_what_was_applied_saves_the_prompts(home, project, config, says, capsys):
    transcript(home, project, ["pytest -q", "npm test"] * 2)
    says("all")
    assert cli.run(["tune", "--apply"]) == 0
    assert config.read_text() == '[effects]\nproject-code = "allow"\n'
    capsys.readouterr()
    assert cli.run(["tune"]) == 0
    assert capsys.readouterr().out.startswith("0 of 4 commands would ask somebody")
