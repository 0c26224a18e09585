"""Reads in package.json what a script runs, and what runners of several commands are given.

`npm run NAME` runs a script; `concurrently` and `run-s` get commands or names as operands. In
doubt there is nothing: a name that a pattern stands for, an option that is not known, another
package. https://docs.npmjs.com/cli/using-npm/scripts
"""

from __future__ import annotations

from functools import cached_property

from laconic.compact.readable import INTERPRETERS, PACKAGE_RUNNERS, waits
from laconic.errors import FileError
from laconic.files import read_file
from laconic.knowledge.arguments import evaluate
from laconic.knowledge.options import Reading, Spec, parse_options
from laconic.knowledge.traits import named
from laconic.patterns import pattern
from laconic.rewrite.wrappers import GENERIC, SILENT, sequence
from laconic.shell.walk import commands
from laconic.shell.words import literal, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library
    from laconic.rewrite.plan import Choice
    from laconic.shell.ast import Command, Script

_LIMIT = 1 << 20
_MOST_SCRIPTS = 5  # that run each other
_OF_RUN = ("run", "run-script")
_ALIASES = {"t": "test", "tst": "test"}
# Options of the runners by which no other script is run, and none in another package.
_PLAIN = frozenset("--silent -s --quiet -q --verbose --color --no-color --loglevel=silent".split())
# https://github.com/open-cli-tools/concurrently/blob/main/docs/cli/configuration.md; those are left
# out by which it reads its input, restarts what has ended, or runs what is not an operand.
_CONCURRENTLY = Spec(
    "-n=V --names=V -c=V --prefix-colors=V -p=V --prefix=V -l=V --prefix-length=V -t=V"
    " --timestamp-format=V -m=V --max-processes=V -s=V --success=V --hide=V -k --kill-others"
    " --kill-others-on-fail --no-color -g --group --timings --pad-prefix"
)
# https://github.com/mysticatea/npm-run-all/tree/master/docs
_IN_TURN = Spec(
    "-c --continue-on-error -l --print-label -n --print-name -s --sequential --serial --silent"
    " -p --parallel --aggregate-output"
)
_MANY = {
    "concurrently": _CONCURRENTLY,
    "conc": _CONCURRENTLY,
    **dict.fromkeys(("npm-run-all", "run-s", "run-p"), _IN_TURN),
}
_SHORT = pattern(r"(?:npm|pnpm|yarn|bun):([\w.:-]+)")
_NAME = pattern(r"[\w.:-]+")


class Scripts:
    """What the scripts run that are named on a command line.

    directory: where it runs. choose: which filter a command would get.
    """

    def __init__(
        self,
        script: Script,
        directory: str,
        library: Library,
        choose: Callable[[list[Argument]], Choice],
    ) -> None:
        self._script, self._directory, self._library = script, directory, library
        self._choose, self._depth = choose, 0

    def reason_against(self, arguments: list[Argument], otherwise: str) -> str:
        """Say why a runner of scripts is not wrapped; empty if all that it runs is known to end.

        otherwise: the reason if nobody knows what it runs.
        """
        lines = self._lines(arguments)
        if not lines:
            return otherwise
        if self._depth >= _MOST_SCRIPTS:
            return "its script runs too many others"
        self._depth += 1
        try:
            found = (self._reason(command) for line in lines for command in sequence(line))
            return next(filter(None, found), "")
        finally:
            self._depth -= 1

    def _reason(self, command: Command | None) -> str:
        """Say why a command in a script keeps `laconic run` away from the whole of it.

        A file that is run, and a program by its path, may be a server: nothing tells it.
        """
        arguments = evaluate(command.words, {}) if command is not None else []
        name = (arguments[0].text or "") if arguments else ""
        if not name:
            return "its script runs more than simple commands"
        if name in named("enters"):
            return "its script runs in other directories"
        if name in SILENT:
            return ""
        choice = self._choose(arguments)
        if not choice.id:
            return f"in its script: {choice.reason}"
        is_file = "/" in name or name in INTERPRETERS
        return f"in its script: {name} may not end" if choice.id == GENERIC and is_file else ""

    def _lines(self, arguments: list[Argument]) -> list[str]:
        """Return the lines that a command runs; none if it is not such a command, or in doubt."""
        name = (arguments[0].text or "").rsplit("/", 1)[-1]
        if name in _MANY:
            return _operands(arguments, _MANY[name], is_named=_MANY[name] is _IN_TURN)
        if name not in PACKAGE_RUNNERS or not self._names_script(name, arguments):
            return []
        return _lines_of(arguments, self._known)

    def _names_script(self, name: str, arguments: list[Argument]) -> bool:
        """Tell whether a script is run, and not a command of the package manager's own."""
        first = (arguments[1].text or "") if len(arguments) > 1 else ""
        if PACKAGE_RUNNERS[name] or first in _OF_RUN:
            return first in _OF_RUN
        manager = self._library.root.words.get(name)
        return not (manager and first in manager.words)

    @cached_property
    def _known(self) -> dict[str, object]:
        """The scripts of the package; none if the line may change the directory."""
        found = (one.command.words for one in commands(self._script))
        is_here = named("enters").isdisjoint(literal(words[0]) for words in found if words)
        return scripts_in(self._directory) if is_here and self._directory else {}


def _lines_of(arguments: list[Argument], scripts: dict[str, object]) -> list[str]:
    """The lines of a script, and of those that run before and behind it."""
    script, added = script_of(arguments)
    texts = [scripts.get(f"{start}{script}", "") for start in ("pre", "", "post")]
    lines = [text for text in texts if isinstance(text, str)]
    if not script or waits(script) or len(lines) < len(texts) or not lines[1].strip():
        return []
    words = [argument.text for argument in added if argument.is_static]
    if len(words) < len(added):
        return []
    lines[1] = " ".join([lines[1], *(quoted(word or "") for word in words)])
    return [line for line in lines if line.strip()]


def _operands(arguments: list[Argument], spec: Spec, *, is_named: bool) -> list[str]:
    parsed = parse_options(arguments[1:], Reading(spec))
    texts = [operand.text for operand in parsed.operands if operand.is_static]
    if parsed.problems or not texts or len(texts) < len(parsed.operands):
        return []
    found: list[str] = []
    for text in texts:
        short = None if is_named else _SHORT.fullmatch(text or "")
        if is_named and not _NAME.fullmatch(text or ""):
            return []
        found.append(f"npm run {short[1] if short else text}" if is_named or short else text or "")
    return found


def script_of(arguments: list[Argument]) -> tuple[str, list[Argument]]:
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


def scripts_in(directory: str) -> dict[str, object]:
    """The scripts of the package in a directory."""
    import json  # noqa: PLC0415 - few commands run a script

    try:
        package = json.loads(read_file(f"{directory}/package.json", _LIMIT))
    except (FileError, ValueError, RecursionError):
        return {}
    scripts = package.get("scripts") if isinstance(package, dict) else None
    return scripts if isinstance(scripts, dict) else {}
