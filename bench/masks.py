"""Count what is masked in recorded outputs, and what looking for it costs.

`python bench/masks.py [FILE.jsonl ...]`: the recorded outputs of tests/cases/compact, and all texts
of several lines in files with a JSON object on each line. Every line that is masked is printed, to
be judged by a person: at most one in a hundred thousand may be masked by mistake.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from laconic.secrets.mask import Masker

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parent.parent / "tests/cases/compact"


def outputs(paths: list[str]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(CASES.rglob("*.in")):
        yield path.name, path.read_bytes()
    for name in paths:
        for number, line in enumerate(Path(name).read_text().splitlines(), 1):
            for key, value in json.loads(line).items():
                if isinstance(value, str) and "\n" in value:
                    yield f"{name}:{number}:{key}", value.encode("utf-8", "surrogatepass")


def main(paths: list[str]) -> None:
    lines = size = found = 0
    spent = 0.0
    for name, data in outputs(paths):
        mask = Masker({})
        started = time.process_time()
        shown = mask.mask(data)
        spent += time.process_time() - started
        lines, size, found = lines + data.count(b"\n"), size + len(data), found + mask.found
        for before, after in zip(data.split(b"\n"), shown.split(b"\n"), strict=True):
            if before != after:
                print(f"{name}: {after.decode(errors='replace')[:200]}")
    print(f"{found} masks in {lines:,} lines")
    print(f"{spent * 1e9 / size:.1f} ms/MB in outputs of {size // 1000:,} KB as they are")
    whole = b"".join(data for _, data in outputs(paths))
    started = time.process_time()
    Masker({}).mask(whole)
    print(f"{(time.process_time() - started) * 1e9 / size:.1f} ms/MB in one piece")


if __name__ == "__main__":
    main(sys.argv[1:])
