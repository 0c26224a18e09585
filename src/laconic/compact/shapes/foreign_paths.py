"""Whose code a file is, by its path: the project's own, or that of somebody else."""

from __future__ import annotations

from laconic.patterns import pattern

_FOREIGN_PATH = pattern(
    r".*(?:site-packages|dist-packages|node_modules|/\.cargo/registry|/rustc/[0-9a-f]{40}"
    r"|/go/pkg/mod|/usr/local/go/src|/usr/lib/go|/lib/python\d|/python\d\.\d+/|/\.pyenv/|/rustlib/)"
    r".*|<frozen .*|<string>|node:.*|internal/.*|/usr/(?:lib/|include/|(?:local/)?bin/).*"
    # what an installer wrote to start a program
    r"|.*/(?:\.?v?env|\.local|virtualenvs/[^/]+|\.[nt]ox/[^/]+)/bin/[\w.-]+"
)


def is_foreign_path(path: str) -> bool:
    """Tell whether a file belongs to a library, to the language or to an installation."""
    return _FOREIGN_PATH.fullmatch(path) is not None
