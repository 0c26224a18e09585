"""Code on the command line of node, ruby, php, perl and lua that prints facts about themselves.

Unsafe: variables that may hold secrets; all other code. That includes require of a JSON file in
node, which is code if a link or a directory has that name. What other code says in plain
words keeps its own effect: a file outside that it writes, a secret, a command, a connection.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.policy.commands.one_liners import judge_switches
from laconic.policy.places import place
from laconic.policy.secret_files import is_secret_variable
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_VARIABLE = pattern(
    r"""\benv\.(\w+)|\b(?:env|ENV)\s*[\[{]\s*['"]?(\w+)|\bgetenv\(\s*['"](\w+)|ENV\.fetch\(\s*['"](\w+)"""
)
# All variables at once, where they are printed and not handed on.
_ALL_VARIABLES = pattern(
    r"(?:\blog|\bputs|\bp|\bprint\w*|\bsay|\becho|\bvar_dump|\binspect|\bstringify)\b[^;\n]{0,40}?"
    r"(?:\bprocess\.env(?!\s*[.\[])|(?<![\w$])ENV(?!\s*[.\[{])|\bENV\.(?:to_h|each|inspect|values)"
    r"|%ENV|\$_ENV(?!\s*\[)|\bgetenv\(\))"
)
_OPTIONS = ("-e", "-p", "-r", "--eval", "--print", "--run")
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
    "node": pattern(_NODE),
    "ruby": pattern(rf"(?:puts|print|p) RUBY_(?:{_RUBY_FACTS})"),
    "php": pattern(
        rf"(?:echo|print) ?(?:PHP_(?:{_PHP_FACTS})|phpversion\(\)|php_ini_loaded_file\(\))"
        r"(?: ?\. ?(?:PHP_EOL|\"\\n\"))?;?"
    ),
    "perl": pattern(r"print (?:\$\^[VO]|\$\]|\"\$\^V\\n\");?"),
    "lua": pattern(r"print\(_VERSION\)"),
}

# Names of the libraries that come with these languages.
_TEXT = pattern(r"""'([^'\\\n]+)'|"([^"\\\n]+)"|`([^`\\\n]+)`""")
_STARTS_PROGRAMS = pattern(
    r"child_process|\b(?:system|exec|execSync|execFile|execFileSync|spawn|spawnSync|popen|shell_exec"
    r"|passthru|proc_open|pcntl_exec|fork)\s*[(\s'\"]|\bOpen3\b|%x|\bqx\b|os\.execute|\beval\b"
    r"|System\.(?:cmd|shell)|\.execute\(|os:cmd|\brun\(`|subprocess|Runtime\.|ProcessBuilder"
)
_HOME = pattern(r"^~(?=/)|\$ENV\{['\"]?HOME['\"]?\}|\$\{process\.env\.HOME\}|#\{Dir\.home\}")
_RUNS_BACKTICKS = frozenset(("ruby", "perl", "php"))
_WRITES_FILES = pattern(
    r"write|append|unlink|\brm|rmdir|rename|mkdir|copy|symlink|truncate|chmod|chown|delete|remove"
    r"|FileUtils|file_put_contents|fopen|\bopen\b|\bput\b",
    re.IGNORECASE,
)
_CONNECTS = pattern(
    r"\bnet\.(?:connect|createConnection)|dgram|WebSocket|TCPSocket|UDPSocket|IO::Socket|fsockopen"
    r"|stream_socket_client|socket_create|\brequire\s*\(?['\"]socket|Net::(?:SMTP|FTP|SSH)"
    r"|['\"](?:node:)?(?:net|tls)['\"]|\bmail\s*\("
)
_KILLS = pattern(r"\b(?:process|Process)\.kill\b|(?<![.\w])kill\s*\(?\s*['\"\d-]|\bposix_kill\b")
_LOADS_CODE = pattern(
    r"""\b(?:require|load|do|include|include_once|require_once|dofile|import)\s*\(?\s*['"]([/~.][^'"\n]*)"""
)
_MAKES_CODE = pattern(
    r"\bnew\s+Function\b|\bvm\.run|process\.binding|worker_threads|\bloadstring\b"
)
# An address that goes on with text which does not stand there.
_OPEN_ADDRESS = pattern(r"""https?://[^'"`\s]*['"]\s*[+.]|https?://[^'"`\s]*[$#]\{""")
_FETCHES = pattern(
    r"\bfetch\b|\bhttps?\b|axios|Net::HTTP|open-uri|LWP|HTTP::Tiny|curl_", re.IGNORECASE
)
_CHANGES = pattern(r"\b(?:post|put|patch|delete|CURLOPT_POST\w*)\b", re.IGNORECASE)


