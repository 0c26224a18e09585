"""cargo: what stands behind `--` goes to the compiler or the formatter.

Unsafe: compiler options that write files or name programs (`-o`, `-Clinker=`), and a configuration
for rustfmt.
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

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
    if parsed is None:
        return
    accepted = _LINTS if call.path[1] == "clippy" else _FORMATTING
    for operand in parsed.operands:
        if not parsed.ended or operand.text is None or not accepted.fullmatch(operand.text):
            call.unlisted("argument", "an argument for the compiler that is not known", operand)
