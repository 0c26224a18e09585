"""Shows what the oracle tests counted at the end of a run, also of one in several processes."""

from __future__ import annotations

from typing import Any

import pytest

_LINES: list[str] = []
_KEY = "oracle"


def report(line: str) -> None:
    """Add a line to the summary of the run."""
    _LINES.append(line)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the lines over to the process that prints, if that is another one."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_KEY] = _LINES


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _LINES.extend(getattr(node, "workeroutput", {}).get(_KEY, []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _LINES:
        terminalreporter.section("bash as the oracle")
        for line in _LINES:
            terminalreporter.write_line(line)
