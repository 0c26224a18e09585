"""Reads compound commands, functions and coprocesses: one method per construct.

https://www.gnu.org/software/bash/manual/html_node/Compound-Commands.html
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.shell.ast import (
    ArithmeticCommand,
    Case,
    Clause,
    Compound,
    Coproc,
    Function,
    Loop,
    Mark,
    Word,
    nodes,
)
from laconic.shell.conditional import ConditionalReader
from laconic.shell.simple import ASSIGNMENT, DELIMITED, NAMED, NUMBERED, RESERVED_WORDS, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from laconic.shell.ast import AnyCommand, Sequence

_MISPLACED = frozenset("then elif else fi do done esac in }".split())
_COMPOUND_STARTS = frozenset("if while until for select case [[ {".split())
_IN = pattern("in" + DELIMITED)
_LOOP_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*" + DELIMITED)
FUNCTION = pattern(r"""([^ \t\n|&;()<>\\'"`$]+)[ \t]*\([ \t]*\)""")
_FUNCTION_KEYWORD = pattern(r"""([^ \t\n|&;()<>\\'"`$]+)(?:[ \t]*\([ \t]*\))?""")
_FOR_SEMICOLONS = 2

_THEN = frozenset(["then"])
_AFTER_THEN = frozenset(["elif", "else", "fi"])
_FI = frozenset(["fi"])
_DO = frozenset(["do"])
_DONE = frozenset(["done"])
_BRACE = frozenset(["}"])
_PARENTHESIS = frozenset([")"])
_CLAUSE_END = frozenset(["esac", ";;"])


class CompoundReader(ConditionalReader):
    """Any command: compound, a function, or simple."""

    def command(self, word: str) -> AnyCommand:
        """Read a command; word: the reserved one that it begins with, or an empty text."""
        if self.peek() == "(":
            return self._parenthesis()
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
        self.close(start, "(", ")")
        self.depth -= 1
        if is_double:
            self.refuse_odd_double(start)
        return self._compound(start, "(", body)

    def _compound(self, start: int, kind: str, *bodies: Sequence) -> Compound:
        redirects = self.redirects()
        return Compound(start, self.pos, kind, bodies, redirects)

    def _expect(self, words: frozenset[str]) -> str:
        self.blanks()
        word = self.reserved()
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
        if self.reserved() == "{":
            raise self.fail(f"{kind}: expected ; or a newline before the brace")
        if self.peek() == ";":
            self.separator()
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
            self.separator()
        elif self.peek() == "\n":
            self.newline()
        else:
            raise self.fail(f"{kind}: expected ; or a newline")
        return words

    def separator(self) -> Mark:
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
            self.separator()
        body = self._loop_body()
        redirects = self.redirects()
        return Loop(start, self.pos, "for((", "", None, header, body, redirects)

    def _loop_body(self) -> Sequence:
        """`do .. done`, or `{ .. }`, which bash accepts as well."""
        self.newlines()
        word = self.reserved()
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
            if self.reserved() == "esac":
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
        name = FUNCTION.match(self.text, self.pos, self.end)
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
        word = self.reserved()
        if self.peek() != "(" and word not in _COMPOUND_STARTS:
            raise self.fail("function: a compound command is expected")
        body = self.command(word)
        return Function(start, self.pos, name[1], body)

    def read_coproc(self, start: int) -> AnyCommand:
        self.blanks()
        name = ""
        if self._compound_ahead():
            body = self.command(self.reserved())
        elif self._redirect_ahead() or ASSIGNMENT.match(self.text, self.pos, self.end):
            body = self.simple()
        else:
            first = None if self.reserved() else self.word()
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
                body = self.command(self.reserved())
            elif self.reserved():
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
        return self.peek() == "(" or self.reserved() in _COMPOUND_STARTS

    def _redirect_ahead(self) -> bool:
        text, pos, end = self.text, self.pos, self.end
        return (
            self.peek() in ("<", ">", "&")
            or NUMBERED.match(text, pos, end) is not None
            or NAMED.match(text, pos, end) is not None
        )


_READERS = {
    "if": CompoundReader.read_if,
    "while": CompoundReader.read_while,
    "until": CompoundReader.read_while,
    "for": CompoundReader.read_for,
    "select": CompoundReader.read_for,
    "case": CompoundReader.read_case,
    "[[": CompoundReader.read_conditional,
    "{": CompoundReader.read_group,
    "function": CompoundReader.read_function,
    "coproc": CompoundReader.read_coproc,
}
