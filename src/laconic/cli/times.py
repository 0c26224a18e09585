"""Times as people type them: `30m`, `2h`, `2026-11-30`, `2026-11-30T18:00`."""

from __future__ import annotations

from datetime import datetime

from laconic.errors import UsageError
from laconic.settings.schema import span_s


def seconds(text: str) -> int:
    """Convert a time span to seconds."""
    span = span_s(text)
    if span is None:
        raise UsageError(f"{text!r} is not a time span", "a number and s, m, h, d or w: 30m")
    return span


def moment(text: str, now: float) -> float:
    """Convert a date or time to seconds since the epoch; a date means its start, in local time."""
    try:
        at = datetime.fromisoformat(text.strip())
        return (at if at.tzinfo else at.astimezone()).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        hint = f"{datetime.fromtimestamp(now).astimezone():%Y-%m-%d} or with T18:00"
        raise UsageError(f"{text!r} is not a date or time", hint) from error


def since(text: str, now: float) -> float:
    """Convert the value of `--since`, a time span before now (`2h`) or a date or time."""
    is_span = text.strip()[-1:].isalpha()
    try:
        return now - seconds(text) if is_span else moment(text, now)
    except UsageError as error:
        today = f"{datetime.fromtimestamp(now).astimezone():%Y-%m-%d}"
        hint = f"30m, 2h, 7d or {today}"
        raise UsageError(f"{text!r} is neither a span nor a date", hint) from error
