"""Reads compound commands, pipelines and lists; `parse` is the only way in.

One method per construct, so that the grammar is in one place: that makes the file long.
https://www.gnu.org/software/bash/manual/html_node/Shell-Commands.html
"""

from __future__ import annotations

from functools import lru_cache

from laconic.patterns import pattern
from laconic.shell.ast import (
    AndOr,
    ArithmeticCommand,
    Case,
    Clause,
    Command,
    Compound,
    Conditional,
    Coproc,
    Function,
    Loop,
    Mark,
    Pipeline,
    Script,
    Sequence,
    Test,
    Word,
    nodes,
)
from laconic.shell.scanner import ParseError
from laconic.shell.simple import (
    ASSIGNING,
    ASSIGNMENT,
    NAMED,
    NUMBERED,
    RESERVED_WORDS,
    SimpleReader,
    plain,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.shell.ast import AnyCommand

_INTERNAL = pattern(rb"[\0\x01\x7f]")
_DELIMITED = r"(?=[ \t\n|&;()]|[<>](?!\()|\Z)"
_RESERVED = pattern(
    r"(?:if|then|elif|else|fi|for|while|until|done|do|case|esac|select|in|function|coproc|time"
    r"|\[\[|[{}!])" + _DELIMITED
)
_RESERVED_STARTS = frozenset(word[0] for word in RESERVED_WORDS)
_MISPLACED = frozenset("then elif else fi do done esac in }".split())
_COMPOUND_STARTS = frozenset("if while until for select case [[ {".split())
_IN = pattern("in" + _DELIMITED)
_CONDITIONAL_END = pattern(r"\]\]" + _DELIMITED)
_TIME_OPTION = pattern(r"(?:-p|--)" + _DELIMITED)
_ASSIGNING_NAME = pattern(f"(?:{'|'.join(sorted(ASSIGNING))})" + _DELIMITED)
_LOOP_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*" + _DELIMITED)
_FUNCTION = pattern(r"""([^ \t\n|&;()<>\\'"`$]+)[ \t]*\([ \t]*\)""")
_FUNCTION_KEYWORD = pattern(r"""([^ \t\n|&;()<>\\'"`$]+)(?:[ \t]*\([ \t]*\))?""")
_FOR_SEMICOLONS = 2
_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset("== = != =~ -eq -ne -lt -le -gt -ge -nt -ot -ef < >".split())

_THEN = frozenset(["then"])
_AFTER_THEN = frozenset(["elif", "else", "fi"])
_FI = frozenset(["fi"])
_DO = frozenset(["do"])
_DONE = frozenset(["done"])
_BRACE = frozenset(["}"])
_PARENTHESIS = frozenset([")"])
_CLAUSE_END = frozenset(["esac", ";;"])


_KEPT_BYTES = 4096


def parse(source: bytes | str) -> Script:
    """Parse a command line or script, or raise ParseError. The only way in.

    The trees of the last few short texts are kept: gate, rewrite and log ask for the same text.
    """
    return _parsed(source) if len(source) <= _KEPT_BYTES else _parse(source)


def _parse(source: bytes | str) -> Script:
    try:
        raw = source if isinstance(source, bytes) else source.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ParseError("not valid Unicode", error.start) from None
    if odd := _INTERNAL.search(raw):
        name = "NUL byte" if odd[0] == b"\0" else "control character that bash uses internally"
        raise ParseError(name, odd.start())
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError("not valid UTF-8", error.start) from None
    parser = Parser(raw.decode("latin-1"))
    try:
        body = parser.program()
    except RecursionError:
        raise ParseError("nesting is too deep", parser.pos) from None
    return Script(raw, body, tuple(parser.marks))


_parsed = lru_cache(maxsize=4)(_parse)


def forget() -> None:
    """Forget the kept trees, to measure what parsing costs."""
    _parsed.cache_clear()


class Parser(SimpleReader):
    """The grammar, by recursive descent; each method leaves `pos` after what it read."""

    # -- commands

    def command(self) -> AnyCommand:
        self.blanks()
        char = self.peek()
        if char == "(":
            return self._parenthesis()
        word = self._reserved()
        if word in _MISPLACED:
            raise self.fail(f"unexpected {word}")
        if word in _READERS:
            self.enter()
            start = self.pos
            self.take(len(word))
            node = _READERS[word](self, start)
            self.depth -= 1
            return node
        return self._function() or self.simple()

    def _reserved(self) -> str:
        """The reserved word at this position, or an empty text."""
        if self.peek() not in _RESERVED_STARTS:
            return ""
        match = _RESERVED.match(self.text, self.pos, self.end)
        return match[0] if match else ""

    # -- compound commands

    def _parenthesis(self) -> AnyCommand:
        start = self.pos
        self.enter()
        is_double = self.text.startswith("((", start, self.end)
        if is_double:
            expression = self.try_arithmetic(start, 2)
            if expression is not None:
                self.depth -= 1
                self.marks += [
                    Mark(start, start + 2, "(("),
                    Mark(self.pos - 2, self.pos, "))"),
                ]
                redirects = self.redirects()
                return ArithmeticCommand(start, self.pos, expression, redirects)
        self.take(1)
        self.refuse_split("(")
        body = self.sequence(_PARENTHESIS)
        self._close(start, "(", ")")
        self.depth -= 1
        if is_double:
            self.refuse_odd_double(start)
        return self._compound(start, "(", body)

    def _close(self, start: int, opening: str, closing: str) -> None:
        if self.peek() != closing:
            raise self.fail(f"{opening} without its {closing}", start)
        self.take(1)

    def _compound(self, start: int, kind: str, *bodies: Sequence) -> Compound:
        redirects = self.redirects()
        return Compound(start, self.pos, kind, bodies, redirects)

    def _expect(self, words: frozenset[str]) -> str:
        self.blanks()
        word = self._reserved()
        if word not in words:
            raise self.fail("expected " + " or ".join(sorted(words)))
        self.take(len(word))
        return word

    def read_group(self, start: int) -> AnyCommand:
        body = self.sequence(_BRACE)
        self._expect(_BRACE)
        return self._compound(start, "{", body)

    def read_if(self, start: int) -> AnyCommand:
        bodies = [self.sequence(_THEN)]
        self._expect(_THEN)
        while True:
            bodies.append(self.sequence(_AFTER_THEN))
            word = self._expect(_AFTER_THEN)
            if word == "elif":
                bodies.append(self.sequence(_THEN))
                self._expect(_THEN)
                continue
            if word == "else":
                bodies.append(self.sequence(_FI))
                self._expect(_FI)
            return self._compound(start, "if", *bodies)

    def read_while(self, start: int) -> AnyCommand:
        kind = self.text[start : self.pos]
        test = self.sequence(_DO)
        self._expect(_DO)
        body = self.sequence(_DONE)
        self._expect(_DONE)
        return self._compound(start, kind, test, body)

    def read_for(self, start: int) -> AnyCommand:
        kind = self.text[start : self.pos]
        self.blanks()
        if kind == "for" and self.looking_at("(("):
            return self.read_arithmetic_for(start)
        name = _LOOP_NAME.match(self.text, self.pos, self.end)
        if name is None:
            raise self.fail(f"name expected after {kind}")
        self.marks.append(Mark(self.pos, name.end(), name[0]))
        self.pos = name.end()
        self.blanks()
        words: list[Word] | None = None
        if self._reserved() == "{":
            raise self.fail(f"{kind}: expected ; or a newline before the brace")
        if self.peek() == ";":
            self._separator()
        else:
            self.newlines()
            if _IN.match(self.text, self.pos, self.end):
                self.take(2)
                words = self._loop_words(kind)
        body = self._loop_body()
        redirects = self.redirects()
        return Loop(
            start,
            self.pos,
            kind,
            name[0],
            None if words is None else tuple(words),
            None,
            body,
            redirects,
        )

    def _loop_words(self, kind: str) -> list[Word]:
        words: list[Word] = []
        while True:
            self.blanks()
            word = self.word()
            if word is None:
                break
            words.append(word)
        if self.peek() == ";":
            self._separator()
        elif self.peek() == "\n":
            self.newline()
        else:
            raise self.fail(f"{kind}: expected ; or a newline")
        return words

    def _separator(self) -> Mark:
        if self.looking_at(";;") or self.looking_at(";&"):
            raise self.fail("unexpected ;;")
        mark = self.take(1)
        self.refuse_split(";&")
        return mark

    def read_arithmetic_for(self, start: int) -> Loop:
        opening = self.pos
        self.take(2)
        header = self.arithmetic(opening, "))")
        if header is None:
            raise self.fail("for (( without its ))", opening)
        if header.text.count(";") != _FOR_SEMICOLONS or "\\" in header.text:
            raise self.fail("for (( needs two ;", opening)
        self.marks.append(Mark(self.pos - 2, self.pos, "))"))
        self.blanks()
        if self.peek() == ";":
            self._separator()
        body = self._loop_body()
        redirects = self.redirects()
        return Loop(start, self.pos, "for((", "", None, header, body, redirects)

    def _loop_body(self) -> Sequence:
        """`do .. done`, or `{ .. }`, which bash accepts as well."""
        self.newlines()
        word = self._reserved()
        if word not in ("do", "{"):
            raise self.fail("expected do")
        closing = _DONE if word == "do" else _BRACE
        self.take(len(word))
        body = self.sequence(closing)
        self._expect(closing)
        return body

    def read_case(self, start: int) -> AnyCommand:
        self.blanks()
        subject = self.word()
        if subject is None:
            raise self.fail("case without a word")
        self.newlines()
        if not _IN.match(self.text, self.pos, self.end):
            raise self.fail("case: expected in")
        self.take(2)
        clauses: list[Clause] = []
        ended = False
        while not ended:
            self.newlines()
            if self._reserved() == "esac":
                self.take(4)
                break
            clause, ended = self._clause()
            clauses.append(clause)
        redirects = self.redirects()
        return Case(start, self.pos, subject, tuple(clauses), redirects)

    def _clause(self) -> tuple[Clause, bool]:
        """Read one clause; the flag says that `esac` ended it in place of a terminator."""
        start = self.pos
        if self.peek() == "(":
            self.take(1)
            self.blanks()
        patterns: list[Word] = []
        while True:
            pattern = self.word()
            if pattern is None:
                raise self.fail("case: a pattern is expected")
            if plain(pattern) == "}":
                raise self.fail("case: a brace as a pattern", pattern.start)
            patterns.append(pattern)
            self.blanks()
            if self.peek() != "|":
                break
            self.take(1)
            self.blanks()
        if self.peek() != ")":
            raise self.fail("case: expected )")
        self.take(1)
        body = self.sequence(_CLAUSE_END, may_be_empty=True)
        self.blanks()
        for terminator in (";;&", ";;", ";&"):
            if self.looking_at(terminator):
                self.take(len(terminator))
                if terminator != ";;&":
                    self.refuse_split("&")
                return Clause(start, self.pos, tuple(patterns), body, terminator), False
        self._expect(frozenset(["esac"]))
        return Clause(start, self.pos - 4, tuple(patterns), body, ""), True

    def read_function(self, start: int) -> AnyCommand:
        self.blanks()
        name = _FUNCTION_KEYWORD.match(self.text, self.pos, self.end)
        if name is None:
            raise self.fail("function: name expected")
        return self._function_body(start, name)

    def _function(self) -> Function | None:
        """Read `name() ..`, if there is one here."""
        name = _FUNCTION.match(self.text, self.pos, self.end)
        if name is None or name[1] in RESERVED_WORDS or ASSIGNMENT.match(name[1]):
            return None
        self.enter()
        node = self._function_body(self.pos, name)
        self.depth -= 1
        return node

    def _function_body(self, start: int, name: re.Match[str]) -> Function:
        if name[1][-1] in "?*+@!" or any(char in name[1] for char in "=[{"):
            raise self.fail("unusual name of a function")
        self.marks.append(Mark(self.pos, name.end(), name[0]))
        self.pos = name.end()
        self.newlines()
        if self.peek() != "(" and self._reserved() not in _COMPOUND_STARTS:
            raise self.fail("function: a compound command is expected")
        body = self.command()
        return Function(start, self.pos, name[1], body)

    def read_coproc(self, start: int) -> AnyCommand:
        self.blanks()
        name = ""
        if self._compound_ahead():
            body = self.command()
        elif self._redirect_ahead() or ASSIGNMENT.match(self.text, self.pos, self.end):
            body = self.simple()
        else:
            first = None if self._reserved() else self.word()
            if first is None or plain(first) in RESERVED_WORDS or plain(first) == "]]":
                raise self.fail("coproc: a command is expected")
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            if ASSIGNMENT.match(self.text, self.pos, self.end):
                raise self.fail("coproc: what follows looks like an assignment")
            if self._compound_ahead():
                name = plain(first) or ""
                if not name:
                    raise self.fail("coproc: unusual name", first.start)
                self.marks.append(Mark(first.start, first.end, name))
                body = self.command()
            elif self._reserved():
                raise self.fail("coproc: a reserved word as an argument")
            else:
                self.pos = behind
                del self.marks[marks:]
                body = self.simple(first)
        for node in nodes(body):
            if isinstance(node, Word) and plain(node) in (*RESERVED_WORDS, "]]"):
                raise self.fail("coproc: reserved words as plain words", node.start)
        return Coproc(start, self.pos, name, body)

    def _compound_ahead(self) -> bool:
        return self.peek() == "(" or self._reserved() in _COMPOUND_STARTS

    def _redirect_ahead(self) -> bool:
        text, pos, end = self.text, self.pos, self.end
        return (
            self.peek() in ("<", ">", "&")
            or NUMBERED.match(text, pos, end) is not None
            or NAMED.match(text, pos, end) is not None
        )

    # -- conditionals

    def read_conditional(self, start: int) -> AnyCommand:
        tests: list[Test] = []
        self._any_of(tests)
        if not _CONDITIONAL_END.match(self.text, self.pos, self.end):
            raise self.fail("[[ without its ]]", start)
        self.take(2)
        redirects = self.redirects()
        return Conditional(start, self.pos, tuple(tests), redirects)

    def _any_of(self, tests: list[Test]) -> None:
        """Tests joined by `&&` and `||`; newlines may come between them."""
        self.enter()
        while True:
            self._test(tests)
            self.newlines()
            if not (self.looking_at("&&") or self.looking_at("||")):
                break
            self.take(2)
        self.depth -= 1

    def _test(self, tests: list[Test]) -> None:
        self.newlines()
        while self._reserved() == "!":
            self.take(1)
            self.newlines()
        start = self.pos
        if self.peek() == "(":
            self.take(1)
            self._any_of(tests)
            self._close(start, "(", ")")
            return
        left = self._operand_word(regex=False)
        self.blanks()
        operator = plain(left)
        if operator in _UNARY:
            self.marks.append(Mark(left.start, left.end, operator or ""))
            operand = self._operand_word(regex=False)
            tests.append(Test(start, self.pos, operator or "", (operand,)))
        elif self._test_ends():
            if self.peek() == "\n":
                raise self.fail("[[: newline after a word")
            tests.append(Test(start, left.end, "", (left,)))
        else:
            operator = self._binary_operator()
            self.blanks()
            right = self._operand_word(regex=operator == "=~")
            tests.append(Test(start, self.pos, operator, (left, right)))

    def _test_ends(self) -> bool:
        return (
            self.peek() in ("", ")", "\n")
            or self.looking_at("&&")
            or self.looking_at("||")
            or _CONDITIONAL_END.match(self.text, self.pos, self.end) is not None
        )

    def _operand_word(self, *, regex: bool) -> Word:
        if _CONDITIONAL_END.match(self.text, self.pos, self.end):
            raise self.fail("[[: an operand is expected")
        word = self.word(extglob=True, regex=regex)
        if word is None:
            raise self.fail("[[: an operand is expected")
        return word

    def _binary_operator(self) -> str:
        if self.peek() in ("<", ">") and not self.text.startswith("(", self.pos + 1, self.end):
            return self.take(1).text
        start = self.pos
        word = self.word()
        operator = plain(word) if word else None
        if operator not in _BINARY or operator is None:
            raise self.fail("[[: an operator is expected", start)
        self.marks.append(Mark(start, self.pos, operator))
        return operator

    # -- pipelines and lists

    def pipeline(self) -> Pipeline:
        self.blanks()
        start, negations, timed = self.pos, 0, False
        while (word := self._reserved()) in ("!", "time"):
            if self.looking_at("!("):
                raise self.fail("!( may be a pattern or a negated subshell")
            is_first = self.pos == self.opening
            self.take(len(word))
            self.blanks()
            if word == "!":
                negations += 1
            else:
                timed = True
                if is_first:
                    self._refuse_odd_time()
                for option in ("-p", "--"):
                    if _TIME_OPTION.match(self.text, self.pos, self.end) and self.looking_at(
                        option
                    ):
                        self.take(len(option))
                        self.blanks()
                if self.peek() == "-":
                    raise self.fail("time: one option more than bash takes")
            if self.pos >= self.end or self.text[self.pos] in ";&\n)":
                raise self.fail("empty pipeline")
        commands, operators = [self.command()], []
        while True:
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            if self.peek() != "|" or self.looking_at("||"):
                self.pos = behind
                del self.marks[marks:]
                break
            operators.append(self._pipe())
            # `time` after a pipe is the program, not the reserved word
            reserved = self._reserved()
            commands.append(
                self.simple(reserved_is_plain=True) if reserved == "time" else self.command()
            )
        return Pipeline(start, self.pos, negations, timed, tuple(commands), tuple(operators))

    def _refuse_odd_time(self) -> None:
        """Refuse `$(time ..` where it matters that older versions take `time` for the program."""
        if (
            self.peek() in ("(", "-")
            or self._reserved()
            or ASSIGNMENT.match(self.text, self.pos, self.end)
            or _FUNCTION.match(self.text, self.pos, self.end)
            or _ASSIGNING_NAME.match(self.text, self.pos, self.end)
        ):
            raise self.fail("time at the start of a substitution")

    def _pipe(self) -> Mark:
        if self.looking_at("|&>"):
            raise self.fail("unexpected |&>")
        mark = self.take(2 if self.looking_at("|&") else 1)
        self.refuse_split("|&")
        self.newlines()
        if self._reserved() == "!":
            raise self.fail("! inside a pipeline")
        return mark

    def and_or(self) -> AndOr:
        pipelines, operators = [self.pipeline()], []
        while True:
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            if not (self.looking_at("&&") or self.looking_at("||")):
                self.pos = behind
                del self.marks[marks:]
                break
            operators.append(self.take(2))
            self.newlines()
            pipelines.append(self.pipeline())
        return AndOr(pipelines[0].start, self.pos, tuple(pipelines), tuple(operators))

    def sequence(self, stop: frozenset[str], *, may_be_empty: bool = False) -> Sequence:
        self.newlines()
        start = self.pos
        items: list[AndOr] = []
        separators: list[Mark | None] = []
        while not self._at_stop(stop):
            if self.pos >= self.end:
                if stop:
                    raise self.fail("unexpected end, missing " + " or ".join(sorted(stop)))
                break
            items.append(self.and_or())
            separator = self._list_separator(stop, items[-1])
            separators.append(separator)
            if separator is None:
                break
            if separator.text == "\n" and self.depth == 0 and _turns_extglob_on(items[-1]):
                self.extglob = True
        if not items and not may_be_empty:
            raise self.fail("a command is expected")
        if items:
            return Sequence(items[0].start, items[-1].end, tuple(items), tuple(separators))
        return Sequence(start, start, (), ())

    def _list_separator(self, stop: frozenset[str], item: AndOr) -> Mark | None:
        """Read the separator after a list and the newlines after it; None where the list ends."""
        self.blanks()
        char = self.peek()
        if char == "\n":
            mark = Mark(self.pos, self.pos + 1, "\n")
            self.newlines()
            return mark
        if char == ";" and ";;" in stop and (self.looking_at(";;") or self.looking_at(";&")):
            return None
        if char == ";":
            mark = self._separator()
            self.newlines()
            return mark
        if char == "&":
            mark = self.take(1)
            self.refuse_split("&>")
            self.newlines()
            return mark
        if char and not self._at_stop(stop):
            raise self.fail(f"unexpected {char!r}")
        if char and char != ")" and _ends_in_redirect(item):
            raise self.fail("a reserved word right after a redirect is an ordinary word")
        return None

    def _at_stop(self, stop: frozenset[str]) -> bool:
        char = self.peek()
        if char == ")":
            if ")" not in stop:
                raise self.fail("unexpected )")
            return True
        if char == ";":
            return ";;" in stop and (self.looking_at(";;") or self.looking_at(";&"))
        return bool(stop) and self._reserved() in stop


_READERS = {
    "if": Parser.read_if,
    "while": Parser.read_while,
    "until": Parser.read_while,
    "for": Parser.read_for,
    "select": Parser.read_for,
    "case": Parser.read_case,
    "[[": Parser.read_conditional,
    "{": Parser.read_group,
    "function": Parser.read_function,
    "coproc": Parser.read_coproc,
}


def _ends_in_redirect(item: AndOr) -> bool:
    command = item.pipelines[-1].commands[-1]
    while isinstance(command, Function | Coproc):
        command = command.body
    return bool(command.redirects)


def _turns_extglob_on(item: AndOr) -> bool:
    """`shopt -s extglob` on a line of its own: from the next line on bash reads extended globs."""
    pipeline = item.pipelines[0]
    command = pipeline.commands[0]
    if len(item.pipelines) > 1 or len(pipeline.commands) > 1 or not isinstance(command, Command):
        return False
    words = [plain(word) if isinstance(word, Word) else None for word in command.words]
    return words == ["shopt", "-s", "extglob"] and not command.assignments
