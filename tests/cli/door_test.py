"""What a person sees first: laconic alone, its help, and what it says about mistyped words."""

from __future__ import annotations

import json
import time

import pytest

from laconic import __version__
from laconic.hooks import call_log
from laconic.record import decisions
from laconic.record.runs import record_run
from laconic.settings.load import process_environment
from laconic.types import Decision, Effect, Verdict
from records import a_run
from terminal import at_terminal, plain


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "project/.git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return str(tmp_path / "project")


def log(state_dir, project, command, verdict=Verdict.ASK, **more):
    decision = Decision(verdict, "x/y", "runs code", 0, len(command), effects=Effect.PROJECT_CODE)
    fields = {"agent": "claude-code", "now": time.time(), **more}
    assert decisions.append(str(state_dir), decision, command=command, cwd=project, **fields)


# -- the status page -------------------------------------------------------------------------------


def test_laconic_alone_says_what_to_do_first_on_a_new_machine(laconic):
    status, out, err = laconic()
    assert (status, err) == (0, "")
    assert out == (
        f"laconic {__version__}, profile default\n\n"
        "agents\n  none was found on this machine\n\n"
        "saved\n  nothing yet: let an agent run a command\n\n"
        "asked\n  today 0 allowed, 0 asked, 0 denied\n\n"
        "next\n  laconic help install  laconic is not in any agent yet\n"
    )


def test_the_status_has_one_line_for_agents_that_show_one(laconic, monkeypatch):
    assert laconic("status", "--line") == (0, "laconic default\n", "")
    monkeypatch.setenv("LACONIC_NO_FILTER", "1")
    line = "laconic default · off: shorter output: LACONIC_NO_FILTER is set\n"
    assert laconic("status", "--line") == (0, line, "")


def test_the_status_tells_agents_that_called_from_those_that_did_not(laconic, home):
    for name in (".claude", ".codex", ".gemini"):
        (home / name).mkdir()
    (home / ".gemini/settings.json").write_text("{}")
    assert laconic("install", "claude-code", "codex", "--yes")[0] == 0
    call_log.note_call(process_environment(), "claude-code", "PreToolUse")
    out = laconic()[1]
    assert "  claude-code  called today    last 20" in out
    assert "  codex        not called yet\n" in out
    assert "  gemini       not installed\n" in out
    assert "  laconic doctor codex    if Codex" in out
    assert "  laconic install gemini  Gemini CLI is on this machine\n" in out
    found = json.loads(laconic("status", "--json")[1])
    called = {agent["name"]: agent["called_today"] for agent in found["agents"]}
    assert called == {"claude-code": True, "codex": False, "gemini": False}


def test_a_call_of_another_day_is_not_of_today(laconic, home, state_dir):
    (home / ".claude").mkdir()
    laconic("install", "claude-code", "--yes")
    (state_dir / "hooks").mkdir(parents=True, exist_ok=True)
    (state_dir / "hooks/claude-code").write_text(f"{time.time() - 2 * 86400:.3f} PreToolUse")
    assert "claude-code  not called today  last 20" in laconic()[1]


def test_the_status_names_the_line_that_would_end_each_question(
    laconic, state_dir, project, monkeypatch
):
    log(state_dir, project, "pytest -q tests/a_test.py")
    log(state_dir, project, "pytest -q tests/a_test.py")
    log(state_dir, project, "git push origin main")
    log(state_dir, project, "ls")
    log(state_dir, project, "make me a sandwich", agent=decisions.OWN)
    out = laconic()[1]
    assert "today 0 allowed, 4 asked, 0 denied\n" in out
    assert "pytest -q tests/a_test.py  (2 times)\n" in out
    assert "    to end it: laconic allow --always 'pytest *'\n" in out
    assert "laconic allow --always 'git push origin main'\n" in out
    log(state_dir, project, "mkdir a && git push origin main")
    out = laconic()[1]
    assert "laconic allow 'mkdir a && git push origin main' --for 30m\n" in out
    assert "           in:" not in out
    monkeypatch.chdir("/")
    assert (
        f"laconic allow 'mkdir a && git push origin main' --for 30m\n           in: {project}\n"
        in laconic()[1]
    )
    assert "  ls\n    runs code\n    (it is allowed today)\n" in out
    assert "sandwich" not in out  # a question of the user's own


