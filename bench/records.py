"""Measure the reports over many runs: python bench/records.py [ROWS], a million without a number.

The runs are spread evenly over 390 days, 40 programs and 8 projects: that makes more sums of days
than a person's own runs would.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from laconic.record.database import DATABASE
from laconic.record.migrations import migrate
from laconic.record.schema import COLUMNS

QUESTIONS = (
    "gain", "gain --daily", "gain --weekly", "gain --by filter", "gain --by command",
    "gain --by project --daily", "gain --since 7d", "history", "stats recalls",
)  # fmt: skip


def fill(path: Path, count: int) -> None:
    chance = random.Random(1)  # noqa: S311 - the same rows every time
    names = COLUMNS["runs"]
    now = time.time_ns() // 1000
    insert = f"INSERT INTO runs ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection)
        connection.execute("BEGIN")
        for number in range(count):
            program = f"tool{chance.randrange(40)} test"
            row: dict[str, object] = {
                **dict.fromkeys(names, 1),
                "id": number,
                "time": now - chance.randrange(390 * 86_400_000_000),
                "command": f"{program} some/path/to/file_{number}.py",
                "program": program,
                "filter": program.replace(" ", "/") if number % 3 else "",
                "input_tokens": 1000,
                "output_tokens": 400,
                "project": f"/home/me/project{chance.randrange(8)}",
                "agent": "claude-code",
                "session": "0123456789abcdef",
                "raw_id": f"{number:06}" if number % 3 else "",
            }
            connection.execute(insert, [row[name] for name in names])
        connection.execute("COMMIT")


def main(argv: list[str]) -> None:
    count = int(argv[0]) if argv else 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        started = time.perf_counter()
        fill(Path(directory) / DATABASE, count)
        print(f"{count:,} runs written in {time.perf_counter() - started:.1f} s")
        for question in QUESTIONS:
            spent = []
            for _ in range(3):
                started = time.perf_counter()
                subprocess.run(  # noqa: S603 - our own command
                    [sys.executable, "-m", "laconic", *question.split()],
                    env={**os.environ, "LACONIC_STATE_DIR": directory},
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                spent.append(time.perf_counter() - started)
            print(f"{min(spent):6.2f} s  laconic {question}")


if __name__ == "__main__":
    main(sys.argv[1:])
