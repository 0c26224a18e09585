"""What a line of the log costs beside the decision that it is about; it should cost less."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from laconic import engine
from laconic.engine import Request, decide_request
from laconic.settings.load import process_environment, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 10


def main() -> None:
    lines = Path(__file__).with_name("commands.txt").read_text().splitlines()
    commands = [line for line in lines if line and not line.startswith("#")]
    with tempfile.TemporaryDirectory() as directory:
        environ = {**process_environment(), "LACONIC_STATE_DIR": directory}
        settings = read_settings(environ, directory)
        requests = [Request(each, directory, environ, "claude-code") for each in commands]
        decided = [decide_request(each, settings) for each in requests]
        about = {"outcome": "ask", "session": "5b0e", "call": "toolu_9", "mode": "default"}

        def decide() -> None:
            for each in requests:
                decide_request(each.with_command(each.command), settings)

        def write() -> None:
            for each, decision in zip(requests, decided, strict=True):
                engine.record(each, decision, settings, about)

        cost = least_us(decide, len(commands)), least_us(write, len(commands))
    print(f"{len(commands)} commands, microseconds of the processor for each")
    print(f"  to decide {cost[0]:.0f}\n  to write  {cost[1]:.0f}, {cost[1] / cost[0]:.2f} of it")


def least_us(work: Callable[[], None], count: int) -> float:
    times = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) / count * 1e6


if __name__ == "__main__":
    main()
