"""awk: the program text is read word by word.

Unsafe: reading secrets (operands, getline, ARGV) and the environment; system(), pipes (`|`, `|&`),
`>` and `>>` behind print (write), @load and @include, indirect calls; -f (a file of code), -i, -l,
-E (programs that are not seen here), -o, -p, -d (write files); names like /inet/tcp/0/host/80,
which gawk takes for connections.
"""

from __future__ import annotations

import re
from itertools import pairwise

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.secret_files import is_secret, is_secret_variable
from laconic.types import Effect, Kind

_TOKEN = pattern(
    r"""(?P<blank>[ \t\r]+|\\\n|\#[^\n]*)
      | (?P<text>"(?:[^"\\\n]|\\.)*")
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<sign>>>|\|\||\|&|&&|\+\+|--|[<>=!+*%^-]=|[][(){};,<>=!~?:+*%^$&|@.\n-])""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = pattern(r"/(?:[^/\\\n[]|\\.|\[\^?\]?(?:\[[:.=][^]\n]*\]|[^]\n])*\])+/", re.DOTALL)
_BEFORE_REGEX = frozenset("print printf return in else do delete exit BEGIN END".split())
# Behind these a slash divides for some versions of awk and begins an expression for others.
_BEFORE_EITHER = frozenset(
    """$ ++ -- getline case length atan2 close cos exp fflush gensub gsub index int log match rand
    sin split sprintf sqrt srand strftime sub substr systime tolower toupper""".split()
)
_CONTROL = frozenset("if while for".split())
_STREAMS = frozenset(('"/dev/stdout"', '"/dev/null"'))
_STATEMENT_END = frozenset(("", ";", "\n", "}"))


def judge(call: Call) -> None:
    parsed = call.parsed
    programs, listed = parsed.values("-e", "--source"), parsed.values("-f", "--file")
    files = parsed.operands
    for file in listed:
        call.runs_file(file)
    for library in parsed.values("-i", "--include"):
        if library.text == "inplace":
            for file in files if programs or listed else files[1:]:
                call.writes(file)
        else:
            call.unlisted(Kind.OPTION, "loads code", library)
    if not programs and not listed:
        programs, files = files[:1], files[1:]
    for file in (*files, *parsed.values("-v", "--assign")):
        call.reads(file)
        if "=" in file.leading:
            call.reads(file.behind(file.leading.index("=") + 1))
    if any(not program.is_static for program in programs):
        for program in programs:
            if not program.is_static:
                call.does(Effect.UNCLEAR, Kind.CODE, "a program that is not known", program)
        return
    if any("/inet" in (word.text or word.leading) for word in (*programs, *files)):
        call.does(Effect.SENDS, Kind.NETWORK, "opens a network connection")
    tokens = _tokens("\n".join(program.text or "" for program in programs))
    if harm := _harm(tokens):
        call.does(Effect.UNCLEAR, "program", harm)
        words = tokens or []
        if any("$" in words[at : at + 4] for at, word in enumerate(words) if word == "system"):
            call.does(Effect.UNCLEAR, Kind.INPUT, "runs lines of its input as commands")
        _follow_texts(call, tokens or [], programs[0])
    elif why := _reveals(tokens or []):
        call.does(Effect.SECRETS, Kind.SECRET, why)
    call.harmless("the program only reads and prints: no files written, no pipes, no commands")


def _follow_texts(call: Call, tokens: list[str], where: Argument) -> None:
    """The commands and files that stand in the program in plain words."""
    targets = [after for sign, after in pairwise(tokens) if sign in (">", ">>")]
    is_open = any(target[0] != '"' for target in targets)
    for value in call.parsed.values("-v", "--assign") if is_open else ():
        _write_outside(call, value.behind(value.leading.find("=") + 1))
    if is_open and '"HOME"' in tokens:
        call.does(Effect.OUTSIDE_WRITE, Kind.WRITE, "may write to the home directory")
    for pos, word in enumerate(tokens):
        if word[0] != '"':
            continue
        text = Argument(word[1:-1].replace('\\"', '"'), where.start, where.end)
        before, after = tokens[max(0, pos - 2) : pos], tokens[pos + 1 : pos + 2]
        if before == ["system", "("] or before[-1:] in (["|"], ["|&"]) or after in (["|"], ["|&"]):
            call.shell(text)
        elif before[-1:] in ([">"], [">>"]) and word not in _STREAMS:
            call.writes(text)
        elif is_open and word not in _STREAMS:
            _write_outside(call, text)


def _write_outside(call: Call, value: Argument) -> None:
    """A path that may be that of the file to which the program writes."""
    text = value.text or ""
    if text[:1] in ("/", "~", ".") and call.is_outside(text):
        call.writes(value)


def _tokens(program: str) -> list[str] | None:
    """The words of a program, regular expressions as `/re/`; None if it cannot be read."""
    words: list[str] = []
    parens: list[bool] = []  # whether each open parenthesis belongs to if, while or for
    closed_control = False
    pos = 0
    while pos < len(program):
        if program[pos] == "/" and words and words[-1] in _BEFORE_EITHER:
            return None
        if program[pos] == "/" and _may_begin_regex(words, closed_control=closed_control):
            match = _REGEX.match(program, pos)
            # a slash in brackets ends the expression for some versions of awk and not for others
            if match is None or "/" in re.sub(r"\\.", "", match[0][1:-1], flags=re.DOTALL):
                return None
            words.append("/re/")
        elif program[pos] == "/":
            words.append("/")
            pos += 2 if program[pos + 1 : pos + 2] == "=" else 1
            continue
        else:
            match = _TOKEN.match(program, pos)
            if match is None:
                return None
            if not match["blank"]:
                words.append(match[0])
        pos = match.end()
        if match.lastgroup == "sign" and match[0] in "()":
            closed_control = _track(match[0], words, parens)
    return words


def _track(sign: str, words: list[str], parens: list[bool]) -> bool:
    if sign == "(":
        parens.append(len(words) > 1 and words[-2] in _CONTROL)
        return False
    return parens.pop() if parens else False


def _may_begin_regex(words: list[str], *, closed_control: bool) -> bool:
    """Behind an operand a slash divides; anywhere else it begins a regular expression."""
    if not words:
        return True
    last = words[-1]
    if last == ")":
        return closed_control
    if last in ("]", "/re/") or last[0] == '"' or last[0] in "0123456789.":
        return False
    return not (last[0].isalpha() or last[0] == "_") or last in _BEFORE_REGEX


def _continues(before: list[str]) -> bool:
    """Behind a comma or an operator a new line does not end the statement."""
    last = before[-1] if before else ""
    return bool(last) and not (
        last[0].isalnum() or last[0] in '_"$' or last in (")", "]", "/re/", "++", "--")
    )


def _harm(tokens: list[str] | None) -> str:
    """Why the program must not run unseen; empty if it may."""
    if tokens is None:
        return "the program cannot be judged"
    depth, printing = 0, -1
    for pos, word in enumerate(tokens):
        if word in ("system", "@", "|", "|&"):
            return "the program runs commands or loads code"
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth -= 1
        elif word in ("print", "printf"):
            printing = depth
        elif word in _STATEMENT_END and not (word == "\n" and _continues(tokens[pos - 1 : pos])):
            printing = -1
        elif word == ">>" or (word == ">" and depth == printing):
            target, end = (*tokens[pos + 1 : pos + 3], "", "")[:2]
            if target not in _STREAMS or end not in _STATEMENT_END:
                return "the program writes a file"
    return ""


def _reveals(tokens: list[str]) -> str:
    """Why the program may print secrets: by the files that it names itself, or the environment."""
    texts = [word[1:-1] for word in tokens if word[0] == '"']
    if any(map(is_secret, texts)) or not {"ARGV", "SYMTAB", "PROCINFO"}.isdisjoint(tokens):
        return "may read keys, passwords or tokens"
    for pos, word in enumerate(tokens):
        if word == "ENVIRON":
            bracket, name, end = (*tokens[pos + 1 : pos + 4], "", "", "")[:3]
            is_one = bracket == "[" and end == "]" and name[:1] == '"'
            if not is_one or is_secret_variable(name.strip('"')):
                return "prints the environment, secrets among it"
        elif word == "getline" and not _reads_named_file(tokens[pos + 1 :]):
            return "reads a file that is not known"
    return ""


def _reads_named_file(following: list[str]) -> bool:
    """`getline x < "file"`, or without a file: a name that is put together is not known."""
    depth = 0
    for pos, word in enumerate(following):
        if word in _STATEMENT_END or (word in (")", "&&", "||") and not depth):
            return True
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if word == "<":
            target, end = (*following[pos + 1 : pos + 3], "", "")[:2]
            is_plain = target[:1] == '"' and "\\" not in target
            return is_plain and end in (*_STATEMENT_END, ")", ">", "&&", "||")
    return True
