"""Which commands without a filter may be wrapped: they end, and their output is for reading.

A bare name may be a function or an alias of the user's shell, which `laconic run` could not start;
so only names that are listed count, and paths. An interpreter counts when it runs a file: what the
text after `-c` prints is wanted as it is.
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument

# The options of each with which it does not run the file that its operand names.
INTERPRETERS = {
    "python": ("-c", "-i", "-V"),
    "node": ("-e", "--eval", "-p", "--print", "-i", "--interactive", "--watch", "--inspect"),
    "deno": ("eval", "repl"),
    "ruby": ("-e", "-n", "-p"),
    "perl": ("-e", "-E", "-n", "-p"),
    "php": ("-r", "-a", "-S", "-i"),
    "bash": ("-c", "-i", "-s"),
    "sh": ("-c", "-i", "-s"),
    "zsh": ("-c", "-i", "-s"),
    "dash": ("-c", "-i", "-s"),
    "tsx": ("-e", "-p", "watch"),
    "ts-node": ("-e", "-p"),
    "Rscript": ("-e",),
    "java": ("-version", "--version", "-help", "--help", "-showversion", "--list-modules"),
    "lua": ("-e", "-i", "-v"),
}
_MODULES = ("-m",)
# Words in the names of scripts of a package that end by themselves: what they do, or the tool that
# they run. A word of the second kind is one of a script that waits for something.
_ENDS = frozenset(
    "analyse analyze audit bench build bundle check checks ci clean compile cov cover coverage db"
    " depcruise deps docs e2e fix fmt format gen generate integration knip lint linter migrate"
    " package prebuild prepare pretest release schema seed smoke spec specs style sync test tests"
    " type types typecheck unit validate verify vet"
    " ava biome c8 cypress eslint jasmine jest karma mocha nyc oxlint playwright prettier rollup"
    " standard stylelint tap tape tsc tslint tsup uvu vitest vue-tsc webpack xo".split()
)
_WAITS = frozenset(
    "debug dev develop inspect live loop open preview repl serve server start storybook studio tdd"
    " ui up watch watcher".split()
)
_PARTS = pattern(r"[:_./-]+|(?<=[a-z])(?=[A-Z])")
# Whether a script is run only by `run`.
PACKAGE_RUNNERS = {"npm": True, "pnpm": False, "yarn": False, "bun": False}
_OF_RUN = ("run", "run-script")
# What npm runs without `run`: https://docs.npmjs.com/cli/commands/npm-test
_TESTS = ("test", "t", "tst")
_VALUED = ("--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "-F", "--filter")


def runs_file(name: str, arguments: list[Argument]) -> bool:
    """Tell whether an interpreter runs a file or a module: `python x.py`, `bash ci.sh`."""
    options = INTERPRETERS.get(name)
    if options is None:
        return False
    for argument in arguments[1:]:
        text = argument.text
        if text is None or text == "-":
            return False
        if text in options or (text[:2] in options and not text.startswith("--")):
            return False
        if text in _MODULES or not text.startswith("-"):
            return True
    return False


def prints_its_text(arguments: list[Argument]) -> bool:
    """Tell whether an interpreter is given a text to run, whose output is wanted as it is."""
    name = (arguments[0].text or "").rsplit("/", 1)[-1].rstrip("0123456789.") if arguments else ""
    options = INTERPRETERS.get(name, ())
    return any((a.text or a.leading) in options for a in arguments[1:])


def runs_script(name: str, arguments: list[Argument]) -> bool:
    """Tell whether a script of a package is run that ends: `npm run lint`, `yarn build:prod`."""
    if name not in PACKAGE_RUNNERS:
        return False
    words = _words(arguments[1:])
    if words[:1] == ["workspace"] and name == "yarn":
        del words[:2]
    if words[:1] and words[0] in _OF_RUN:
        return bool(words[1:]) and _ends(words[1])
    if PACKAGE_RUNNERS[name]:
        return bool(words) and words[0] in _TESTS
    return bool(words) and _ends(words[0])


def waits(script: str) -> bool:
    """Tell by the name of a script whether it waits for something: `dev`, `start:api`, `tdd`."""
    return not _WAITS.isdisjoint(map(str.lower, _PARTS.split(script)))


def _ends(script: str) -> bool:
    """Tell by the name of a script whether it ends: `lint`, `test:unit`, `run-tests`, `ciTest`.

    A first word that says so is enough, unless it watches: `build:dev`.
    """
    first, *others = map(str.lower, _PARTS.split(script)) if script else [""]
    if first in _ENDS:
        return not {"watch", "watcher", "ui", "serve", "server"}.intersection(others)
    return not _ENDS.isdisjoint(others) and _WAITS.isdisjoint((first, *others))


def _words(arguments: list[Argument]) -> list[str]:
    """What is not an option, nor the value of one that names a directory or a package."""
    found: list[str] = []
    is_value = False
    for argument in arguments:
        is_option = argument.leading.startswith("-")
        if not is_option and not is_value:
            found.append(argument.text or "")
        is_value = is_option and argument.text in _VALUED
    return found
