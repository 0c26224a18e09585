"""Random lines around a hostile script: what it leaves behind leads no command of the line astray.

The script is in the box. It puts links to a secret, to another file and to another project at names
that the rest of the line uses. Whatever the hook lets run, the secret stays unread, the file as it
was, and the other project as it is.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from laconic.box.trial import try_box
from laconic.contain import look
from laconic.engine import Request, decide_request
from laconic.settings.load import read_settings

pytestmark = pytest.mark.usefixtures("can_box")
LINES = int(os.environ.get("LACONIC_TEST_LINES", "12"))
SECRET = "astray-secret-4711"
# Names that the script turns into links, once it has run.
SCRIPTS = ("./x.sh", "./x.sh", "./x.sh > log", "./x.sh 2>&1 | tail -2", "timeout 9 ./x.sh")
PIECES = (
    "./x.sh", "cat out", "head -1 out", "cat < out", "echo bad > out", "echo bad >> out",
    "tee out < a", "cp a out", "sort out",
    "grep -r astray .", "cd way", "(cd way && ./y.sh)", "cat way/y.sh", "ls way", "touch way/new",
    "./y.sh", "sleep 0.1", "python3 -c 'import json; print(json)'", "git status", "sed -n 1p out",
    "wc -l out", "echo ok", "cat out | head -1", "read -r line < out; echo $line", "mv a way/a",
    "echo $(cat out)", "diff a out", "cat <(cat out)", "while read -r l; do echo $l; done < out",
    "true", "awk 1 out", "echo bad | tee out", "frobnicate out", "cat out > log",
)  # fmt: skip
SHAPES = (
    "{0}; {1}", "{0} && {1}", "{0}\n{1}", "{0} | {1}", "{0} & {1}; wait", "{{ {0}; {1}; }}",
    "({0}; {1})", "for i in 1 2; do {0}; {1}; done", "if {0}; then {1}; fi", "{0} || {1}; {2}",
    "{0}; {1}; {2}", "{1} && {0} && {2}", "cd . && {0}; {1}", "{0} > >(cat); {1}", "! {0}; {1}",
    "x=$({0}); {1}", "{0}; x=1; {1}", "trap '{1}' EXIT; {0}", "f() {{ {1}; }}; {0}; f",
    "while {0}; do {1}; break; done", "case a in a) {0};; esac; {1}", "bash -c '{0}'; {1}",
)  # fmt: skip


def lines(count):
    """Yield lines in which the script comes first; all pieces and shapes have their turn."""
    chance = random.Random(count)
    while count:
        pieces, shapes = (chance.sample(some, len(some)) for some in (PIECES, SHAPES))
        for pos, piece in enumerate(pieces[:count]):
            others = (chance.choice(SCRIPTS), piece, chance.choice(PIECES))
            yield shapes[pos % len(shapes)].format(*others)
        count -= min(count, len(pieces))


def test_a_hostile_script_leads_nothing_astray(project, home, monkeypatch):
    monkeypatch.setenv("LACONIC_NO_SERVER", "1")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    environ = dict(os.environ)
    assert try_box(environ).is_good
    config = home / ".config/laconic/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[settings]\nprofile = "work"\n')
    (home / "other/.git").mkdir(parents=True)
    (home / ".ssh").mkdir()
    ran = 0
    for line in lines(LINES):
        prepare(project, home)
        request = Request(line, str(project), environ)
        settings = read_settings(environ, str(project))
        decision, text = look(request, decide_request(request, settings), settings)
        if not decision.in_box:
            continue
        ran += 1
        before = contents(home)
        done = subprocess.run(
            ["bash", "-c", text], cwd=project, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
        assert contents(home) == before, text
        assert SECRET not in done.stdout + done.stderr, text
    assert ran > LINES // 4  # or this tests nothing


def prepare(project, home):
    subprocess.run(["git", "clean", "-qfdx"], cwd=project, check=True)
    (home / "other/y.sh").write_text("#!/bin/sh\ntouch by-y\n")
    (home / "other/y.sh").chmod(0o755)
    (home / "other/.env").write_text(f"{SECRET}\n")
    (home / ".ssh/id_rsa").write_text(f"{SECRET}\n")
    script = f"""
ln -sf {home}/.ssh/id_rsa out
rm -rf way
ln -sfn {home}/other way
echo 'import os; os.system("touch {home}/other/by-json")' > json.py
echo ran"""
    for name, text in (("x.sh", script), ("y.sh", "echo y")):
        (project / name).write_text(f"#!/bin/sh\n{text}\n")
        (project / name).chmod(0o755)
    (project / "a").write_text("a\n")
    (project / "way").mkdir()


def contents(home):
    """Return what is in the home but for what laconic has there, and caches."""
    places = [home / "other", home / ".ssh"]
    files = [path for place in places for path in sorted(place.rglob("*"))]
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in files}
