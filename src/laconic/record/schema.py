"""The columns of the records' tables, which data/schema.sql makes and explains."""

from __future__ import annotations

COLUMNS = {
    "runs": (
        "id", "time", "command", "program", "filter", "status", "duration_ms", "raw_bytes",
        "raw_tokens", "piped_tokens", "shown_tokens", "input_tokens", "output_tokens", "exact",
        "pipe_override", "project", "agent", "session", "raw_id", "sandboxed",
    ),
    "recalls": ("id", "time", "raw_id", "filter", "program", "project", "tokens", "exact"),
    "expired": ("raw_id", "time", "reason"),
}  # fmt: skip
