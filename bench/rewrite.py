"""How long a rewrite takes beyond the parse, in a warm process; the aim is 200 microseconds."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from laconic.compact.load import load_filters
from laconic.knowledge.catalog import library
from laconic.rewrite.from_config import Options
from laconic.rewrite.plan import rewrite
from laconic.shell import ParseError, parse
from laconic.shell.parser import forget

AIM_US = 200
ROUNDS = 40


def main() -> None:
    known = load_filters(None, library()).filters
    options = Options(lambda arguments: getattr(known.find(arguments), "id", None))
    commands = Path(__file__).with_name("commands.txt").read_text().splitlines()
    beyond = sorted(median_us(c, options) for c in commands if is_command(c))
    print(f"rewrite beyond the parse, {len(beyond)} commands, microseconds")
    print(f"  median {statistics.median(beyond):.0f} (aim: at most {AIM_US})")
    print(f"  p99    {beyond[len(beyond) * 99 // 100]:.0f}")


def is_command(line: str) -> bool:
    try:
        parse(line)
    except ParseError:
        return False
    return bool(line) and not line.startswith("#")


def median_us(command: str, options: Options) -> float:
    times = []
    for _ in range(ROUNDS):
        forget()
        start = time.perf_counter()
        rewrite(command, options, library())
        middle = time.perf_counter()
        forget()
        parse(command)
        end = time.perf_counter()
        times.append((middle - start) - (end - middle))
    return statistics.median(times) * 1e6


if __name__ == "__main__":
    main()