@pytest.mark.parametrize(
    "command",
    ["pytest -q tests/a_test.py", "git add -A && npm test", "git push origin main", "npm publish"],
)
def test_the_line_that_is_named_ends_the_question(laconic, state_dir, project, command):
    assert laconic("check", command)[0] == 10
    log(state_dir, project, command)
    (question,) = json.loads(laconic("status", "--json")[1])["asked"]
    assert question["ends_by"]
    for line in question["ends_by"]:
        words = line.split(" ", 2)[1:]
        text, _, rest = words[1].removeprefix("--always ").strip("'").partition("' ")
        always = ["--always"] if words[1].startswith("--always") else []
        assert laconic("allow", *always, text, *rest.split())[0] == 0
    assert laconic("check", command)[0] == 0


@pytest.mark.parametrize("command", ["cat .env", "sudo pytest", "echo x >> ~/.bashrc"])
def test_no_page_suggests_to_allow_what_is_opened_or_destroyed(
    laconic, state_dir, project, command
):
    log(state_dir, project, command)
    out = laconic()[1]
    assert "(a person decides each time)" in out or "(no line is proposed for this; " in out


@pytest.mark.parametrize("command", ["mkdir a\nnpm publish", "npm publish \x1b[2J"])
def test_what_cannot_be_typed_gets_no_line(laconic, state_dir, project, command):
    log(state_dir, project, command)
    out = laconic()[1]
    assert "(its text cannot be typed on one line)" in out
    assert out.replace("\n", "").isprintable()


@pytest.mark.parametrize("command", ["curl -u me:[hidden] https://h", "x… (5000 characters)"])
def test_what_the_log_does_not_have_whole_gets_no_line(laconic, state_dir, project, command):
    log(state_dir, project, command)
    assert "(its text is not kept)" in laconic()[1]


def test_the_status_says_what_was_saved(laconic, state_dir):
    record_run(state_dir, a_run(raw_tokens=9000, shown_tokens=1000))
    record_run(state_dir, a_run(raw_tokens=1000, shown_tokens=0), time.time() - 3 * 86400)
    record_run(state_dir, a_run(raw_tokens=1000, shown_tokens=0), time.time() - 60 * 86400)
    out = laconic()[1]
    assert "  today    8,000  of 9,000 tokens est.   88.9%   1 run\n" in out
    assert "  7 days   9,000  of 10,000 tokens est.  90.0%  2 runs\n" in out
    assert "  all     10,000  of 11,000 tokens est.  90.9%  3 runs\n" in out
    assert "  ··········▁··█  the last 14 days\n" in out


def test_the_status_says_a_sum_once(laconic, state_dir):
    record_run(state_dir, a_run(raw_tokens=9000, shown_tokens=1000))
    out = laconic()[1]
    assert "  today  8,000  of 9,000 tokens est.  88.9%  1 run\n" in out
    assert "7 days" not in out


def test_the_status_names_what_is_switched_off(laconic, monkeypatch):
    monkeypatch.setenv("LACONIC_DISABLED", "1")
    out = laconic()[1]
    assert "switched off: everything: LACONIC_DISABLED is set\n" in out
    assert "  unset LACONIC_DISABLED" in out


def test_the_status_says_that_the_gate_is_off(laconic, home):
    (home / ".config/laconic").mkdir(parents=True)
    (home / ".config/laconic/config.toml").write_text('[settings]\ngate = "off"\n')
    _, out, _ = laconic()
    assert 'switched off: decisions: [settings] gate = "off"\n' in out


def test_damaged_records_do_not_hide_the_rest(laconic, state_dir):
    state_dir.mkdir(parents=True)
    (state_dir / "records.db").write_bytes(b"no database" * 1000)
    status, out, _ = laconic()
    assert status == 0
    assert "asked\n  today" in out


# -- at a terminal ---------------------------------------------------------------------------------

LONG = "python3 -c 'print(1)' " + " ".join(f"--option-{n}=value" for n in range(30))


@pytest.mark.parametrize("columns", [80, 200])
def test_the_status_page_fits_the_terminal(state_dir, project, columns, home):
    (home / ".claude").mkdir()
    log(state_dir, project, LONG)
    record_run(state_dir, a_run(raw_tokens=9000, shown_tokens=1000))
    status, out = at_terminal([], columns=columns)
    assert status == 0
    longest = max(plain(out).splitlines(), key=len)
    cut = [line for line in plain(out).splitlines() if "python3 -c" in line and "…" in line]
    assert len(longest) <= columns or "to end it:" in longest
    assert cut
    assert len(cut[0]) == columns
    assert cut[0].endswith("--option-29=value")


