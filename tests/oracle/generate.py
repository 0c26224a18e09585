"""Mutate texts, and make the generated case files out of pairs, programs and mutations.

`python -m oracle.generate` writes the generated case files, always the same ones.
"""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

from .grammar import Grammar
from .pairs import pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parents[1] / "cases" / "oracle"
SEPARATOR = "\n%%\n"
# Control characters that hooks.c uses as the end of a text; no text may contain them.
RESERVED = re.compile("[\0\2\3]")


def read_cases(path: Path) -> list[str]:
    """The texts of a case file: blocks between lines `%%`; lines `%# ..` on top are comments."""
    lines = path.read_bytes().decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    while lines and lines[0].startswith("%#"):
        del lines[0]
    return "\n".join(lines).split(SEPARATOR)


INSERTS = [
    "$(", ")", "`", '"', "'", "\\", "\n", ";", "&", "|", "<", ">", "(", "{", "}", "#", " ", "$",
    "${", "((", "))", "[[", "]]", "<<E", "\nE\n", "\\\n", "<(", "$((", "!", "=", "[", "]",
    "case x in ", "esac", " do ", " done", ";;", "&&", "||", "|&", "&>", ">&", "<<<", "<<-", "$'",
    '$"', "2>", "@(", "\t", " if ", " then ", " fi", " in ", "time ", "coproc ", "function ",
    "x=(", "a[", "~", "*", "-", "é", "\r", "\x01", "\x7f",
]  # fmt: skip


def mutate(source: random.Random, texts: list[str]) -> str:
    """A text with one to three changes: cut, repeated, spliced, with metacharacters put in."""
    text = source.choice(texts)
    for _ in range(source.choice([1, 1, 1, 2, 3])):
        start = source.randint(0, len(text))
        stop = min(len(text), start + source.choice([1, 1, 2, 3, 8]))
        change = source.randrange(7)
        if change == 0:
            text = text[:start]
        elif change == 1:
            text = text[:start] + text[stop:]
        elif change == 2:
            text = text[:stop] + text[start:]
        elif change == 3:
            other = source.choice(texts)
            text = text[:start] + other[source.randint(0, len(other)) :]
        else:
            text = text[:start] + source.choice(INSERTS) + text[start:]
    return text


# -- the case files ------------------------------------------------------------------------------

SEED = 20261115
PAIRS = 1500
PROGRAMS = 500
MUTATIONS = 500
_LONGEST = 400
_GENERATED = ("pairs.txt", "programs.txt", "mutations.txt")


def _write(path: Path, title: str, texts: list[str]) -> None:
    head = f"%# {title}; made by oracle.generate\n"
    path.write_text(head + SEPARATOR.join(texts) + "\n", "utf-8", newline="\n")


def _distinct(texts: Iterator[str], count: int, known: set[str]) -> list[str]:
    """The first texts that are short, not known yet and can stand in a case file; now known."""
    found = []
    for text in texts:
        fits = text.strip() and len(text) <= _LONGEST and "%%" not in text
        if fits and text not in known and not RESERVED.search(text):
            known.add(text)
            found.append(text)
            if len(found) == count:
                break
    return found


def main() -> None:
    by_hand = [path for path in CASES.glob("*.txt") if path.name not in _GENERATED]
    known = {text for path in by_hand for text in read_cases(path)}
    source = random.Random(SEED)
    every = [text for text in dict.fromkeys(pairs()) if text not in known]
    chosen = _distinct(iter(source.sample(every, PAIRS)), PAIRS, known)
    grammar = Grammar(source)
    programs = _distinct((grammar.program() for _ in itertools.count()), PROGRAMS, known)
    base = sorted(known)
    mutations = _distinct((mutate(source, base) for _ in itertools.count()), MUTATIONS, known)
    for name, title, texts in zip(
        _GENERATED,
        ("a sample of all pairs of constructs", "programs of a random grammar",
         "texts with random changes, many of them invalid"),
        (sorted(chosen), programs, mutations),
        strict=True,
    ):  # fmt: skip
        _write(CASES / name, title, texts)


if __name__ == "__main__":
    main()
