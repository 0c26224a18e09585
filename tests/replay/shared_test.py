"""What a team learns: rules of a fixed list with counts, from enough people, and no command."""

from __future__ import annotations

import json
import tomllib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.cli import main as cli
from laconic.errors import LaconicError
from laconic.files import write_private
from laconic.replay.candidates import OPEN, open_commands
from laconic.replay.followed import RAN, REFUSED
from laconic.replay.shared import Row, Share, backed, parsed, rows_of, start_of
from laconic.replay.tune import PastStep, Tuner
from laconic.settings import schema
from laconic.settings.keys import file_schema
from laconic.settings.load import process_environment, read_settings
from laconic.types import EFFECTS, HARD, Effect

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
RULES = {f"{start} *" for start in open_commands()}


def shared_of(project, commands, then=RAN):
    """What would be shared of these commands, each with how often."""
    environ = process_environment()
    tuner = Tuner(read_settings(environ, "/"), environ)
    ended = {(PastStep("claude-code", project, text), then): n for text, n in commands.items()}
    seen = Counter({each: count for (each, _), count in ended.items()})
    return rows_of(ended, tuner.questions(seen)[0], tuner)


# -- what leaves a machine -------------------------------------------------------------------------


def test_the_questions_that_a_rule_would_end_are_counted(project):
    rows = shared_of(str(project), {"pytest -q": 5, "cd x && pytest -k y": 2, "npm run build": 3})
    assert rows == (
        Row("pytest *", Effect.PROJECT_CODE, 7, 7, 0),
        Row("npm run *", Effect.PROJECT_CODE, 3, 3, 0),
    )


@pytest.mark.parametrize(
    ("then", "counts"), [(RAN, (4, 4, 0)), (REFUSED, (4, 0, 4)), ("", (4, 0, 0))]
)
def test_what_nobody_can_tell_is_neither_yes_nor_no(project, then, counts):
    assert shared_of(str(project), {"pytest -q": 4}, then)[0][2:] == counts


@pytest.mark.parametrize(
    "command",
    [
        "frob deploy --all",  # nothing but the very command could be a rule
        "pip install requests",
        "python tool.py",
        "pytest && frob x",  # no such rule alone would have ended the question
        "pytest && git push",
        "pytest; cat .env",
        "pytest > ~/.bashrc",
        "pytest $(curl -s https://example.com)",
        "sudo pytest",
        "sed -i s/a/b/ src/a.py",
    ],
)
def test_of_what_is_exact_or_has_a_hard_effect_nothing_is_shared(project, command):
    assert shared_of(str(project), {command: 50}) == ()


WORDS = st.sampled_from(
    [*sorted(open_commands()), SECRET, "--token", "/home/ann/acme", "&&", ";", "|", "'", '"', "$x",
     "$(id)", ">", "-m", "cd", "frob", "*", "\n", "#", "ann@example.com", "\x1b[2J", "ж"]
)  # fmt: skip


@given(commands=st.lists(st.lists(WORDS | st.text(max_size=8), max_size=6), max_size=6))
@settings(max_examples=60)
def test_nothing_but_rules_of_the_list_counts_and_effects_is_ever_shared(commands):
    texts = Counter(" ".join(words) for words in commands)
    rows = shared_of("/home/ann/acme", texts)
    said = json.loads(Share("shop", "0" * 16, rows).text)
    assert set(said) == {"version", "team", "person", "rules"}
    for row in said["rules"]:
        assert set(row) == {"rule", "effects", "asked", "approved", "rejected"}
        assert row["rule"] in RULES
        assert set(row["effects"]) <= set(EFFECTS)
        assert all(type(row[name]) is int for name in ("asked", "approved", "rejected"))


@given(start=st.sampled_from(sorted(open_commands())), words=st.lists(WORDS, max_size=4))
@settings(max_examples=60)
def test_no_argument_of_a_rule_s_own_command_is_shared(start, words):
    rows = shared_of("/home/ann/acme", Counter({" ".join([start, *words]): 3}))
    text = Share("shop", "0" * 16, rows).text
    assert not any(planted in text for planted in (SECRET, "ann", "acme", "frob", "token"))


# -- what comes in ---------------------------------------------------------------------------------


def whole(**changes):
    row = {"rule": "pytest *", "effects": ["project-code"], "asked": 3, "approved": 3}
    row |= {"rejected": 0} | changes.pop("row", {})
    return {"version": 1, "team": "shop", "person": "0" * 16, "rules": [row]} | changes


def test_what_is_shared_is_read_back():
    rows = (
        Row("pytest *", Effect.PROJECT_CODE, 3, 2, 1),
        Row("mkdir *", Effect.PROJECT_WRITE, 1, 1, 0),
    )
    share = Share("shop", "0123456789abcdef", rows)
    assert parsed(share.text.encode()) == share
    assert parsed(json.dumps(whole()).encode()).rows[0].asked == 3


