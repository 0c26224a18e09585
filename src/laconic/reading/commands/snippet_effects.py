"""What code in node, ruby, php, perl, lua and their like visibly does.

Such code is the project's as far as anybody can tell, but a file outside that it writes, a secret,
a command or a connection that is written in plain words keeps its own effect. There is no parser
for these languages here: words and texts are looked for. Texts that are put together from others
count as one; what is called by a name that is put together, or made of text, is unclear.
The names are those of https://nodejs.org/api/, https://docs.ruby-lang.org/en/master/,
https://www.php.net/manual/en/funcref.php, https://perldoc.perl.org/functions and
https://www.lua.org/manual/5.4/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.globs import WILD
from laconic.reading.places import place
from laconic.reading.secret_files import is_secret_variable
from laconic.reading.sending import address_harm
from laconic.shell.words import quoted
from laconic.types import Effect, Kind

_VARIABLE = pattern(
    r"""\benv\.get\(\s*['"](\w+)|\benv\.(?!get\()(\w+)|\b(?:env|ENV|_SERVER|_ENV)\s*[\[{]\s*['"`]?(\w+)|\bgetenv\(\s*['"](\w+)|ENV\.fetch\(\s*['"](\w+)"""
)
# All variables at once, or one whose name is not there. Names alone, and an environment that is
# handed to a program, are fine.
_WHOLE = (
    r"\bprocess\.env(?!\s*[.\[\w])|\bprocess\[['\"]env|\}\s*=\s*process\b"
    r"|(?:Bun|import\.meta)\.env(?!\s*[.\[\w])|Deno\.env\.toObject"
    r"|(?<![\w$%@.])ENV(?!\s*[.\[{\w])|\bENV\.(?!fetch\b|key\?|has_key|include|keys\b|\[)\w+"
    r"|%ENV|@ENV|\$_(?:ENV|SERVER)(?!\s*\[\s*['\"])|\bgetenv\(\s*\)|\bget_env\(\s*\)"
)
_ALL_VARIABLES = pattern(_WHOLE)
_NAMES_OF_VARIABLES = pattern(
    r"(?:\bObject\.keys\(|\bkeys |\bdelete |\benv:\s*(?:\{\s*\.\.\.\s*)?|\bin )\s*$"
)
_NEAR = 64
_ANY_VARIABLE = pattern(
    r"\benv\.get\(\s*[^'\"\s]|\bprocess\.env\[\s*[^'\"`\s]|\bENV\[\s*[^'\"\s:]|\bENV\{\s*\$"
)
_TEXT = pattern(r"""'([^'\\\n]+)'|"([^"\\\n]+)"|`([^`\\\n]+)`|<(?=[~./*])([^<>\s$]+)>""")
_ONE = r"""(?:'[^'\\\n]+'|"[^"\\\n]+"|`[^`\\\n]+`)"""
_TEXTS = pattern(rf"{_ONE}(?:[\s,\[(]+{_ONE})*")
_OTHER_QUOTES = pattern(r"(?:\bqx|%x|\bq[qw]?)\s*[{(\[|!/]([^})\]|!\n]+)")
_SUM = pattern(r"""(['"])([^'"\\\n]*)\1\s*(?:\+|\.\.?)\s*(['"])([^'"\\\n]*)\3""")
_STARTS_PROGRAMS = pattern(
    r"child_process|\b(?:system|popen|shell_exec|passthru|proc_open|pcntl_exec|syscall|execv[pe]*"
    r"|posix_spawn|execSync|execFile|execFileSync|spawnSync|run-program)\b"
    r"|\b(?:exec|spawn|fork)\s*[(\s'\"]|\bOpen3\b|%x|\bqx\b|os\.execute|\beval\b"
    r"|System\.(?:cmd|shell)|\.execute\(|os:cmd|\brun\(`|subprocess|Runtime\.|ProcessBuilder"
    r"|\bBun\.(?:\$|spawn)|Deno\.(?:Command|run)"
)
_HOME = pattern(r"^~(?=/)|\$ENV\{['\"]?HOME['\"]?\}|\$\{process\.env\.HOME\}|#\{Dir\.home\}")
_NAMES_HOME = pattern(
    r"\bhomedir\(|\bDir\.home\b|\bHOME\b|['\"]~['\"/]|\bUSERPROFILE\b", re.IGNORECASE
)
_RUNS_BACKTICKS = frozenset(("ruby", "perl", "php"))
_WRITES_FILES = pattern(
    r"write|append|unlink|\brm|rmdir|rename|mkdir|copy|\bcp(?:Sync)?\b|symlink|truncate|chmod"
    r"|chown|delete|remove|FileUtils|file_put_contents|fopen|open|\bput\b|\boutput\b|dump",
    re.IGNORECASE,
)
_CONNECTS = pattern(
    r"\bnet\.(?:connect|createConnection)|dgram|WebSocket|TCPSocket|UDPSocket|IO::Socket|fsockopen"
    r"|stream_socket_client|socket_create|\brequire\s*\(?['\"]socket|Net::(?:SMTP|FTP|SSH)"
    r"|['\"](?:node:)?(?:net|tls|dns|http2|inspector)(?:/promises)?['\"]|\bmail\s*\("
    r"|\bsocket\s*\(|^Socket$|\buse\s+Socket\b|\bdns_get_record\b|\bgethostbyname\b"
)
_KILLS = pattern(r"\b(?:process|Process)\.kill\b|(?<![.\w])kill\s*\(?\s*['\"\d-]|\bposix_kill\b")
_LOADS_CODE = pattern(
    r"""\b(?:require|require_relative|load|do|include|include_once|require_once|dofile|loadfile"""
    r"""|import)\s*\(?\s*['"]([/~.][^'"\n]*)"""
)
# Code from texts and data, libraries that are loaded by their file, other places for libraries.
_MAKES_CODE = pattern(
    r"\bnew\s+Function\b|\bvm\b|process\.binding|worker_threads|\bloadstring\b|\bdlopen\b"
    r"|createRequire|\brepl\b|\bimport\(\s*(?:['\"`]data:|[^'\"`\s])|\b(?:instance|class|module)_eval\b"
    r"|\bMarshal\.load|\bunsafe_load|\bunserialize\b|\bFiddle\b|\bFFI\b|\bloadlib\b|\bdl\(|\$LOAD_PATH"
    r"|\$:|@INC|\buse\s+lib\b|package\.c?path|\bcreate_function\b"
    r"|\b(?:include|require)(?:_once)?\s*\(?\s*(?:['\"](?:php|data|http|phar)[:]|\$)"
)
# A function whose name is a value: `&$f(1)`, `$f(1)`, `send(f)`, `globalThis[f]`, `_G[f]`.
_CALLS_BY_NAME = pattern(
    r"&\$\w|&\{|->\$\w|\bcall_user_func|\bReflectionFunction|(?<![\w$])\$\w+\s*\((?=[^)])|\b(?:public_)?send\b"
    r"|__send__|\bmethod\(|const_get|\bglobalThis\[|\bglobal\[|\bprocess\[|\.constructor\b|\b_G\[|\bos\["
    r"|\bsetTimeout\(\s*['\"`]|\bgetattr\b|\brequire\[|\b_load\("
)
_CHANGES_DIRECTORY = pattern(r"\bchdir\b")
_LISTS_FILES = pattern(r"\breaddir|\bscandir\b|\bDir[.\[]|\bglob\b|\bopendir\b|\blist_dir\b")
_READS_FILES = pattern(
    r"readFile|File\.(?:read|open)|IO\.|\bfile_get_contents\(\s*['\"](?!https?:)|\bopen\b|readlines"
)
# A word with an address, which may go on with a text or have one put in; and no address at all.
_ADDRESS = pattern(r"""(?<![^'"`\s])[^'"`\s]*https?://[^'"`\s]*""")
_GOES_ON = pattern(r"""['"]\s*[+.]""")
_PUT_IN = pattern(r"[$#]\{")
_PUT_INTO_QUOTES = pattern(r"[$@]\w")
_NO_ADDRESS = pattern(r"""\bfetch\(\s*[^'"`\s]""")
_FETCHES = pattern(
    r"\bfetch\b|\bhttps?\b|axios|Net::HTTP|open-uri|LWP|HTTP::Tiny|curl_", re.IGNORECASE
)
_EVALUATES = pattern(
    r"\beval\b|\bnew\s+Function\b|\bvm\.run|_eval\b|\bload(?:string)?\s*\(|\bexec(?:Sync)?\s*\(\s*[^'\"`\s]"
    r"|\bsystem\s*\(\s*[^'\"\s]"
    r"|\b(?:source|source_url|import|include|require)\s*\(\s*(?:url\s*\(\s*)?['\"]https?:"
    r"|\binclude\s*\(\s*(?:Downloads\.)?download\b"
)
_READS_INPUT = pattern(r"\bSTDIN\b|\$stdin|\bstdin\b|readFileSync\(\s*0|<>|php://input|\bgets\b")
_CHANGES = pattern(r"\b(?:post|put|patch|delete)(?:_form|_json)?\b|CURLOPT_POST", re.IGNORECASE)


def follow_visible(call: Call, code: str, where: Argument) -> None:
    """Judge what the code says in plain words."""
    while (joined := _SUM.sub(r"\1\2\4\1", code)) != code:
        code = joined
    backticks = call.path[0].startswith(tuple(_RUNS_BACKTICKS)) and "`" in code
    if backticks or _STARTS_PROGRAMS.search(code):
        call.does(Effect.UNCLEAR, Kind.STARTS, "starts programs from its code", where)
        for command in _started(code):
            call.may_run(Argument(command, where.start, where.end))
    for address in _ADDRESS.findall(code):
        if harm := address_harm(address):
            call.does(Effect.SYSTEM, "address", harm, where)
    if _CONNECTS.search(code):
        call.does(Effect.SENDS, "connects", "opens connections from its code", where)
    elif _FETCHES.search(code):
        call.does(Effect.DOWNLOADS, Kind.NETWORK, "uses the network", where)
        if _CHANGES.search(code):
            call.does(Effect.SENDS, "sends", "sends something from its code", where)
        if _EVALUATES.search(code):
            why = "fetches code and runs it"
            call.does(Effect.RUNS_FETCHED, "runs-fetched", why, where)
        if _has_open_address(code) or _READS_FILES.search(code):
            why = "sends text that is not literal to the network"
            call.does(Effect.SENDS, "sends", why, where)
    if _EVALUATES.search(code) and _READS_INPUT.search(code):
        call.does(Effect.UNCLEAR, Kind.INPUT, "runs what it reads from its input", where)
    if _KILLS.search(code):
        call.does(Effect.SYSTEM, "signal", "sends a signal to processes", where)
    if _MAKES_CODE.search(code) or _CALLS_BY_NAME.search(code):
        call.does(Effect.UNCLEAR, Kind.STARTS, "runs code that cannot be read", where)
    _follow_files(call, code, where)
    if any(map(is_secret_variable, named_variables(code))) or _ANY_VARIABLE.search(code):
        call.does(Effect.SECRETS, Kind.SECRET, "uses a variable that may hold a secret", where)
    if _uses_all_variables(code):
        call.does(Effect.SECRETS, Kind.SECRET, "uses all variables, secrets among them", where)


def _started(code: str) -> Iterator[str]:
    """Texts that may be commands: each of them, and several that stand in one list."""
    yield from (found[1] for found in _OTHER_QUOTES.finditer(code))
    for found in _TEXTS.finditer(code):
        words = ["".join(texts) for texts in _TEXT.findall(found[0])]
        yield words[0] if len(words) == 1 else " ".join(map(quoted, words))


def _has_open_address(code: str) -> bool:
    """Tell whether an address holds text that does not stand in the code."""
    for word in _ADDRESS.finditer(code):
        is_quoted = code[word.start() - 1 : word.start()] == '"'
        if _GOES_ON.match(code, word.end()) or _PUT_IN.search(word[0]):
            return True
        if is_quoted and _PUT_INTO_QUOTES.search(word[0]):
            return True
    return _NO_ADDRESS.search(code) is not None


def _uses_all_variables(code: str) -> bool:
    return any(
        not _NAMES_OF_VARIABLES.search(code, max(0, found.start() - _NEAR), found.start())
        for found in _ALL_VARIABLES.finditer(code)
    )


def named_variables(code: str) -> list[str]:
    """The names of the variables of the environment that the code asks for."""
    return [name for found in _VARIABLE.findall(code) for name in found if name]


def _follow_files(call: Call, code: str, where: Argument) -> None:
    """Strings that are paths: read, written if the code writes files, or loaded as code."""
    home, may_write = call.judge.facts.home, _WRITES_FILES.search(code) is not None
    for texts in _TEXT.findall(code):
        text = _HOME.sub(home, "".join(texts))
        if text[:1] == "|" or text[-1:] == "|":  # as perl's open() takes it
            call.does(Effect.UNCLEAR, Kind.STARTS, "may start a program from its code", where)
        path = text.lstrip("<>+ ")
        named = Argument(path, where.start, where.end, glob=WILD.search(path) is not None)
        call.reads(named)
        if may_write and (call.is_outside(named.text or "") or _is_guarded(call, named.text or "")):
            call.writes(named)
    if _LISTS_FILES.search(code) and _READS_FILES.search(code):
        call.reads_trees(())
    if may_write and _NAMES_HOME.search(code):
        call.does(Effect.OUTSIDE_WRITE, Kind.WRITE, "may write to the home directory", where)
    if may_write and _CHANGES_DIRECTORY.search(code):
        call.does(Effect.UNCLEAR, "directory", "writes to a directory that is not known", where)
    for path in _LOADS_CODE.findall(code):
        effects = call.judge.code_at(_HOME.sub(home, path), call.situation)
        call.does(effects, "loads", f"runs the code in {path}", where)


def _is_guarded(call: Call, path: str) -> bool:
    """Tell whether it is a path to a guarded file, and not only the name of one."""
    where, facts = call.situation.directories, call.judge.facts
    return "/" in path and any(place(path, cwd, facts) == "sensitive" for cwd in where)