def test_colours_are_for_a_persons_terminal_only(state_dir, project):
    log(state_dir, project, "npm publish")
    for variables, is_coloured in (
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
        ({"CLAUDECODE": "1"}, False),
    ):
        assert ("\x1b[" in at_terminal([], **variables)[1]) is is_coloured, variables
    assert "\x1b[" not in at_terminal(["--color=never"])[1]
    assert "\x1b[" in at_terminal(["status", "--color", "always"], NO_COLOR="1")[1]


def test_a_pipe_gets_colours_if_it_asks_for_them(laconic, state_dir, project):
    log(state_dir, project, "npm publish")
    assert "\x1b[" not in laconic("status")[1]
    assert "\x1b[33m" in laconic("--color=always", "status")[1]
    assert "\x1b[" not in laconic("status", "--color", "never")[1]
    assert "\x1b[" not in laconic("--color=always", "status", "--json")[1]
    assert laconic("check", "--color=always", "git push")[1].startswith("\x1b[33mask\x1b[0m  ")
    assert laconic("check", "git push")[1].startswith("ask  ")  # in the same process


@pytest.mark.parametrize("before", [["--color=never"], ["--color", "always"]])
def test_colours_before_a_command_that_runs_another_leave_that_its_own(before):
    status, out = at_terminal([*before, "run", "echo", "--color=x", "hi"])
    assert (status, out) == (0, "--color=x hi\n")
    assert at_terminal([*before, "err", "true"])[0] == 0
    assert at_terminal(before)[0] == 0


# -- help ------------------------------------------------------------------------------------------


def test_help_has_groups_and_fits_a_terminal(laconic):
    out = laconic("--help")[1]
    titles = [line.removesuffix(":") for line in out.splitlines() if line[:1].isalpha()]
    assert titles[2:-2] == ["every day", "policy", "agents", "for authors"]
    assert max(map(len, out.splitlines())) <= 80
    assert laconic("help")[1] == out


@pytest.mark.parametrize("words", [["gain"], ["run"], ["err"], ["config", "show"], ["help"]])
def test_help_of_a_command_is_its_own_help(laconic, words):
    assert laconic("help", *words) == laconic(*words, "--help")
    assert laconic("help", *words)[1].startswith(f"usage: laconic {' '.join(words)}")


def test_version(laconic):
    assert laconic("version") == laconic("--version") == (0, f"laconic {__version__}\n", "")


# -- mistyped words --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["help", "gian"], "did you mean: laconic gain"),
        (["gain", "--jsno"], "did you mean: --json"),
        (["gain", "--snice=2h"], "did you mean: --since"),
        (["gain", "--by", "filtre"], "did you mean: filter"),
        (["config", "shwo"], "did you mean: show"),
        (["run", "--rwa", "ls"], "did you mean: laconic run --raw"),
        (["run", "--zzz", "ls"], "laconic run --help"),
        (["config", "show", "--source"], "did you mean: --sources"),
        (["config", "show", "--zzz"], "laconic config show --help"),
        (["completions", "bsah"], "did you mean: bash"),
        (["completions", "tcsh"], "one of: bash, fish, zsh"),
        (["install", "cluade"], "did you mean: claude?"),
        (["--colour=never"], "laconic --color"),
        (["--color=sometimes", "gain"], "laconic --color=never log"),
        (["gain", "--color"], "laconic --color=never log"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(laconic, words, hint):
    status, out, err = laconic(*words)
    assert (status, out) == (2, "")
    assert err.splitlines()[1] == f"hint: {hint}"


# -- facts as JSON ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("project")
def test_what_is_allowed_is_listed_as_json_in_any_time_zone(laconic, monkeypatch):
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    assert laconic("allow", "npm publish")[0] == 0
    assert laconic("allow", "--always", "--outside", "npm run e2e")[0] == 0
    rows = json.loads(laconic("allow", "--list", "--json")[1])["allowances"]
    monkeypatch.undo()
    time.tzset()
    found = {row["command"]: row["until"] for row in rows}
    assert found["npm run e2e"] is None
    assert found["npm publish"].startswith("20")


@pytest.mark.parametrize(
    "line",
    [
        "status", "gain", "doctor", "stats recalls", "filters list", "rules list",
        "rules show git/push", "filters which ls", "config show", "config path", "config check",
        "config get settings.profile", "trust --list", "allow --list", "server status", "check ls",
        "explain ls", "rewrite ls", "parse ls",
    ],
)  # fmt: skip
def test_every_report_has_a_version_in_its_json(laconic, line):
    out = laconic(*line.split(), "--json")[1]
    assert json.loads(out)["version"] == 1


def test_json_goes_with_a_list(laconic):
    for command in ("allow", "trust"):
        status, _, err = laconic(command, "--json")
        assert (status, f"laconic {command} --list --json" in err) == (2, True)
