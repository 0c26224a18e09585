"""Parses Python code quietly, and without a look at any file."""

from __future__ import annotations

import ast
import warnings

# For the text of an error CPython opens the file that is named, `<unknown>` in the current
# directory if none is: Python/pythonrun.c, PyErr_ProgramTextObject. There is none of this name.
_NO_FILE = "/dev/null/code"


def tree_of(code: str) -> ast.Module | None:
    """The tree of the code; None if it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code, _NO_FILE)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
