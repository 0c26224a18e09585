"""Notes of compilers, and the steps of instantiation that lead to an error inside a library.

https://gcc.gnu.org/onlinedocs/gcc/Diagnostic-Message-Formatting-Options.html
"""

from __future__ import annotations

from itertools import pairwise

from laconic.compact.shapes.finding import AT_PLACE
from laconic.compact.shapes.finding_block import is_carets, is_excerpt
from laconic.compact.shapes.rows import made, placed, raw_of, short
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_CONTEXT = pattern(
    r"In file included from .*|\s+from \S+:\d+[:,]$|\S+: At (?:global scope|top level):"
    r"|\S+: In (?:function|member function|static member|instantiation|substitution|constructor"
    r"|destructor|lambda).*"
)
_DULL_NOTE = pattern(
    r"note:\s+(?:candidate|template argument|each undeclared identifier|in expansion of macro"
    r"|in definition of macro|expanded from|declared here|previous (?:declaration|definition)"
    r"|no known conversion|.* is not derived from|candidate template ignored|declared private here"
    r"|shadowed declaration is here|previous .* (?:was )?here|qualify call to silence).*"
    r"|note: .* (?:declared|defined)(?: \w+)? here"
)
_HERE = pattern(r".*:\s+required from here\s*")
_REQUIRED = pattern(r"\S+:\d+(?::\d+)?:\s+(?:recursively )?required (?:from|by) .*")
_FOREIGN = pattern(
    r"(?:/usr/|/opt/|/nix/|/Library/|[A-Z]:\\Program).*"
    r"|.*(?:site-packages|node_modules|\.cargo/registry|/go/pkg/mod)/.*"
)
_LONGEST = 160  # characters of an instantiation


def notes(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Count a compiler's notes and what leads to an error inside a library."""
    del asked
    lines = raw_of(rows)
    found = [i for i in lines if _is_note(texts[i])]
    context = [i for i in lines if _CONTEXT.fullmatch(texts[i])]
    steps = [i for i in lines if _REQUIRED.fullmatch(texts[i])]
    if not found and not context and not steps:
        return rows
    kept = _kept(lines, set(steps), texts)
    gone = {i for i in (*found, *context, *steps) if i not in kept}
    excerpts = _below(lines, gone, texts)
    instead: dict[int, list[Row]] = {i: [row] for i, row in kept.items()}
    if len(found) + len(steps) > len(kept):
        last = max(gone)
        hidden = [i for i in steps if i not in kept]
        instead[last] = [made(f"[{_counted(len(found), len(hidden))} hidden]", [last])]
    return placed(rows, instead, gone | excerpts)


def _kept(lines: list[int], steps: set[int], texts: Texts) -> dict[int, Row]:
    """The place in the project that an instantiation begins with, and the step before it."""
    kept: dict[int, Row] = {}
    for before, here in pairwise([-1, *lines]):  # what is above the first may be shown already
        if _HERE.fullmatch(texts[here]) and not _FOREIGN.fullmatch(texts[here]):
            text = texts[before] if before in steps else ""
            cut = f"{text[:_LONGEST]}…" if len(text) > _LONGEST else text
            kept |= {before: short(cut, before, texts)} if text else {}
            kept[here] = here
    return kept


def _counted(notes: int, steps: int) -> str:
    parts = [f"{notes} note{'s' if notes > 1 else ''}"] if notes else []
    if steps:
        parts.append(f"{steps} step{'s' if steps > 1 else ''} of instantiation")
    return " and ".join(parts)


def is_context(text: str) -> bool:
    """Tell whether a line only leads to a finding: `a.c: In function 'f':`."""
    return bool(_CONTEXT.fullmatch(text) or _REQUIRED.fullmatch(text))


def _is_note(text: str) -> bool:
    """Tell whether a line is a note that explains an error and names none."""
    match = AT_PLACE.fullmatch(text)
    if match is None or not match["rest"].startswith("note:"):
        return False
    rest = match["rest"]
    return bool(_DULL_NOTE.fullmatch(rest) or _FOREIGN.fullmatch(match["path"]))


def _below(lines: list[int], gone: set[int], texts: Texts) -> set[int]:
    """The source excerpts below the lines that go."""
    found: set[int] = set()
    is_inside = False
    for pos, index in enumerate(lines):
        text = texts[index]
        below = texts[lines[pos + 1]] if pos + 1 < len(lines) else ""
        is_source = is_carets(below) and lines[pos - 1] in gone  # of clang, which has no numbers
        if is_inside and (is_excerpt(text) or is_source):
            found.add(index)
        else:
            is_inside = index in gone
    return found
