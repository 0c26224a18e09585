"""Reads the tests of `[[ .. ]]`.

https://www.gnu.org/software/bash/manual/html_node/Conditional-Constructs.html
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.shell.ast import Conditional, Mark, Test
from laconic.shell.simple import DELIMITED, SimpleReader, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Word

_END = pattern(r"\]\]" + DELIMITED)
_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset("== = != =~ -eq -ne -lt -le -gt -ge -nt -ot -ef < >".split())


class ConditionalReader(SimpleReader):
    """`[[ .. ]]`."""

    def read_conditional(self, start: int) -> Conditional:
        tests: list[Test] = []
        self._any_of(tests)
        if not _END.match(self.text, self.pos, self.end):
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
        while self.reserved() == "!":
            self.take(1)
            self.newlines()
        start = self.pos
        if self.peek() == "(":
            self.take(1)
            self._any_of(tests)
            self.close(start, "(", ")")
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
            or _END.match(self.text, self.pos, self.end) is not None
        )

    def _operand_word(self, *, regex: bool) -> Word:
        if _END.match(self.text, self.pos, self.end):
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
