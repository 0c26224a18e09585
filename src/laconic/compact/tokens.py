"""How many tokens a text costs: an estimate from classes of bytes.

The weights are fitted to the vocabulary o200k on 758 real outputs of commands; docs/filters.md has
the error, bench/tokens.py measures it. Bytes divided by four is wrong by a quarter: digits, marks
and ends of lines cost most. What is shown is decided by the estimate, because a real
vocabulary takes as long to load as a whole run; the records may have counts (record/tokenizer.py).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.lines import Lines

_PER_NEWLINE = 1.34
_PER_SPACES = 0.38  # a run of blanks
_PER_DIGIT, _PER_NUMBER = 0.255, 1.25
_PER_LOWER, _PER_UPPER = 0.139, 0.23
_PER_MARKS = 0.795  # a run of punctuation
_PER_OTHER = 0.22  # a byte that is not ASCII

_DIGITS = b"0123456789"
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_BLANKS = b" \t"
_OTHERS = bytes(range(128, 256))
_MARKS = bytes(set(range(128)) - set(_DIGITS + _LOWER + _UPPER + _BLANKS + b"\n"))
_SAMPLES, _SAMPLE = 16, 4096
_GOLDEN = 0.618034  # what its multiples are beyond an integer is spread evenly


def estimate(text: str) -> int:
    """Return the number of tokens; of a long text, from samples of it."""
    return estimate_bytes(text.encode("utf-8", "surrogateescape"))


def estimate_bytes(raw: bytes) -> int:
    if len(raw) <= _SAMPLES * _SAMPLE:
        return round(_cost(raw))
    step = (len(raw) - _SAMPLE) // (_SAMPLES - 1)
    sample = b"".join(raw[n * step : n * step + _SAMPLE] for n in range(_SAMPLES))
    return round(_cost(sample) * len(raw) / len(sample))


def estimate_lines(lines: Lines) -> int:
    """The same for the text of all lines, without a copy of it."""
    if len(lines.chunks) <= _SAMPLES:
        return estimate(lines.text)
    step = (len(lines.chunks) - 1) // (_SAMPLES - 1)
    samples = [_part(lines.chunks[number], number) for number in range(0, len(lines.chunks), step)]
    cost = sum(_cost(sample.encode("utf-8", "surrogateescape")) for sample in samples)
    return round(cost * lines.size / sum(map(len, samples)))


def _part(chunk: str, number: int) -> str:
    """A piece of a chunk, in each at another place: an output may repeat itself."""
    start = int(max(0, len(chunk) - _SAMPLE) * (number * _GOLDEN % 1))
    return chunk[start : start + _SAMPLE]


def _cost(raw: bytes) -> float:
    kinds = raw.translate(_KINDS)
    bits = int.from_bytes(kinds, "little")
    # the first byte of each run: its kind is not that of the byte before it
    starts = (bits ^ (bits & bits << 8)).to_bytes(len(raw) + 1, "little")
    others = 0 if raw.isascii() else kinds.count(_OTHER)
    return (
        _PER_NEWLINE * raw.count(b"\n")
        + _PER_SPACES * starts.count(_BLANK)
        + _PER_DIGIT * kinds.count(_DIGIT)
        + _PER_NUMBER * starts.count(_DIGIT)
        + _PER_LOWER * kinds.count(_SMALL)
        + _PER_UPPER * kinds.count(_CAPITAL)
        + _PER_MARKS * starts.count(_MARK)
        + _PER_OTHER * others
    )


# One bit for each kind, so that the runs of all are found at once.
_DIGIT, _CAPITAL, _BLANK, _MARK, _SMALL, _OTHER = 1, 2, 4, 8, 16, 32


def _kind(byte: int) -> int:
    kinds = (
        (_DIGITS, _DIGIT), (_UPPER, _CAPITAL), (_BLANKS, _BLANK), (_MARKS, _MARK),
        (_LOWER, _SMALL), (_OTHERS, _OTHER),
    )  # fmt: skip
    return sum(bit for members, bit in kinds if byte in members)


_KINDS = bytes(map(_kind, range(256)))
