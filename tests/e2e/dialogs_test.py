"""Real agents at a terminal: which dialogs a person sees, word for word, and what runs unasked.

Each agent is started in each of its modes, in tmux, and a scripted model has it run COMMANDS. A
person who says Yes to all that is asked sees what the files in cases/dialogs hold.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from e2e.agents import LACONIC, Place, read_agents
from e2e.conftest import PROFILE
from e2e.model import Model
from e2e.sandboxes import HOMES

CASES = Path(__file__).parents[1] / "cases/dialogs"
MODES = [(a, mode) for a in read_agents().values() for mode in a.terminal.get("modes", ())]
TMUX = shutil.which("tmux", path=f"{os.environ['PATH']}:{os.defpath}")
COLUMNS, ROWS = 100, 60
LIMIT_S, STILL_S = 240, 1
SLOW_S = 8  # a busy machine may show a dialog for so long after its answer
COMMANDS = {
    "allowed": "git log -3",
    "boxed": "python3 demo.py",
    "soft": "touch soft",
    "undoable": "rm -rf build",
    "hard": "git push origin main",
    "denied": "git push --force origin main",
}
WHEN = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
CONFIGURATION = '[settings]\nprofile = "default"\n'


class Terminal:
    """A terminal with a program in it. Its place has a short path, so that lines wrap alike."""

    def __init__(self, place: Place, arguments: list[str]) -> None:
        path = place.agent.path
        node = [str(place.home / "bin/node")] if path.suffix == ".js" else []
        self._tmux = [str(TMUX), "-S", str(place.runtime / "tmux"), "-f", "/dev/null"]
        values = {**place.environment, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        size = ["-x", str(COLUMNS), "-y", str(ROWS), "-c", str(place.project)]
        inner = ["env", "-i", *(f"{k}={v}" for k, v in values.items())]
        inner += [*node, str(path), *arguments]
        self._run("new-session", "-d", *size, *inner)
        self._run("set-option", "-g", "remain-on-exit", "on")

    def _run(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True)
        return done.stdout

    def screen(self) -> str:
        return self._run("capture-pane", "-p")

    def type(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)


@pytest.fixture(scope="module", params=MODES, ids=lambda row: f"{row[0].name}-{row[1]}")
def seen(request):
    """What a person saw of each command: nothing, or a dialog; and what the model read."""
    agent, mode = request.param
    if not agent.path.exists():
        pytest.skip(f"{agent.name} {agent.version} is not in the cache: make e2e fetches it")
    if not TMUX:
        pytest.skip("tmux is not installed: nobody can look at a terminal without it")
    # Some agents leave a process behind that still writes for a moment.
    home = tempfile.TemporaryDirectory(prefix="h", dir=HOMES, ignore_cleanup_errors=True)
    with home, Model() as model:
        place = _place(agent, Path(home.name) / "h", model)
        model.script(agent.tool, [place.input_for(line) for line in COMMANDS.values()])
        terminal = Terminal(place, agent.terminal["modes"][mode])
        try:
            found = work(place, terminal, list(COMMANDS.values()))
        finally:
            terminal.close()
        names = list(COMMANDS)
        dialogs = {names[number]: asked for number, asked in found.items()}
        yield place, f"{agent.name}-{mode}", dialogs, model.results
        place.run([place.laconic, "server", "stop"])


def _place(agent, home, model) -> Place:
    place = Place(agent, home, model)
    for name, text in agent.terminal.get("files", {}).items():
        place.write(name, text.replace("{url}", model.url).replace("{project}", str(place.project)))
    place.write(".profile", PROFILE)
    place.write(".config/laconic/config.toml", CONFIGURATION)
    place.write("project/demo.py", "print(6 * 7)\n")
    place.write("project/build/made", "made\n")
    who = ["git", "-c", "user.name=dev", "-c", "user.email=dev@example.com"]
    place.call("git", "init", "--quiet", "--bare", str(home / "origin.git"))
    place.call("git", "init", "--quiet", "--initial-branch=main")
    place.call("git", "remote", "add", "origin", str(home / "origin.git"))
    for number in range(9):
        note = ["commit", "--quiet", "--allow-empty", "-m", f"change {number}"]
        place.call("env", *(f"{k}={v}" for k, v in WHEN.items()), *who, *note)
    place.call("git", "push", "--quiet", "origin", "HEAD~3:refs/heads/main")
    place.call(place.laconic, "install", agent.name, "--global", "--yes")
    return place


def work(place: Place, terminal: Terminal, commands: list[str]) -> dict[int, str]:
    """Say Yes to what is asked until the model is done; return the dialogs by command."""
    model, dialog = place.model, place.agent.terminal["dialog"]
    found, last, still = {}, [""], 0.0
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline and len(model.results) < len(commands):
        time.sleep(0.2)
        screen = terminal.screen()
        asked = re.findall(dialog, screen, re.DOTALL | re.MULTILINE)[-1:]
        still = still + 0.2 if asked == last else 0.0  # around it, something may blink
        last = asked
        number = len(model.results)
        is_answered = bool(asked) and found.get(number, "").endswith(asked[0])
        if not asked or still < (SLOW_S if is_answered else STILL_S):
            continue
        if not is_answered:
            found[number] = f"{found[number]}\n{asked[0]}" if number in found else asked[0]
        if re.search("❯ No$", asked[0], re.MULTILINE):  # noqa: RUF001 - as it is drawn
            terminal.type("Down")  # to the Yes
        terminal.type("Enter")
        still = 0.0
    assert len(model.results) == len(commands), terminal.screen()
    return found


def _plain(text: str, place: Place) -> str:
    """Leave out what is another each time, and the frames around it."""
    text = text.replace(str(place.home), "~")
    text = text.replace(place.model.url.removeprefix("http://"), "MODEL")
    for program in (LACONIC, "~/laconic/bin/laconic"):
        text = text.replace(str(program), "laconic")
    text = re.sub(r"(laconic (?:recall|undo)) \w+", r"\1 ID", text)
    text = re.sub(
        r"(?m)^((?:Chunk ID|Wall time|Original token count|Process Group PGID): ).*", r"\1…", text
    )
    text = re.sub(r"[\d.]+ [KMG]?i?B(?:ytes)?/s", "…/s", text)
    text = re.sub(r"\b[0-9a-f]{7,40}\b", "COMMIT", text)
    lines = (line.strip(" │┃╭╮╰╯─╌━┌┐└┘").rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def test_a_person_sees_these_dialogs_and_the_model_reads_these_results(request, seen):
    place, name, dialogs, results = seen
    parts = []
    for (kind, command), result in zip(COMMANDS.items(), results, strict=True):
        asked = _plain(dialogs[kind], place) if kind in dialogs else "(nobody is asked)"
        read = _plain(result, place)
        parts.append(f"== {kind}: {command}\n{asked}\n-- the model reads\n{read}\n")
    told, path = "\n".join(parts), CASES / f"{name}.txt"
    if request.config.getoption("--update-cases"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


def test_what_destroys_never_runs_and_what_publishes_never_runs_unasked(seen):
    place, _, dialogs, results = seen
    assert "laconic blocked this; nothing ran" in results[-1]
    published = "change 8" in place.call(
        "git", "--git-dir", f"{place.home}/origin.git", "log", "main"
    )
    assert published == ("hard" in dialogs)


def test_what_was_approved_in_the_agents_own_dialog_is_undone(seen):
    place, *_ = seen
    assert not (place.project / "build").exists()
    place.call(place.laconic, "undo", "--yes")
    assert (place.project / "build/made").read_text() == "made\n"
