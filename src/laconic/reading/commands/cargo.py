"""cargo: arguments after `--` go to the compiler or the formatter.

Unsafe: compiler options that write files or name programs (`-o`, `-Clinker=`), and a configuration
for rustfmt.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect

_RESOLVES = frozenset("fetch update generate-lockfile".split())
_PASSES_ON = frozenset("check clippy doc fmt".split())
_LINTS = pattern(
    r"-[DWAF](?:[a-z][a-z_:-]*)?|--(?:deny|warn|allow|forbid)(?:=[a-z][a-z_:-]*)?|[a-z][a-z_:-]*"
)
# `rustfmt --help`; --emit, --config, --config-path and --backup choose files, or change them.
_FORMATTING = pattern(
    r"--check|-l|--files-with-diff|-v|--verbose|-q|--quiet|--unstable-features|--skip-children"
    r"|--color(?:=(?:always|never|auto))?|--edition(?:=20[0-9]{2})?|always|never|auto|20[0-9]{2}"
)


def judge(call: Call) -> None:
    parsed = call.parsed
    verb = call.path[1]
    if verb in _RESOLVES and not parsed.has("--dry-run", "-n"):
        call.does(Effect.INSTALLS, "", "fetches dependencies and changes the lock file")
    if verb == "fmt" and not any(a.text == "--check" for a in call.arguments):
        call.does(Effect.PROJECT_WRITE, "", "rewrites the project's code in good form")
    if verb not in _PASSES_ON:
        return
    accepted = _LINTS if verb == "clippy" else _FORMATTING
    for operand in parsed.operands:
        if not parsed.ended or operand.text is None or not accepted.fullmatch(operand.text):
            call.unlisted("argument", "an argument for the compiler that is not known", operand)
