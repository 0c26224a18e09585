"""Clients of databases: allowed when all that they are told to do is in the command line and reads.

Unsafe: statements that do more than read; functions that are not known to be
harmless (`pg_terminate_backend`, `writefile`, `load_extension`, ...); commands of the client itself
(`\\!`, `\\copy`, `.shell`, `.output`, `system`); statements from files or from standard input;
a connection with `sslkey=library:key`, for which libpq loads the library.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.statements import drops_something, problem
from laconic.reading.environment import is_on_this_machine
from laconic.reading.secret_files import is_secret
from laconic.types import Effect, Kind

# The options whose values are statements, and the place of the first operand that is one.
_WHERE: dict[str, tuple[tuple[str, ...], int | None]] = {
    "aws": (("--query-string",), None),
    "bq": ((), 0),
    "clickhouse": (("-q", "--query"), None),
    "clickhouse-client": (("-q", "--query"), None),
    "duckdb": (("-c", "-s", "--c", "--s"), 1),
    "mariadb": (("-e", "--execute"), None),
    "mysql": (("-e", "--execute"), None),
    "psql": (("-c", "--command"), None),
    "sqlcmd": (("-Q", "-q", "--query"), None),
    "sqlite3": ((), 1),
}
_SAYS_AND_ENDS = {
    "duckdb": ("-help", "-version"),
    "mariadb": ("-V",),
    "mysql": ("-V",),
    "psql": ("-l", "--list", "-V", "-?"),
    "sqlcmd": ("-?",),
    "sqlite3": ("-help", "-version"),
}
_READ_ONLY = {"duckdb": ("-readonly",), "sqlite3": ("-readonly", "--readonly")}
_LIBPQ = frozenset(("psql", "pg_dump", "pg_isready"))
_CONNECTS = frozenset(
    """host hostaddr port dbname user password sslmode sslrootcert sslsni connect_timeout options
    application_name fallback_application_name client_encoding target_session_attrs keepalives
    keepalives_idle keepalives_interval keepalives_count tcp_user_timeout channel_binding gssencmode
    load_balance_hosts""".split()
)
_HOSTS = pattern(r"^(?:[^/@:]*@)?([^/,?@]*)(?=[/,?]|$)")  # unless the password stands before it
_FIRST = ("-cmd", "--cmd")  # statements that run before those of standard input
_DESCRIBES = pattern(
    r"""\\(?:d[A-Za-z]{0,8}|l|list|z|sf|sv|conninfo|h|\?|copyright|encoding|timing|x)[S+]{0,2}
    (?:\s+[\w.*?"+-]+)*\s*;?\s*""",
    re.VERBOSE,
)
_SQLCMD = pattern(r"^\s*(?:[:!]|go\b)", re.IGNORECASE | re.MULTILINE)
_DOT = pattern(
    r"""\.(?:tables|schema|fullschema|indexes|indices|databases|dbinfo|dump|headers|header|mode|show
    |help|version|timer|nullvalue|width|separator|print|stats|eqp|sha3sum|limit|maxrows|columns)
    (?:[ ][\w .,%*?'"-]*)?""",
    re.VERBOSE,
)

# What reaches other files, or programs: https://www.sqlite.org/cli.html https://duckdb.org/docs/sql
_BEYOND_ITS_FILE = pattern(
    r"(?:^|\n)\s*\.|\bvacuum\b[^;]*\binto\b|\b(?:attach|writefile|readfile|load_extension"
    r"|fts3_tokenizer|edit|copy|export|import|install|load)\b",
    re.IGNORECASE,
)

# Commands that a client runs, files that it writes, and those that it reads. Of psql:
# https://www.postgresql.org/docs/current/app-psql.html#APP-PSQL-META-COMMANDS, of mysql:
# https://dev.mysql.com/doc/refman/8.4/en/mysql-commands.html
_RUN = pattern(
    r"""^\s*(?:\.(?:sh|she|shell|sys|system)\s+|\\!|system\s+)(.*)$
    | ^\s*\.(?:o|out|outp|outpu|output|once|read|import|excel)\b[^\n|]*\|(.*)$
    | \\(?:g|gx|o|w|copy)\b[^\n|]*\|(.*)$ | \bprogram\s+'([^']*)'""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_WRITE = pattern(
    r"""^\s*\.(?:output|once|save|backup|clone|log|trace|open)\s+(?:-\S+\s+|main\s+)*
      ([^-|\s][^\n]*)$
    | \bvacuum\b[^;]*\binto\s+('[^']*'|"[^"]*") | \battach\s+(?:database\s+)?('[^']*'|"[^"]*")
    | \bwritefile\s*\(\s*('[^']*') | \bcopy\b[^;]*\bto\s+('[^']*')
    | \binto\s+(?:out|dump)file\s+('[^']*')
    | \bexport\s+database\s+('[^']*')
    | ^\s*\\(?:o|w|g|gx|T)\s+([^|\s]\S*)$ | ^\s*(?:tee|\\T)\s+(\S+)$""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_READ = pattern(
    r"""^\s*(?:\.(?:read|import)|\\i|\\ir|source|\\\.)\s+(?:-\S+\s+)*([^-|\s]\S*)
    | \breadfile\s*\(\s*('[^']*')
    | \bcopy\b[^;]*\bfrom\s+('[^']*') | \bpg_read_(?:binary_)?file\s*\(\s*('[^']*')
    | \bload_file\s*\(\s*('[^']*') | \binfile\s+('[^']*')
    | \bread_(?:text|blob|csv)\w*\s*\(\s*('[^']*')""",
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_STREAMS = frozenset("stdin stdout pstdin pstdout off stderr :memory:".split())

# Tables with passwords, or what is kept of them: PostgreSQL's "System Catalogs", MySQL's "Grant
# Tables", sys.sql_logins of SQL Server.
_PASSWORDS = pattern(
    r"\bpg_(?:authid|shadow|user_mappings?)\b|\brolpassword\b|\*[^;]*\bmysql\W{1,3}(?:user|global_priv)\b"
    r"|\bauthentication_string\b|\bshow\s+create\s+user\b|\bsql_logins\b|\bpassword_hash\b",
    re.IGNORECASE,
)
# https://duckdb.org/docs/stable/core_extensions/httpfs/overview
_REMOTE = pattern(r"'((?:https?|s3|gcs|gs|r2|hf|az|azure|abfss?)://[^']*)'", re.IGNORECASE)


def judge(call: Call) -> None:
    program, parsed = call.path[0], call.parsed
    if program in _LIBPQ:
        _judge_connection(call, parsed)
    if program in _WHERE:
        _judge_statements(call, parsed, program)


def _judge_connection(call: Call, parsed: Parsed) -> None:
    """`name=value ..` or `postgresql://..?name=value&..` in place of a database's name."""
    for given in (*parsed.operands, *parsed.values("-d", "--dbname")):
        text = given.leading if given.text is None else given.text
        _, is_address, rest = text.partition("://")
        settings = rest.partition("?")[2] if is_address else text
        for name in re.findall(r"([^\s=&?]*)\s*=", settings):
            if name.lower() not in _CONNECTS:
                call.does(
                    Effect.SENDS,
                    "connection",
                    f"connects with {name}, which may name a file",
                    given,
                )
        for host in _HOSTS.findall(rest.partition("?")[0] if is_address else "") + re.findall(
            r"(?:^|[\s&])host(?:addr)?\s*=\s*'?([^\s&']*)", settings
        ):
            if host and not host.startswith("/") and not is_on_this_machine(host):
                call.does(
                    Effect.SENDS,
                    "server",
                    "may send a password to a server that it is told here",
                    given,
                )


def _judge_statements(call: Call, parsed: Parsed, program: str) -> None:
    options, first = _WHERE[program]
    if call.path == ("sqlcmd", "query"):
        first = 0
    statements = parsed.values(*options)
    if first is not None:
        statements += parsed.operands[first:]
    if not statements and not parsed.has(*_SAYS_AND_ENDS.get(program, ())):
        _follow_client(call, Argument(call.situation.input_text or "", *call.span))
        call.does(Effect.UNCLEAR, Kind.INPUT, "reads statements from standard input or a file")
    read_only = _is_read_only(parsed, program)
    if program in _READ_ONLY and not parsed.has(*_READ_ONLY[program]):
        _judge_file(call, parsed.operands[:1])
    for statement in statements:
        _judge_statement(call, statement, program, read_only=read_only)
    for statement in parsed.values(*_FIRST):
        _judge_statement(call, statement, program, read_only=False)


def _judge_file(call: Call, files: list[Argument]) -> None:
    """The file is created if there is none, even for a SELECT."""
    for file in files:
        text = file.text or ""
        if text.startswith("file:"):
            path = text.removeprefix("file:").removeprefix("//").partition("?")[0]
            call.opens(Argument(path, file.start, file.end))
        elif text not in ("", ":memory:") and not text.startswith("-"):
            call.opens(file)


def _is_read_only(parsed: Parsed, program: str) -> bool:
    """sqlite3 and duckdb, told to open the file for reading before they are told its name."""
    file = parsed.operands[0] if parsed.operands else None
    return (
        program in _READ_ONLY
        and file is not None
        and file.is_static
        and ":" not in file.leading  # an address, or a service's name
        and any(
            o.name in _READ_ONLY[program] and o.argument.start < file.start for o in parsed.options
        )
    )


def _judge_statement(call: Call, statement: Argument, program: str, *, read_only: bool) -> None:
    sql = statement.text
    if sql is None or statement.glob:
        call.does(Effect.UNCLEAR, Kind.DYNAMIC, "the statement is not known", statement)
        return
    call.harmless("all that it is told to do is in the command line, and only reads")
    if program == "psql" and _DESCRIBES.fullmatch(sql):
        return
    if program in ("sqlite3", "duckdb") and _DOT.fullmatch(sql):
        return
    if program in ("mysql", "mariadb"):
        sql = re.sub(r"\\[Gg]\s*;?\s*$", "", sql)
    if program == "sqlcmd" and _SQLCMD.search(sql):
        call.does(Effect.UNCLEAR, "client", "has a command of the client itself", statement)
        return
    if program == "duckdb" and any(is_secret(text) for text in re.findall(r"'([^']*)'", sql)):
        call.does(Effect.SECRETS, Kind.SECRET, "reads keys, passwords or tokens", statement)
    if program == "duckdb" and (remote := _REMOTE.search(sql)):
        call.network(Argument(remote[1], statement.start, statement.end))
    if _PASSWORDS.search(sql):
        call.does(Effect.SECRETS, Kind.SECRET, "reads passwords of the database's users", statement)
    reason = problem(sql, program)
    if reason:
        _follow_client(call, statement)
    if reason and read_only and drops_something(sql, program):
        call.harmless("the file is opened for reading only, so that DROP fails")
    elif reason:
        _follow_writing(call, program, f"runs a statement that {reason}", statement)


def _follow_client(call: Call, statement: Argument) -> None:
    """The commands and files that stand in statements in plain words."""
    for follow, pieces in ((call.shell, _RUN), (call.writes, _WRITE), (call.reads, _READ)):
        for found in pieces.finditer(statement.text or ""):
            text = next(filter(None, found.groups()), "").strip(" '\"")
            if text and text not in _STREAMS:
                follow(Argument(text, statement.start, statement.end))


def _follow_writing(call: Call, program: str, why: str, statement: Argument) -> None:
    """sqlite3 and duckdb write where their file lies, the others on a server."""
    files = call.parsed.operands[:1]
    is_plain = not _BEYOND_ITS_FILE.search(statement.text or "")
    if program in _READ_ONLY and is_plain and files and files[0].text != ":memory:":
        call.writes(files[0])
    elif program in _READ_ONLY:
        call.does(Effect.UNCLEAR, Kind.STATEMENT, why, statement)
    else:
        call.does(Effect.SYSTEM, Kind.STATEMENT, why, statement)
