"""What a model is shown of an output: what matters, without secrets, and the rest kept by an id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from laconic.compact.lines import read_streams
from laconic.compact.notice import masked, notice
from laconic.compact.tokens import estimate_bytes
from laconic.record.store import Store
from laconic.run.plan import plan_run
from laconic.run.task import Task
from laconic.secrets.mask import Masker
from laconic.settings.load import Settings

_UNKNOWN_STATUS = 1  # counts as a failure, so that every diagnostic stays


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOutput:
    """text: what to read. raw_id: the kept copy, empty if all is shown or nothing is kept."""

    text: str
    raw_id: str = ""
    saved_tokens: int = 0


def show(
    command: str,
    out: bytes,
    err: bytes,
    status: int | None,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    keeps: bool,
) -> ShownOutput:
    """Compact an output; all of it is shown where that fails, saves nothing or cannot be kept."""
    raw = _joined(out, err)
    raw_id, text, line = "", raw, ""
    try:
        task = Task(["sh", "-c", command])
        task.is_wrapped, task.settings = True, settings
        view = plan_run(task, {}).view
        known = _UNKNOWN_STATUS if status is None else status
        compacted = view.compacted(known, read_streams(out, err), spares_alarm=True)
        if compacted is not None and (not keeps or (raw_id := _kept(out, err, settings))):
            text = compacted.text().encode("utf-8", "surrogateescape")
            line = notice(compacted, raw_id)
    except Exception:  # noqa: BLE001 - whatever happened, everything is shown
        raw_id, text, line = "", raw, ""
    masker = Masker.of(environ)
    text = masker.mask(text)
    if masker.found and not line:
        line = f"[laconic: {masked(masker.found)}]"
    shown = text.decode("utf-8", "replace")
    if line:
        shown = f"{shown}{'' if shown.endswith(chr(10)) or not shown else chr(10)}{line}"
    saved = estimate_bytes(raw) - estimate_bytes(shown.encode()) if raw_id or line else 0
    return ShownOutput(text=shown, raw_id=raw_id, saved_tokens=max(saved, 0))


def _joined(out: bytes, err: bytes) -> bytes:
    return out + (b"\n" if out and err and not out.endswith(b"\n") else b"") + err


def _kept(out: bytes, err: bytes, settings: Settings) -> str:
    limits = settings.config.compact
    store = Store(settings.directories.state, limits.store_mb, limits.store_days)
    try:
        return store.keep({"out": out, "err": err} if err else {"both": out})
    except OSError:
        return ""
