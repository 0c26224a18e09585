"""Measure the estimate of tokens against real tokenizers: python bench/tokens.py COUNTS.json DIR.

COUNTS.json holds {"file": [tokens, ...]} for the files in DIR, as counted by any tokenizers. With
no arguments the recorded outputs of tests/cases/compact are counted by the tokenizer that laconic
uses where it is installed (`pip install 'laconic[tokens]'`), and its speed is measured.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from laconic.compact.tokens import estimate
from laconic.record import tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CASES = Path(__file__).parent.parent / "tests/cases/compact"
SMALLEST = 500  # bytes


def counted(argv: list[str]) -> list[tuple[str, str, float]]:
    """Name, text and true number of tokens of each output."""
    if argv:
        counts, directory = json.loads(Path(argv[0]).read_text()), Path(argv[1])
        return [(n, read(directory / n), statistics.mean(c)) for n, c in counts.items()]
    count = exact_counter()
    if count is None:
        sys.exit("no tokenizer is installed: pip install 'laconic[tokens]'")
    paths = [path for path in sorted(CASES.rglob("*.in")) if path.stat().st_size > SMALLEST]
    texts = [(str(path.relative_to(CASES)), read(path)) for path in paths]
    show_speed("recorded outputs", "".join(text for _, text in texts), count)
    show_speed("a line of dashes", "-" * tokenizer.MOST_BYTES, count)
    return [(name, text, count(text)) for name, text in texts]


def exact_counter() -> Callable[[str], int] | None:
    started = time.perf_counter()
    try:
        count = tokenizer.counter()
    except ImportError:
        return None
    print(f"the vocabulary loads in {(time.perf_counter() - started) * 1000:.0f} ms")
    return count


def show_speed(name: str, text: str, count: Callable[[str], int]) -> None:
    started = time.perf_counter()
    count(text)
    megabytes = len(text.encode()) / 1e6
    print(f"{name}: {megabytes / (time.perf_counter() - started):.1f} MB/s")


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def report(name: str, errors: list[float]) -> None:
    sizes = sorted(abs(error) for error in errors)
    tenth = sizes[int(len(sizes) * 0.9)]
    print(f"{name:16} {statistics.mean(sizes):6.1%} {tenth:10.1%} {sizes[-1]:8.1%}")


def main(argv: list[str]) -> int:
    found = counted(argv)
    print(f"{len(found)} outputs   mean error   9 of 10    worst")
    report("the estimate", [estimate(text) / tokens - 1 for _, text, tokens in found])
    report("bytes / 4", [len(text.encode()) / 4 / tokens - 1 for _, text, tokens in found])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
