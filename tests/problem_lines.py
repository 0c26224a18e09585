"""Problems of a file as `.err` files have them: a line each, and their hints."""

from __future__ import annotations


def as_text(problems) -> str:
    lines = []
    for problem in problems:
        lines += [problem.line, *([f"hint: {problem.hint}"] if problem.hint else [])]
    return "".join(f"{line}\n" for line in lines)
