"""make gate-report: what it counts, and that it is content without the files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

REPORT = Path(__file__).parent.parent / "bench/gate_report.py"


def report(directory):
    done = subprocess.run(
        [sys.executable, REPORT, directory], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_without_the_files_it_says_so(tmp_path):
    status, out = report(tmp_path / "nothing")
    assert status == 0
    assert out.endswith("so there is nothing to measure\n")


def test_it_counts_what_is_allowed(tmp_path):
    no, yes = ["ask", "deny"], ["allow"]
    bypass = [
        {"command": "ls", "expected": no, "proven": True},
        {"command": "rm x", "expected": no, "proven": True},
        {"command": "pwd", "expected": no, "proven": True, "policy": True},
        {"command": "rm y", "expected": no, "proven": False},
    ]
    gate = [
        {"command": "git status", "expected": yes},
        {"command": "zz", "expected": yes},
        {"command": "git push", "expected": no},
        {"command": "git log", "expected": no},
        {"command": "nice python3 -m json.tool x", "expected": no},
        {"command": "rm -rf /", "expected": ["deny"]},
    ]
    for name, rows in (("bypass", bypass), ("gate", gate)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    status, out = report(tmp_path)
    assert status == 0
    for line in (
        "bypass.jsonl, default: 4 rows, 3 with one undisputed answer",
        "  proven        1 of     2 ( 50.00 %) allowed",
        "  unproven      0 of     1 (  0.00 %) allowed",
        "  harmless      1 of     2 ( 50.00 %) allowed",
        "  deny          0 of     1 (  0.00 %) allowed",
        "  ask           2 of     4 ( 50.00 %) allowed",
        '    "git log"\n        git/log: ',
        "        python3: python3: the module json.tool only reads and prints\n        nice: ",
        "speed over gate.jsonl: median ",
        "length: microseconds per KB",
    ):
        assert line in out
