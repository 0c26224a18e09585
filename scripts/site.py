"""Puts the pages of docs/ and of the top directory together for the site: make site.

python scripts/site.py DIRECTORY. The README is the first page. Links are written anew for the
places where the pages are then; a link to what is not part of the site stays as its text.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIRST, CONTENTS = ROOT / "README.md", ROOT / "docs/index.md"
LINK = r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)"
FENCE = r"(?ms)(^```.*?^```$)"
# A paragraph in an item of a list: GitHub takes two blanks, mkdocs wants four, and an empty line
# before the next item.
IN_ITEM, BEFORE_ITEM = r"(?m)^ {2,3}(?=\S)", r"(\n\n(?: {4}\S.*\n)+)(?=(?:[-*]|\d+\.) )"


def places() -> dict[Path, Path]:
    """Return each page and picture, and where it is in the site."""
    top = {path: Path(path.name) for path in ROOT.glob("*.md")}
    below = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".svg")]
    return (
        top
        | {path: path.relative_to(ROOT / "docs") for path in below}
        | {FIRST: Path("index.md"), CONTENTS: Path("contents.md")}
    )


def rewritten(text: str, source: Path, where: dict[Path, Path]) -> str:
    """Return a page with links and lists that are right in the site; code stays as it is."""

    def link(found: re.Match[str]) -> str:
        mark, shown, target = found.groups()
        path, hash_sign, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        place = where.get(Path(os.path.normpath(source.parent / path)))
        if place is None:
            return str(shown)
        return f"{mark}[{shown}]({os.path.relpath(place, where[source].parent)}{hash_sign}{anchor})"

    parts = re.split(FENCE, text)
    for number, part in enumerate(parts):
        if not part.startswith("```"):
            wide = re.sub(IN_ITEM, "    ", re.sub(LINK, link, part))
            parts[number] = re.sub(BEFORE_ITEM, r"\1\n", wide)
    return "".join(parts)


def main(argv: list[str]) -> int:
    target = Path(argv[0])
    shutil.rmtree(target, ignore_errors=True)
    where = places()
    for source, place in where.items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            (target / place).write_text(rewritten(source.read_text(), source, where))
        else:
            shutil.copyfile(source, target / place)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
