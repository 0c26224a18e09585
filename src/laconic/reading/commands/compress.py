"""Compressors: harmless when they print, list or test, or work on their standard streams.

Unsafe: an operand without -c, -l or -t is replaced by its packed or unpacked form, which may be a
file that decides what programs run; of -t, -l, -d and -z the last one counts, but bzip2 reads its
long options after its short ones.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call

_SUFFIX = pattern(r"\.(?:gz|z|Z|bz2?|xz|lzma|lz|lz4|lzo|zst|br)$")
_PRINTS = ("-c", "--stdout", "--to-stdout")
_LOOKS = ("-t", "--test", "-l", "--list")
_SHORT_FIRST = frozenset("bzip2 bunzip2 lbzip2 pbzip2".split())
_WRITES = ("-d", "--decompress", "--uncompress", "-z", "--compress")


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed.operands and not _changes_nothing(call.path[0], parsed):
        for operand in parsed.operands:
            call.deletes(operand, recursive=False, verb="packs or unpacks, and then deletes,")
            made = _SUFFIX.sub("", operand.text or "")
            unpacked = Argument(made, operand.start, operand.end)
            if made != operand.text and call.leads_to_guarded(unpacked):
                call.writes(unpacked)


def _changes_nothing(program: str, parsed: Parsed) -> bool:
    modes = [option.name for option in parsed.options if option.name in (*_LOOKS, *_WRITES)]
    counting = modes if program in _SHORT_FIRST else modes[-1:]
    return parsed.has(*_PRINTS) or (bool(counting) and all(mode in _LOOKS for mode in counting))
