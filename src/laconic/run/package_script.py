"""Reads from package.json what a script of a package runs, for runners that do not print it.

`npm run --silent` and yarn 2 print nothing about the script. Only a command in the package's own
directory counts, and a script without another before or behind it
(https://docs.npmjs.com/cli/using-npm/scripts#pre--post-scripts).
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.rewrite.package_scripts import script_of, scripts_in
from laconic.run.shells import sole_command


def script_command(arguments: list[Argument], directory: str) -> list[Argument]:
    """Return the words of the command that a script runs, with those added; empty if in doubt."""
    name, added = script_of(arguments)
    scripts = scripts_in(directory) if name else {}
    line = scripts.get(name)
    if not isinstance(line, str) or f"pre{name}" in scripts or f"post{name}" in scripts:
        return []
    command = sole_command(line)
    return [*command, *added] if command else []
