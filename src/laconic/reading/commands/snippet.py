"""Code on the command line of node, ruby, php, perl and lua that prints facts about themselves.

Unsafe: variables that may hold secrets; all other code. That includes require of a JSON file in
node, which is code if a link or a directory has that name. What other code says in plain
words keeps its own effect (`snippet_effects`).
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.one_liners import judge_switches
from laconic.reading.commands.snippet_effects import follow_visible, named_variables
from laconic.reading.secret_files import is_secret_variable
from laconic.types import Effect, Kind

_OPTIONS = ("-e", "-p", "-r", "--eval", "--print", "--run")
_TAKE_CODE = (("deno", "eval"),)  # as an operand
_ONLY_READS = ("-c", "--check", "-l", "--syntax-check", "-v", "--version")
# https://nodejs.org/api/cli.html: these run before the program.
_LOADS = ("-r", "--require", "--import", "--loader", "--experimental-loader")
_SCHEME = pattern(r"(?!file:|node:)[a-z]*:")
_NODE = r"""(?x) (?: console\.log\( )?
    (?: \s* (?: '\s*' | "\s*"
        | process\.(?: versions?(?:\.\w+)? | arch | platform | pid | execPath | cwd\(\)
                   | uptime\(\) | env\.\w+ )
        | (?: os | require\(['"](?:node:)?os['"]\) )\.(?: EOL
            | (?: arch | cpus | freemem | homedir | hostname | platform | release | totalmem
                | type )\(\)(?:\.length)? )
        ) \s* (?: [+,] | (?= \)?;?$ ) )
    )+ \)?;?"""
_RUBY_FACTS = "VERSION|PLATFORM|ENGINE|DESCRIPTION|PATCHLEVEL|RELEASE_DATE|COPYRIGHT"
_PHP_FACTS = "VERSION|OS|OS_FAMILY|INT_MAX|INT_SIZE|BINARY|SAPI|MAJOR_VERSION|MINOR_VERSION"
_PRINTS = {
    **dict.fromkeys(("node", "bun", "deno"), pattern(_NODE)),
    "ruby": pattern(rf"(?:puts|print|p) RUBY_(?:{_RUBY_FACTS})"),
    "php": pattern(
        rf"(?:echo|print) ?(?:PHP_(?:{_PHP_FACTS})|phpversion\(\)|php_ini_loaded_file\(\))"
        r"(?: ?\. ?(?:PHP_EOL|\"\\n\"))?;?"
    ),
    "perl": pattern(r"print (?:\$\^[VO]|\$\]|\"\$\^V\\n\");?"),
    "lua": pattern(r"print\(_VERSION\)"),
}


# https://nodejs.org/en/learn/getting-started/debugging#security-implications
_DEBUGS = pattern(r"--(?:inspect|debug)[\w-]*=(?:(\[[^]]*\]|[^:]*[^:\d][^:]*):?\d*)$")
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "[::1]"))


def _served(call: Call) -> set[str]:
    """The addresses at which files are served; an empty text is every one of this machine.

    https://www.php.net/manual/en/features.commandline.webserver.php,
    https://docs.ruby-lang.org/en/master/UN.html
    """
    words = [argument.text or "" for argument in call.arguments]
    if call.path[0].startswith("php"):
        before, given = "", []
        for word in words:
            if word[:1] != "-" and before[:1] != "-":
                break  # the script, and its own arguments
            if before == "-S" or word[:2] == "-S":
                given += [word.removeprefix("-S")]
            before = word
        return {address.rpartition(":")[0] for address in given if address}
    if call.path[0].startswith("ruby") and "-run" in words and "httpd" in words:
        named = [word for word in words if word.startswith("--bind-address=")]
        return {word.partition("=")[2] for word in named} or {""}
    return set()


def judge(call: Call) -> None:
    for word in call.arguments if call.path[0].startswith("node") else ():
        if (found := _DEBUGS.match(word.leading)) and found[1] not in _LOOPBACK:
            why = "opens a port on which others can tell it what to run"
            call.does(Effect.SYSTEM, "debugger", why, word)
    if not _served(call) <= _LOOPBACK:
        call.does(Effect.SENDS, "serves", "serves files to whoever can reach this machine")
    is_given = call.path in _TAKE_CODE
    if not (is_given or call.parsed.has(*_OPTIONS, *_ONLY_READS)):
        for file in call.parsed.operands[:1]:
            call.runs_file(file)
        if call.parsed.has("--test"):
            call.does(Effect.PROJECT_CODE, "test", "runs the project's tests")
        elif not call.parsed.operands and not call.parsed.options:
            why = "runs the code that it reads from its input"
            is_here = call.situation.input_text is not None
            call.does(Effect.PROJECT_CODE if is_here else Effect.UNCLEAR, Kind.INPUT, why)
            follow_visible(call, call.situation.input_text or "", Argument("-", *call.span))
    _judge_switches(call)
    prints = next(prints for name, prints in _PRINTS.items() if call.path[0].startswith(name))
    parsed = call.parsed
    codes = parsed.operands[:1] if is_given else parsed.values(*_OPTIONS)
    for value in codes:
        if not value.is_static or not prints.fullmatch(value.text or ""):
            call.does(
                Effect.PROJECT_CODE, Kind.CODE, "runs code that may do more than print", value
            )
            follow_visible(call, value.text or "", value)
        elif any(map(is_secret_variable, named_variables(value.text or ""))):
            call.does(
                Effect.SECRETS, Kind.SECRET, "prints a variable that may hold a secret", value
            )


def _judge_switches(call: Call) -> None:
    """The bundles of perl and ruby, and what node loads first."""
    parsed, program = call.parsed, call.path[0]
    known = [value.start for value in parsed.values(*_OPTIONS)]
    for language in ("perl", "ruby"):
        for code in judge_switches(call, language) if program.startswith(language) else ():
            if code.start not in known:
                why = "runs code that may do more than print"
                call.does(Effect.PROJECT_CODE, Kind.CODE, why, code)
                follow_visible(call, code.text or "", code)
    for file in parsed.values(*_LOADS):
        if _SCHEME.match(file.text or ":"):
            call.does(Effect.INSTALLS, "fetched", "runs code that is not in a file", file)
        elif "/" in (file.text or ""):
            call.runs_file(file)
