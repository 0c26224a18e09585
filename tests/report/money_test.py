"""What gain says of agents, sessions and models, and in dollars, as far as transcripts tell."""

from __future__ import annotations

import json

import pytest

from laconic.cli import main as cli
from laconic.record.journal import append, microseconds, new_row_id
from laconic.record.runs import record_run
from laconic.replay import prices, spending
from records import a_run
from terminal import at_terminal, plain

ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
OPUS, SONNET = "claude-opus-5", "claude-sonnet-5"


@pytest.fixture
def state_dir(home):
    return home / ".local/state/laconic"


@pytest.fixture
def laconic(capsys):
    def run(*words):
        status = cli.run(list(words))
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    return run


def transcript(home, session, model, requests=3, other="x" * 4000):
    """A session whose one command printed 100 words; another tool printed 1,000 tokens."""
    folder = home / ".claude/projects/-project"
    folder.mkdir(parents=True, exist_ok=True)
    usage = {"input_tokens": 5000, "cache_creation_input_tokens": 0,
             "cache_read_input_tokens": 5000, "output_tokens": 10}  # fmt: skip
    lines = []

    def add(kind, content, **more):
        message = {"content": content, **more}
        lines.append({"type": kind, "sessionId": session, "cwd": "/project", "message": message})

    add("assistant", [
        {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "git log"}},
        {"type": "tool_use", "id": "b", "name": "Read", "input": {"file_path": "x"}},
    ], model=model, id="m0", usage=usage)  # fmt: skip
    add("user", [
        {"type": "tool_result", "tool_use_id": "a", "content": "word " * 100},
        {"type": "tool_result", "tool_use_id": "b", "content": other},
    ])  # fmt: skip
    for number in range(requests):
        add("assistant", [], model=model, id=f"m{number + 1}", usage=usage)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{session}.jsonl").write_text(text)


def ran(state_dir, session="", agent="claude-code", raw=100_000, shown=10_000, **more):
    assert record_run(
        state_dir, a_run(raw_tokens=raw, shown_tokens=shown, agent=agent, session=session, **more)
    )


def test_runs_are_summed_up_by_agent_and_session_with_what_was_recalled(laconic, state_dir):
    ran(state_dir, ONE, raw_id="aaaaa2")
    ran(state_dir, ONE, raw=1000, shown=500)
    ran(state_dir, TWO, raw=50, shown=40)
    ran(state_dir, "", agent="", raw=7, shown=7)
    row = {"id": new_row_id(), "time": microseconds(), "raw_id": "aaaaa2", "filter": "x",
           "program": "x", "project": "", "tokens": 400, "exact": 0}  # fmt: skip
    assert append(state_dir, "recalls", row)
    found = json.loads(laconic("gain", "--by", "session", "--json"))
    by_session = {row["session"]: (row["runs"], row["saved_tokens"]) for row in found["rows"]}
    assert by_session == {ONE: (2, 90_000 + 500 - 400), TWO: (1, 10), "": (1, 0)}
    found = json.loads(laconic("gain", "--by", "agent", "--json"))
    by_agent = {row["agent"]: (row["runs"], row["recalls"]) for row in found["rows"]}
    assert by_agent == {"claude-code": (3, 1), "": (1, 0)}
    assert found["total"] == json.loads(laconic("gain", "--json"))["total"]
    assert "money" not in found  # no transcript, so nobody knows


@pytest.mark.parametrize("by", ["agent", "session", "model", "filter", "command", "project", "day",
                                "week", "month"])  # fmt: skip
def test_all_groups_add_up_to_the_same_total(laconic, state_dir, home, by):
    transcript(home, ONE, OPUS)
    ran(state_dir, ONE)
    ran(state_dir, TWO, raw=70, shown=90)
    found = json.loads(laconic("gain", "--by", by, "--json"))
    assert found["by"] == [by]
    assert sum(row["saved_tokens"] for row in found["rows"]) == 89_980
    assert found["total"] == json.loads(laconic("gain", "--json"))["total"]


