"""Real agents call the real hook, and what comes back to the model is what laconic promises."""

from __future__ import annotations

import re
import time

import pytest

from e2e.conftest import find_server
from laconic.agents.load import load

NOTICE = re.compile(r"\[\d.*: \S*laconic recall (\w+)\]")

# What the model asks for in the first conversation, one a turn; a denial, which may end it, last.
COMMANDS = {
    "allowed": "git log",
    "untouched": "unheard-of 'a  b' it\\'s",
    "failing": "measure 30 3",
    "heredoc": "measure 30 0 && cat <<'END'\nit's $HOME\nEND",
    "compound": 'cd . && measure 30 5; echo "status $?"; (exit 7) || echo "status $?"',
    "large": "measure 20000 0",
    "denied": "demolish everything",
}
ASKED = "enquire within"


@pytest.fixture(scope="session")
def results(place):
    work = place.work(list(COMMANDS.values()))
    assert len(work.results) >= len(COMMANDS) - 1, work
    return dict(zip(COMMANDS, work.results, strict=False))


@pytest.fixture(scope="session")
def results_off_path(place):
    """What comes of two commands when only the agent's settings know where laconic is."""
    path = place.path.pop(0)
    try:
        return place.work(["measure 30 0", ASKED]).results
    finally:
        place.path.insert(0, path)


def assert_compact(agent, text):
    assert "measured: 42" in text
    assert ("noise 7 " in text) != agent.rewrites, text
    assert bool(NOTICE.search(text)) == agent.rewrites, text


def test_an_allowed_command_is_rewritten_and_its_output_compact(agent, results):
    text = results["allowed"]
    assert "change 19" in text
    assert "change 0" in text
    # raw, each commit has the address of its author; compact, the first has it for all
    assert (text.count("dev@example.com") > 1) != agent.rewrites, text
    assert bool(NOTICE.search(text)) == agent.rewrites, text


def test_a_command_that_laconic_does_not_know_is_untouched(agent, place, results):
    if not load(agent.name).has_flow:
        assert "unheard-of is not a command that laconic knows" in results["untouched"]
        return  # nobody else would ask
    log = place.call(place.laconic, "log")
    assert re.search(r"unheard-of.*\(unknown-command", log)
    assert "<unheard-of><a  b><it's>" in results["untouched"]
    assert "laconic" not in results["untouched"]


def test_a_failing_command_fails_with_its_own_exit_status(agent, results):
    assert_compact(agent, results["failing"])
    assert "error: it broke" in results["failing"]
    assert re.search(agent.failure.format(status=3), results["failing"])


def test_a_heredoc_arrives_as_it_was_written(agent, results):
    assert_compact(agent, results["heredoc"])
    assert "it's $HOME" in results["heredoc"]


def test_each_part_of_a_compound_command_runs(agent, results):
    assert_compact(agent, results["compound"])
    assert re.search("status 5.*status 7", results["compound"], re.DOTALL)


def test_a_megabyte_of_output_arrives_in_a_few_lines_and_can_be_recalled(agent, place, results):
    if not agent.rewrites:
        pytest.skip(f"{agent.name} does not take a rewritten command")
    assert_compact(agent, results["large"])
    assert len(results["large"]) < 1000
    identifier = NOTICE.search(results["large"])[1]
    assert len(place.call(place.laconic, "recall", identifier, "--raw")) > 1_000_000


@pytest.mark.usefixtures("results")
def test_a_denied_command_does_not_run(place):
    assert re.search("deny.*demolish everything", place.call(place.laconic, "log"))
    assert not (place.home / "ran-demolish").exists()


def test_the_model_reads_why_a_command_was_denied(results):
    assert "demolish is denied by the configuration" in results["denied"]


def test_a_command_is_compacted_though_laconic_is_not_on_the_path(agent, results_off_path):
    assert_compact(agent, results_off_path[0])


@pytest.mark.usefixtures("results_off_path")
def test_a_command_that_needs_an_answer_does_not_run_unattended(place):
    assert re.search("(ask|deny|left).*enquire within", place.call(place.laconic, "log"))
    assert not (place.home / "ran-enquire").exists()


def test_the_model_reads_that_a_command_needs_an_answer(results_off_path):
    assert "enquire asks by the configuration" in results_off_path[1]


def test_a_command_runs_though_laconic_is_gone(place):
    elsewhere = place.laconic.rename(place.home / "hidden")
    try:
        work = place.work(["git log", 'measure 30 5; echo "status $?"'])
    finally:
        elsewhere.rename(place.laconic)
    assert len(work.results) == 2, work
    assert "dev@example.com" in work.results[0]
    assert "noise 7 " in work.results[1]
    assert "status 5" in work.results[1]


def test_commands_run_though_the_server_is_killed_in_the_middle(place):
    if "there is no command" in place.run([place.laconic, "server", "status"]).said:
        pytest.skip("this laconic has no server")
    wait_for_server(place)
    work = place.work(['sabotage; echo "status $?"', "git log"])
    assert len(work.results) == 2, work
    assert "killed" in work.results[0]
    assert "measured: 42" in work.results[0]
    assert "status 5" in work.results[0]
    assert "change 0" in work.results[1]
    assert re.search("(allow|left).*sabotage", place.call(place.laconic, "log"))


def wait_for_server(place):
    deadline = time.monotonic() + 15
    while not find_server(place):
        assert time.monotonic() < deadline, "no server was started"
        place.call(place.laconic, "check", "true")
        time.sleep(0.1)
