"""Whether a piece of SQL only reads: every statement, read strictly; the rest does not pass.

The reader must never see less code than any of the databases does. So it knows no backslash (an
escape in some, a client command in others), no `#` and no `--` without a blank (comments in some
only), no `/*!` (code in MySQL) and no dollar quotes. Functions are accepted by name, because any
other may write.
"""

from __future__ import annotations

import re
from itertools import pairwise

from laconic.knowledge.words import word_lists
from laconic.patterns import pattern

_WORDS = word_lists("sql")
_TOKEN = pattern(
    r"""(?P<space> [ \t\n]+ | --(?=[ \t\n]|$)[^\n]* | /\*(?![!+M])(?:(?!/\*|\*/).)*\*/)
    | (?P<string> '(?:[^'\\]|'')*')
    | (?P<quoted> "(?:[^"\\]|"")*" | `[\w $.-]*` | \[[\w .-]*\])
    | (?P<number> (?:0[xX][0-9A-Fa-f]+ | [0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)? | \.[0-9]+)
      (?![\w.]))
    | (?P<word> [A-Za-z_@][\w@]*)
    | (?P<end> ;)
    | (?P<sign> -(?!-) | /(?!\*) | [+*%=<>,().:~^&?{}] | \|\|?
      | !=|!~\*? | \$[0-9]+)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f]")  # some end a comment, in some databases
_BRACKET = pattern(r"[\[\]]")
_BRACKETS_QUOTE = frozenset(("sqlite3", "sqlcmd"))

# Clients whose manuals say that one text may hold several statements, and what becomes of them:
# psql(1), -c; mysql, --execute; https://sqlite.org/cli.html.
_TAKES_SEVERAL = frozenset(("mariadb", "mysql", "psql", "sqlite3"))
_READING = frozenset(_WORDS["begins"])
# Only these dialects know the word as the beginning of a query.
_BEGINS_IN = {
    "table": ("psql",),
    "summarize": ("duckdb",),
    "from": ("duckdb",),
    "pragma": ("sqlite3", "duckdb"),
}
_WRITING = frozenset(_WORDS["writing"])
_BEFORE_PARENTHESIS = frozenset(_WORDS["before-parenthesis"])
_FUNCTIONS = frozenset(_WORDS["functions"])
_DROP = pattern(
    r"drop (?:table|index|view) (?:if exists )?(?!temp|memory|system)[a-z_]\w*(?: \. [a-z_]\w*)?"
    r"(?: ;)?"
)
_PRAGMAS_WITH_NAME = frozenset(_WORDS["pragmas-with-name"])
_PRAGMAS = _PRAGMAS_WITH_NAME.union(_WORDS["pragmas"])


def problem(sql: str, program: str) -> str:
    """Why this text may do more than read, or nothing."""
    tokens = _tokens(sql, program)
    if tokens is None:
        return "is not understood"
    statements = [part for part in _split(tokens) if part]
    if not statements or (len(statements) > 1 and program not in _TAKES_SEVERAL):
        return "is more than one"
    return next(filter(None, (_statement_problem(one, program) for one in statements)), "")


def _statement_problem(statement: list[tuple[str, str]], program: str) -> str:
    words = [text.lower() for _, text in statement]
    kinds = [kind for kind, _ in statement]
    if (
        kinds[0] != "word"
        or words[0] not in _READING
        or program not in _BEGINS_IN.get(words[0], (program,))
    ):
        return f"begins with {words[0].upper()[:20]}"
    if words[0] == "pragma":
        return _pragma_problem(words)
    return _words_problem(kinds, words)


def drops_something(sql: str, program: str) -> bool:
    """Tell whether it is one plain DROP of a table, an index or a view of the file itself.

    Other changes hold expressions, which run before the write is refused; temporary tables are not
    in the file, and DuckDB's secrets are files of their own.
    """
    words = " ".join(text.lower() for _, text in _tokens(sql, program) or ())
    return _DROP.fullmatch(words) is not None


def _tokens(sql: str, program: str) -> list[tuple[str, str]] | None:
    if _CONTROL.search(sql):
        return None
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(sql):
        bracket = _BRACKET.match(sql, at) if program not in _BRACKETS_QUOTE else None
        match = bracket or _TOKEN.match(sql, at)
        if match is None:
            return None
        at = match.end()
        kind = "sign" if bracket else match.lastgroup
        if kind is not None and kind != "space":
            found.append((kind, match.group()))
    return found


def _split(tokens: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    parts: list[list[tuple[str, str]]] = [[]]
    for token in tokens:
        if token[0] == "end":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _words_problem(kinds: list[str], words: list[str]) -> str:
    if ("next", "value") in pairwise(words):
        return "takes a value from a sequence"
    is_show = words[0] == "show"  # `SHOW CREATE TABLE` and `SHOW GRANTS` show
    for pos, (kind, word) in enumerate(zip(kinds, words, strict=True)):
        called = pos + 1 < len(words) and words[pos + 1] == "("
        if kind == "word" and word in _WRITING and not (called and word in _FUNCTIONS):
            if not is_show or word in ("into", "outfile", "dumpfile"):
                return f"has {word.upper()}"
        elif called and kind == "word":
            qualified = pos > 0 and words[pos - 1] == "."
            if qualified or word not in _FUNCTIONS | _BEFORE_PARENTHESIS:
                return f"calls {word}()"
        elif called and kind in ("quoted", "string"):
            return f"calls {word}()"
    return ""


def _pragma_problem(words: list[str]) -> str:
    name, rest = words[1] if len(words) > 1 else "", words[2:]
    plain = name in _PRAGMAS and not rest
    named = name in _PRAGMAS_WITH_NAME and len(rest) == 3 and rest[0] == "(" and rest[2] == ")"  # noqa: PLR2004
    return "" if plain or named else f"sets or runs PRAGMA {name}"
