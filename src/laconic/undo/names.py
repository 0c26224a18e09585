"""The names of programs that destroy, for a first look that loads nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DESTROYING = frozenset(
    "autopep8 black bunzip2 bzip2 chgrp chmod chown clang-format cp csplit dd dos2unix ex fallocate"
    " find gawk gofmt goimports gunzip gzip install isort ln lz4 mv patch perl rename rm rmdir"
    " rsync ruff sed setfacl setfattr shfmt shred split sponge tar tee touch truncate unix2dos"
    " unlink unlz4 unxz unzip unzstd xz yapf zip zstd".split()
)
_GIT_READING = frozenset(
    "status log diff show blame branch grep ls-files rev-parse describe remote fetch shortlog"
    " ls-tree cat-file rev-list reflog ls-remote help version config".split()
)
_SHELLS = frozenset("bash sh dash zsh ksh".split())


def may_destroy(argv: Sequence[str]) -> bool:
    """Tell whether a closer look at a command is worth its time; wrong answers cost only that."""
    name = argv[0].rsplit("/", 1)[-1]
    if name == "git":
        first = next((word for word in argv[1:] if not word.startswith("-")), "")
        return first not in _GIT_READING or len(argv) > 2  # noqa: PLR2004 - `git branch -D x`
    return name in _DESTROYING or name in _SHELLS