def judge(call: Call) -> None:
    if call.parsed is not None and not call.parsed.has(*_OPTIONS, *_ONLY_READS):
        for file in call.parsed.operands[:1]:
            call.runs_file(file)
        if not call.parsed.operands and not call.parsed.options:
            why = "runs the code that it reads from its input"
            is_here = call.situation.input_text is not None
            call.does(Effect.PROJECT_CODE if is_here else Effect.UNCLEAR, "input", why)
            follow_visible(call, call.situation.input_text or "", Argument("-", *call.span))
    _judge_switches(call)
    prints = next(prints for name, prints in _PRINTS.items() if call.path[0].startswith(name))
    for value in call.parsed.values(*_OPTIONS) if call.parsed else ():
        if not value.is_static or not prints.fullmatch(value.text or ""):
            call.does(Effect.PROJECT_CODE, "code", "runs code that may do more than print", value)
            follow_visible(call, value.text or "", value)
        elif any(map(is_secret_variable, _variables(value.text or ""))):
            call.does(Effect.SECRETS, "secret", "prints a variable that may hold a secret", value)


def _judge_switches(call: Call) -> None:
    """The bundles of perl and ruby, and what node loads first."""
    parsed, program = call.parsed, call.path[0]
    known = [value.start for value in parsed.values(*_OPTIONS)] if parsed is not None else []
    for language in ("perl", "ruby"):
        for code in judge_switches(call, language) if program.startswith(language) else ():
            if code.start not in known:
                why = "runs code that may do more than print"
                call.does(Effect.PROJECT_CODE, "code", why, code)
                follow_visible(call, code.text or "", code)
    for file in parsed.values(*_LOADS) if parsed is not None else ():
        if _SCHEME.match(file.text or ":"):
            call.does(Effect.INSTALLS, "fetched", "runs code that is not in a file", file)
        elif "/" in (file.text or ""):
            call.runs_file(file)


def follow_visible(call: Call, code: str, where: Argument) -> None:
    """Judge what the code says in plain words."""
    backticks = call.path[0].startswith(tuple(_RUNS_BACKTICKS)) and "`" in code
    if backticks or _STARTS_PROGRAMS.search(code):
        call.does(Effect.UNCLEAR, "starts", "starts programs from its code", where)
    if _CONNECTS.search(code):
        call.does(Effect.SENDS, "connects", "opens connections from its code", where)
    elif _FETCHES.search(code):
        call.does(Effect.DOWNLOADS, "network", "uses the network", where)
        if _CHANGES.search(code):
            call.does(Effect.SENDS, "sends", "sends something from its code", where)
        if _OPEN_ADDRESS.search(code):
            why = "sends text that is not literal to the network"
            call.does(Effect.SENDS, "sends", why, where)
    if _KILLS.search(code):
        call.does(Effect.SYSTEM, "signal", "sends a signal to processes", where)
    if _MAKES_CODE.search(code):
        call.does(Effect.UNCLEAR, "starts", "runs code that cannot be read", where)
    _follow_files(call, code, where)
    if any(map(is_secret_variable, _variables(code))):
        call.does(Effect.SECRETS, "secret", "uses a variable that may hold a secret", where)
    if _ALL_VARIABLES.search(code):
        call.does(Effect.SECRETS, "secret", "prints all variables, secrets among them", where)


def _variables(code: str) -> list[str]:
    """The names of the variables of the environment that the code asks for."""
    return [name for found in _VARIABLE.findall(code) for name in found if name]


def _follow_files(call: Call, code: str, where: Argument) -> None:
    """Strings that are paths: read, written if the code writes files, or loaded as code."""
    home, may_write = call.judge.facts.home, _WRITES_FILES.search(code) is not None
    for texts in _TEXT.findall(code):
        text = _HOME.sub(home, "".join(texts))
        if text[:1] == "|" or text[-1:] == "|":  # as perl's open() takes it
            call.does(Effect.UNCLEAR, "starts", "may start a program from its code", where)
        named = Argument(text.lstrip("<>+ "), where.start, where.end)
        call.reads(named)
        if may_write and (call.is_outside(named.text or "") or _is_guarded(call, named.text or "")):
            call.writes(named)
    for path in _LOADS_CODE.findall(code):
        effects = call.judge.code_at(_HOME.sub(home, path), call.situation)
        call.does(effects, "loads", f"runs the code in {path}", where)


def _is_guarded(call: Call, path: str) -> bool:
    """Tell whether it is a path to a guarded file, and not only the name of one."""
    where, facts = call.situation.directories, call.judge.facts
    return "/" in path and any(place(path, cwd, facts) == "sensitive" for cwd in where)
