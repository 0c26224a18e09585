"""Makes one line of equal neighbours, with their number: `(x12)`."""

from __future__ import annotations

from laconic.compact.result import MADE, Row, Shown, numbers_of, texts_of


def dedupe(rows: list[Row], texts: list[str]) -> list[Row]:
    written = texts_of(rows, texts)
    kept: list[Row] = []
    pos = 0
    while pos < len(rows):
        text, end = written[pos], pos + 1
        while end < len(rows) and written[end] == text and text.strip():
            end += 1
        if end - pos == 1:
            kept.append(rows[pos])
        else:
            numbers = tuple(number for row in rows[pos:end] for number in numbers_of(row))
            kept.append(Shown(MADE, f"{text} (x{end - pos})", numbers))
        pos = end
    return kept
