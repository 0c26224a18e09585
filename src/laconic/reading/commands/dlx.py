"""Runners that fetch what they run: uvx, pipx run, yarn dlx, pnpm dlx, bun x.

Unsafe: whatever the project does not have comes from a registry and runs as it comes.
https://docs.astral.sh/uv/guides/tools/, https://pnpm.io/cli/dlx, https://pipx.pypa.io/stable/docs/
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.packages import has_package
from laconic.types import Effect

_PACKAGE = frozenset(("--from", "--package", "--spec"))
_WITH_VALUE = frozenset("--with --python -p --index --index-url --default-index --pip-args".split())


def judge(call: Call) -> None:
    package = _package(call.arguments)
    if package is None or package.text is None:
        call.does(Effect.RUNS_FETCHED, "fetched", "fetches a package that is not known and runs it")
    elif not has_package(call, package.text):
        why = f"fetches {package.text} and runs it: the project does not have it"
        call.does(Effect.INSTALLS | Effect.RUNS_FETCHED, "fetched", why, package)


def _package(arguments: list[Argument]) -> Argument | None:
    """The package that an option names, else the first word that is not the value of an option."""
    before = ""
    for argument in arguments:
        word = argument.text or argument.leading
        name, equals, value = word.partition("=")
        if name in _PACKAGE and equals:
            return argument.behind(len(word) - len(value))
        if before in _PACKAGE or (word[:1] != "-" and before not in _WITH_VALUE):
            return argument
        before = word
    return None