@pytest.mark.parametrize(
    "given",
    [
        {"version": 2},
        {"team": "a b"},
        {"team": "x\n[require]"},
        {"team": 3},
        {"person": "ann"},
        {"more": "text"},
        {"rules": {}, "row": {}, "version": "1"},
        {"rules": [3]},
        {"row": {"rule": "curl *"}},
        {"row": {"rule": "pytest"}},
        {"row": {"rule": 'pytest *"]\ndeny = ["x'}},
        {"row": {"rule": 7}},
        {"row": {"effects": ["fun"]}},
        {"row": {"effects": 7}},
        {"row": {"asked": -1}},
        {"row": {"asked": True}},
        {"row": {"asked": 1e9}},
        {"row": {"approved": 4}},
        {"row": {"command": "pytest --token x"}},
    ],
)
def test_a_file_with_anything_else_is_refused(given):
    with pytest.raises(LaconicError, match="is not what laconic tune --share writes"):
        parsed(json.dumps(whole(**given)).encode())


@given(
    st.binary(max_size=60)
    | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(
        lambda v: json.dumps(v).encode()
    )
)
def test_any_bytes_are_refused_with_one_line(data):
    with pytest.raises(LaconicError):
        parsed(data)


# -- what a team may take over ---------------------------------------------------------------------


def shares(people, row=None, teams=("shop", "pay")):
    row = row or Row("pytest *", Effect.PROJECT_CODE, 10, 10, 0)
    return [Share(teams[n % len(teams)], f"{n:016x}", (row,)) for n in range(people)]


def test_five_people_in_two_teams_are_enough():
    (found,) = backed(shares(5))
    assert found[:4] == ("pytest *", Effect.PROJECT_CODE, 5, 2)
    assert (found.asked, found.approved, found.rejected) == (50, 50, 0)
    assert backed(shares(4)) == []
    assert backed(shares(50, teams=("shop",))) == []
    assert len(backed(shares(3), 3)) == 1


def test_one_person_counts_once_whatever_files_there_are():
    one = [Share(team, "0" * 16, each.rows) for team in ("shop", "pay") for each in shares(9)]
    assert backed(one) == []
    more = [*shares(5), *shares(5, Row("pytest *", Effect.PROJECT_CODE, 4, 0, 4))]
    assert backed(more) == backed(shares(5))


@pytest.mark.parametrize(("approved", "is_proposed"), [(100, True), (95, True), (94, False)])
def test_five_in_a_hundred_may_be_no(approved, is_proposed):
    row = Row("pytest *", Effect.PROJECT_CODE, 100, approved, 100 - approved)
    assert bool(backed(shares(6, row))) is is_proposed


def test_a_question_of_which_nobody_knows_the_end_is_not_a_yes():
    assert backed(shares(9, Row("pytest *", Effect.PROJECT_CODE, 100, 90, 0))) == []


@pytest.mark.parametrize("effect", [e for e in EFFECTS.values() if e & ~OPEN])
def test_one_person_who_saw_another_effect_is_enough_to_drop_a_rule(effect):
    odd = Share("pay", "f" * 16, (Row("pytest *", effect | Effect.PROJECT_CODE, 1, 1, 0),))
    assert backed([*shares(9), odd]) == []


@given(
    st.lists(
        st.builds(
            Share,
            st.sampled_from(["shop", "pay", "web"]),
            st.sampled_from([f"{n:016x}" for n in range(9)]),
            st.tuples(
                st.builds(
                    Row,
                    st.sampled_from(sorted(RULES)[:3]),
                    st.sampled_from([*EFFECTS.values()]),
                    st.just(20),
                    st.integers(17, 20),
                    st.just(0),
                )
            ),
        ),
        max_size=40,
    ),
    st.randoms(),
)
def test_whatever_is_proposed_holds_what_is_promised_in_any_order(given, random):
    found = backed(given)
    shuffled = list(given)
    random.shuffle(shuffled)
    assert backed(shuffled) == found
    for each in found:
        about = [(s.person, row) for s in given for row in s.rows if row.rule == each.rule]
        assert len({who for who, _ in about}) == each.people >= 5
        assert each.teams >= 2
        assert each.approved * 100 >= each.asked * 95
        assert not each.effects & HARD
        assert start_of(each.rule)


# -- the command -----------------------------------------------------------------------------------


