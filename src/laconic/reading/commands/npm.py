"""npm and pnpm: packages that are shown must be packages of the registry.

Unsafe: a package that is a repository, an archive or a directory (`git+https://..`, `owner/name`,
`./x`). For `npm diff` and `npm pack` npm prepares it, which runs its scripts; for the others it
runs git, or what the project's .npmrc names as such.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_SHOWING = frozenset("view info show v docs home repo bugs issues diff".split())
_OF_REGISTRY = pattern(r"(?:@[^/:]+/)?[^/:]*")


def judge(call: Call) -> None:
    if call.path[1] not in _SHOWING:
        return
    is_diff = call.path[1] == "diff"  # its operands are files in the packages
    named = call.parsed.values("--diff") if is_diff else call.parsed.operands
    for package in named:
        if not package.is_static or not _OF_REGISTRY.fullmatch(package.text or ""):
            call.does(
                Effect.INSTALLS,
                Kind.PACKAGE,
                "a package that is not from the registry may run code",
                package,
            )
