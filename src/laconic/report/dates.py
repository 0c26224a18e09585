"""The one form in which people read times: 2026-11-15 14:03:05, by the clock of the machine."""

from __future__ import annotations

from datetime import UTC, datetime

_MICRO = 1_000_000


def local(seconds: float) -> str:
    """Return a time that is counted in seconds since 1970."""
    return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M:%S}"


def local_of(stored_us: int) -> str:
    """Return a time of the records, which count microseconds."""
    return local(stored_us / _MICRO)


def from_iso(text: str) -> str:
    """Return a time of the log; as it is if it is not one."""
    try:
        return local(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        return text


def utc(stored_us: int) -> str:
    """Return a time of the records for programs: ISO 8601, in UTC."""
    at = datetime.fromtimestamp(stored_us / _MICRO, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