def transcript(home, project, commands, refused=()):
    path = home / ".claude/projects/-p/s.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, command in enumerate(commands):
        use = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "Bash",
            "input": {"command": command},
        }
        message = {"id": f"m{number}", "content": [use]}
        lines.append({"type": "assistant", "sessionId": "s", "cwd": project, "message": message})
        no = {"is_error": True, "content": "The user doesn't want to proceed with this tool use"}
        end = no if command in refused else {"content": "done"}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", **end}
        lines.append({"type": "user", "sessionId": "s", "message": {"content": [result]}})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_person_shares_and_a_team_sums(home, project, tmp_path, capsys):
    drop = tmp_path / "drop"
    secret = f"pytest -k {SECRET}"
    commands = [secret] * 3 + ["npm test", "frob --all", "git push"] * 2 + ["npm run x"]
    transcript(home, str(project), commands, refused=["npm run x"])
    assert cli.run(["tune", "--share", str(drop / "0.json"), "--team", "shop"]) == 0
    said = capsys.readouterr().out
    assert "pytest *  asked 3, approved 3, rejected 0\n" in said
    assert "with 3 rules, and nothing else of your sessions\n" in said
    text = (drop / "0.json").read_text()
    for planted in (SECRET, "frob", "push", str(project), "claude"):
        assert planted not in text + said.replace(str(drop), "")
    assert (drop / "0.json").stat().st_mode & 0o777 == 0o600
    first = parsed(text.encode())
    assert {row[:1] + row[2:] for row in first.rows} == {
        ("pytest *", 3, 3, 0),
        ("npm test *", 2, 2, 0),
        ("npm run *", 1, 0, 1),
    }

    for number in range(1, 5):  # four others, in two teams
        other = first._replace(team=("shop", "pay")[number % 2], person=f"{number:016x}")
        write_private(drop / f"{number}.json", other.text.encode())
    (drop / "notes.json").write_text('{"version": 1}')
    assert cli.run(["tune", "--from", str(drop)]) == 0
    out, err = capsys.readouterr()
    assert err == f"laconic: left out: {drop}/notes.json is not what laconic tune --share writes\n"
    assert (
        "    # project-code: 5 people in 2 teams, asked 15 times, 15 approved, 0 rejected\n" in out
    )
    document = tomllib.loads(out)
    assert document == {"default": {"commands": {"allow": ["pytest *", "npm test *"]}}}
    assert not any(schema.check(document["default"], file_schema()))

    assert cli.run(["tune", "--from", str(drop), "--min-people", "6"]) == 0
    assert tomllib.loads(capsys.readouterr().out) == {}


def test_a_person_has_one_hash_on_a_machine_and_another_one_elsewhere(home, project, tmp_path):
    transcript(home, str(project), ["pytest"] * 2)
    people = []
    for number in range(2):
        assert cli.run(["tune", "--share", str(tmp_path / f"{number}.json"), "--team", "x"]) == 0
        people.append(parsed((tmp_path / f"{number}.json").read_bytes()).person)
    assert people[0] == people[1]
    (home / ".local/state/laconic/export/key").unlink()
    assert cli.run(["tune", "--share", str(tmp_path / "2.json"), "--team", "x"]) == 0
    assert parsed((tmp_path / "2.json").read_bytes()).person != people[0]


@pytest.mark.parametrize(
    ("rule", "is_sound"),
    [
        ("pytest *", True),
        ("npm run *", True),
        ("mkdir *", True),
        ("git add *", True),
        ("git switch *", False),  # --discard-changes
        ("ruff check *", False),  # @arguments
    ],
)
def test_a_rule_that_opens_what_it_is_not_about_is_named_and_left_out(
    rule, is_sound, tmp_path, capsys
):
    for number, share in enumerate(shares(5, Row(rule, Effect.PROJECT_CODE, 1, 1, 0))):
        write_private(tmp_path / f"{number}.json", share.text.encode())
    assert cli.run(["tune", "--from", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    allowed = tomllib.loads(out).get("default", {}).get("commands", {}).get("allow", [])
    assert allowed == ([rule] if is_sound else [])
    assert (f"# Not `{rule}`" in out) is not is_sound


def test_a_rule_that_opens_more_today_is_not_printed(tmp_path, capsys, monkeypatch):
    for number, share in enumerate(shares(6)):
        write_private(tmp_path / f"{number}.json", share.text.encode())
    assert cli.run(["tune", "--from", str(tmp_path)]) == 0
    assert '"pytest *"' in capsys.readouterr().out
    monkeypatch.setattr("laconic.replay.tune._around", lambda: ["{} --more"])
    assert cli.run(["tune", "--from", str(tmp_path)]) == 0
    assert '"pytest *"' not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--share", "x"], "--share needs the name of your team"),
        (["--team", "x"], "--team is for --share"),
        (["--share", "x", "--team", "a b"], "--team: letters, digits"),
        (["--min-people", "7"], "--min-people is for --from"),
        (["--from", ".", "--min-people", "2"], "--min-people: with fewer than 3"),
        (["--from", ".", "more"], "--from takes one directory"),
        (["--from", ".", "--json"], "not allowed with argument"),
    ],
)
def test_a_wrong_command_line_gets_one_line(arguments, message, capsys):
    assert cli.run(["tune", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_directory_without_shares_is_said(tmp_path, capsys):
    assert cli.run(["tune", "--from", str(tmp_path)]) == 1
    assert "there is no file that laconic tune --share has written" in capsys.readouterr().err
