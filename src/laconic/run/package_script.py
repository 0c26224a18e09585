"""Reads from package.json what a script of a package runs, for runners that do not print it.

`npm run --silent` and yarn 2 print nothing about the script. Only a command in the package's own
directory counts, and a script without another before or behind it
(https://docs.npmjs.com/cli/using-npm/scripts#pre--post-scripts).
"""

from __future__ import annotations

import json

from laconic.errors import FileError
from laconic.files import read_file
from laconic.run.shells import sole_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument

_LIMIT = 1 << 20
_OF_RUN = ("run", "run-script")
_ALIASES = {"t": "test", "tst": "test"}
# Options of the runners by which no other script is run, and none in another package.
_PLAIN = frozenset("--silent -s --quiet -q --verbose --color --no-color --loglevel=silent".split())


def script_command(arguments: list[Argument], directory: str) -> list[Argument]:
    """Return the words of the command that a script runs, with those added; empty if in doubt."""
    name, added = _script(arguments)
    scripts = _scripts(directory) if name else {}
    line = scripts.get(name)
    if not isinstance(line, str) or f"pre{name}" in scripts or f"post{name}" in scripts:
        return []
    command = sole_command(line)
    return [*command, *added] if command else []


def _script(arguments: list[Argument]) -> tuple[str, list[Argument]]:
    """Return the name of the script, and the words that its command gets; no name if in doubt."""
    is_npm = (arguments[0].text or "").rsplit("/", 1)[-1] == "npm"
    name = ""
    for pos, argument in enumerate(arguments[1:], 1):
        text = argument.text if argument.is_static else None
        if text is None:
            return "", []
        if not name and text in _OF_RUN:
            continue
        if text == "--" or (name and not is_npm):
            return name, arguments[pos + (text == "--") :]
        if text.startswith("-"):
            if text not in _PLAIN:
                return "", []
        elif name:
            return name, arguments[pos:]
        else:
            name = _ALIASES.get(text, text)
    return name, []


def _scripts(directory: str) -> dict[str, object]:
    try:
        package = json.loads(read_file(f"{directory}/package.json", _LIMIT))
    except (FileError, ValueError, RecursionError):
        return {}
    scripts = package.get("scripts") if isinstance(package, dict) else None
    return scripts if isinstance(scripts, dict) else {}
