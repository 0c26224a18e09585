"""Shows what the oracle tests counted at the end of a test run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_LINES: list[str] = []


def report(line: str) -> None:
    """Add a line to the summary of the run."""
    _LINES.append(line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _LINES:
        terminalreporter.section("bash as the oracle")
        for line in _LINES:
            terminalreporter.write_line(line)
