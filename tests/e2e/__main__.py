"""`make e2e`: fetches the agents, says which cannot be had, and runs the tests with the others."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from e2e.agents import fetch, read_agents
from e2e.sandboxes import SRT


def main() -> int:
    """Return 0 without a test when no agent can be fetched: then the network is missing."""
    agents = read_agents()
    with ThreadPoolExecutor(4) as pool:
        complaints = dict(zip(agents, pool.map(fetch, agents.values()), strict=True))
    if why := fetch(SRT):
        print(f"e2e: {SRT.name} is skipped, it cannot be fetched: {why}")
    missing = {name: why for name, why in complaints.items() if why}
    if len(missing) == len(agents):
        print(f"e2e: skipped, no agent can be fetched: {next(iter(missing.values()))}")
        return 0
    for name, why in missing.items():
        print(f"e2e: {name} is skipped, it cannot be fetched: {why}")
    here = str(Path(__file__).parent)
    return pytest.main([here, "-p", "no:cacheprovider", "--tb=short", "-q", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