def test_the_summary_has_dollars_by_the_price_file_and_the_share_of_all_tools(
    laconic, state_dir, home
):
    transcript(home, ONE, OPUS)
    ran(state_dir, ONE)
    ran(state_dir, TWO)
    out = laconic("gain")
    money = json.loads(laconic("gain", "--json"))["money"]
    # Held by three requests: written once, then half of it read from the cache, half sent again.
    price = prices.find(OPUS)
    expected = 90_000 * (price.cache_write + 2 * (0.5 * price.cache_read + 0.5 * price.input)) / 1e6
    assert money["dollars"] == pytest.approx(expected)
    assert (money["sessions"], money["priced"]) == (2, 1)
    assert f"  dollars saved:  ${expected:.2f} est. (1 of 2 sessions, list prices of " in out
    assert prices.date() in out
    assert money["read"] == pytest.approx(1100, abs=30)
    assert money["share"] == pytest.approx(90_000 / (90_000 + money["read"]))
    assert f"  share saved:    {100 * money['share']:.1f}% of all " in out


def test_an_agent_has_the_dollars_of_its_sessions(laconic, state_dir, home):
    transcript(home, ONE, OPUS)
    ran(state_dir, ONE)
    ran(state_dir, "", agent="codex")
    found = json.loads(laconic("gain", "--by", "agent", "--json"))
    assert {row["agent"]: row["dollars"] for row in found["rows"]} == {
        "claude-code": found["money"]["dollars"],
        "codex": None,
    }


def test_models_have_their_own_rows_and_prices(laconic, state_dir, home):
    transcript(home, ONE, OPUS)
    transcript(home, TWO, "a-model-without-a-price")
    ran(state_dir, ONE)
    ran(state_dir, TWO, raw=50, shown=40)
    ran(state_dir, "", raw=5, shown=5)
    rows = json.loads(laconic("gain", "--by", "model", "--json"))["rows"]
    assert [row["model"] for row in rows] == [OPUS, "a-model-without-a-price", ""]
    assert rows[0]["dollars"] > 1
    assert [row["dollars"] for row in rows[1:]] == [None, None]
    out = laconic("gain", "--by", "model")
    assert out.splitlines()[0].endswith("dollars")
    assert f"${rows[0]['dollars']:.2f}" in out


def test_a_transcript_is_read_once_and_again_when_it_has_grown(
    laconic, state_dir, home, monkeypatch
):
    transcript(home, ONE, OPUS)
    ran(state_dir, ONE)
    first = json.loads(laconic("gain", "--json"))["money"]
    with monkeypatch.context() as patch:
        patch.setattr(spending, "_read", None)  # which it would have to call
        assert json.loads(laconic("gain", "--json"))["money"] == first
    transcript(home, ONE, SONNET, requests=4)
    assert json.loads(laconic("gain", "--json"))["money"]["dollars"] < first["dollars"]


def test_what_there_is_no_time_for_is_said_and_read_next_time(
    laconic, state_dir, home, monkeypatch
):
    transcript(home, ONE, OPUS)
    transcript(home, TWO, OPUS)
    ran(state_dir, ONE)
    ran(state_dir, TWO)
    laconic("gain", "--json")
    transcript(home, TWO, OPUS, requests=5)
    with monkeypatch.context() as patch:
        patch.setattr(spending, "_LIMIT_S", -1.0)
        assert "  not read yet:   the transcripts of 1 sessions; laconic gain reads on" in laconic(
            "gain"
        )
    assert "not read yet" not in laconic("gain")


@pytest.mark.parametrize(
    "cached", [b"{", b"[]", b'{"prices": 1}', b'{"prices": "x", "sessions": 3}']
)
def test_a_broken_cache_is_as_good_as_none(laconic, state_dir, home, cached):
    transcript(home, ONE, OPUS)
    ran(state_dir, ONE)
    path = home / ".cache/laconic/sessions.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(cached)
    assert "dollars saved:" in laconic("gain")
    assert json.loads(path.read_bytes())["prices"] == prices.date()


def test_a_period_is_named_once(capsys):
    assert cli.run(["gain", "--daily", "--by", "week"]) == 2
    assert capsys.readouterr().err.startswith("laconic: --daily or --by week?\n")
    assert cli.run(["gain", "--daily", "--by", "day"]) == 0


@pytest.mark.parametrize("columns", [80, 200])
def test_gain_fits_the_terminal_and_draws_the_last_days(state_dir, home, columns):
    transcript(home, ONE, OPUS)
    ran(state_dir, ONE, project="/home/somebody/" + "a-long-name/" * 20)
    summary = plain(at_terminal(["gain"], columns=columns)[1])
    assert f"  last 30 days:   {'·' * 29}█\n" in summary
    table = plain(at_terminal(["gain", "--graph", "--by", "project"], columns=columns)[1])
    for line in (summary + table).splitlines():
        assert len(line) <= columns
    assert "…" in table
