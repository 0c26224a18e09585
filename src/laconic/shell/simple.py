"""Reads simple commands: redirects, assignments, arrays and words.

https://www.gnu.org/software/bash/manual/html_node/Redirections.html
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.shell.ast import (
    Arithmetic,
    Array,
    Assignment,
    Command,
    DoubleQuoted,
    Heredoc,
    Literal,
    Quoted,
    Redirect,
    Word,
)
from laconic.shell.lexer import Lexer
from laconic.shell.scanner import META

ASSIGNMENT = pattern(r"([A-Za-z_][A-Za-z0-9_]*)(\[|\+?=)")
NUMBERED = pattern(r"[0-9]+(?=[<>])")
NAMED = pattern(r"\{[A-Za-z_][A-Za-z0-9_]*\}(?=[<>])")
RESERVED_WORDS = frozenset(
    "if then elif else fi for while until done do case esac select in function coproc time"
    " [[ { } !".split()
)
DELIMITED = r"(?=[ \t\n|&;()]|[<>](?!\()|\Z)"
_RESERVED = pattern(
    r"(?:if|then|elif|else|fi|for|while|until|done|do|case|esac|select|in|function|coproc|time"
    r"|\[\[|[{}!])" + DELIMITED
)
_RESERVED_STARTS = frozenset(word[0] for word in RESERVED_WORDS)
_NAMED_ELEMENT = pattern(r"\{[A-Za-z_][A-Za-z0-9_]*\[[^<>]*\]\}[<>]")
_REDIRECT = pattern(r"<<<|<<-|<<|<&|<>|<|>>|>&|>\||>|&>>|&>")
_MAX_FD_DIGITS = 9
# these take assignments as arguments, with arrays
ASSIGNING = frozenset("alias declare export local readonly typeset let eval".split())


class SimpleReader(Lexer):
    """Simple commands and what they are made of."""

    def reserved(self) -> str:
        """The reserved word at this position, or an empty text."""
        if self.peek() not in _RESERVED_STARTS:
            return ""
        match = _RESERVED.match(self.text, self.pos, self.end)
        return match[0] if match else ""

    # -- redirects

    def redirect(self) -> Redirect | None:
        text, start = self.text, self.pos
        fd = self._descriptor()
        operator = _REDIRECT.match(text, self.pos, self.end)
        if operator is None or text.startswith("(", self.pos + 1, self.end):
            self.pos = start  # `3>(cmd)` is a word
            return None
        if operator[0][0] == "&":
            if fd:
                self.pos = start
                return None
            if text.startswith("(", operator.end(), self.end):
                raise self.fail("&> into a process substitution")
        self.pos = operator.end()
        if self.looking_at("\\\n"):
            raise self.fail("line continuation after a redirect operator")
        self.blanks()
        if operator[0] in ("<&", ">&") and self.peek() == "-":
            return self._closing_redirect(start, fd, operator[0])
        target = self.word()
        if target is None:
            raise self.fail("redirect without a target", start)
        if plain(target) in ("{", "}") or (self.peek() in ("<", ">") and _is_descriptor(target)):
            raise self.fail("redirect without a target", start)
        if operator[0] in ("<&", ">&") and self.text[target.start] in "\\'\"":
            raise self.fail("quoted file descriptor", start)
        heredoc = self._heredoc(operator[0], target) if operator[0] in ("<<", "<<-") else None
        return Redirect(start, self.pos, fd, operator[0], target, heredoc)

    def _descriptor(self) -> str:
        """Read `2` or `{name}` before a redirect operator."""
        char = self.peek()
        if "0" <= char <= "9":
            match = NUMBERED.match(self.text, self.pos, self.end)
            if match and len(match[0]) > _MAX_FD_DIGITS:
                raise self.fail("file descriptor out of range")
        elif char == "{":
            match = NAMED.match(self.text, self.pos, self.end)
            if match is None and _NAMED_ELEMENT.match(self.text, self.pos, self.end):
                raise self.fail("redirect to an array element's descriptor")
        else:
            return ""
        if match is None:
            return ""
        self.pos = match.end()
        return match[0]

    def _closing_redirect(self, start: int, fd: str, operator: str) -> Redirect:
        """`2>&-`: bash ends the token after the dash, so what follows at once is a new word."""
        dash = self.pos
        self.pos += 1
        if self.pos < self.end and self.text[self.pos] not in META:
            raise self.fail("text after >&-")
        target = Word(dash, self.pos, (Literal(dash, self.pos, "-"),))
        return Redirect(start, self.pos, fd, operator, target, None)

    def _heredoc(self, operator: str, target: Word) -> Heredoc:
        delimiter, quoted = "", False
        for part in target.parts:
            if isinstance(part, Literal):
                delimiter += part.value
            elif isinstance(part, Quoted) and part.value is not None:
                delimiter, quoted = delimiter + part.value, True
            elif isinstance(part, DoubleQuoted) and _all_literal(part):
                delimiter += "".join(p.value for p in part.parts if isinstance(p, Literal))
                quoted = True
            else:
                raise self.fail("expansion in the delimiter of a here-document", target.start)
        if "\n" in delimiter:
            raise self.fail("newline in the delimiter of a here-document", target.start)
        heredoc = Heredoc(delimiter, quoted, operator == "<<-")
        self.awaited.append(heredoc)
        return heredoc

    def redirects(self) -> tuple[Redirect, ...]:
        """Read the redirects after a compound command, but not the blanks after the last one."""
        redirects: list[Redirect] = []
        while True:
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            redirect = self.redirect()
            if redirect is None:
                self.pos = behind
                del self.marks[marks:]
                return tuple(redirects)
            redirects.append(redirect)

    # -- assignments

    def assignment(self) -> Assignment | None:
        start = self.pos
        match = ASSIGNMENT.match(self.text, start, self.end)
        if match is None:
            return None
        self.pos = match.end()
        name, operator = match[1], match[2]
        if operator != "[":
            return self._assigned(start, name, None, append=operator == "+=")
        index = self._index(start)
        operator = self._assignment_operator()
        if not operator:
            if any(char in META for char in self.text[start : self.pos]):
                raise self.fail("subscript with blanks that is not an assignment", start)
            self.pos = start
            return None
        return self._assigned(start, name, index, append=operator == "+=")

    def _index(self, start: int) -> Arithmetic:
        index = self.arithmetic(self.pos, "]")
        if index is None:
            raise self.fail("unterminated subscript", start)
        return index

    def _assignment_operator(self) -> str:
        operator = "=" if self.looking_at("=") else "+=" if self.looking_at("+=") else ""
        self.pos += len(operator)
        return operator

    def _assigned(
        self, start: int, name: str, index: Arithmetic | None, *, append: bool
    ) -> Assignment:
        value: Word | Array | None
        if self.peek() == "(":
            if index is not None:
                raise self.fail("array as the value of an array's element")
            value = self._array()
            if self.pos < self.end and self.text[self.pos] not in META:
                raise self.fail("text after an array")
        else:
            value = self.word()
        return Assignment(start, self.pos, name, index, append, value)

    def _array(self) -> Array:
        start = self.pos
        self.take(1)
        self.enter()
        elements: list[Word | Assignment] = []
        while True:
            self.newlines()
            char = self.peek()
            if char == ")":
                break
            if not char:
                raise self.fail("unterminated array", start)
            element = self._indexed_element() if char == "[" else self.word()
            if element is None:
                raise self.fail("unexpected text in an array")
            elements.append(element)
        self.take(1)
        self.depth -= 1
        if self.substitutions and "\\" in self.text[start : self.pos]:
            raise self.fail(
                "backslash in an array inside a substitution, which bash may lose", start
            )
        return Array(start, self.pos, tuple(elements))

    def _indexed_element(self) -> Word | Assignment | None:
        start = self.pos
        self.pos += 1
        index = self._index(start)
        operator = self._assignment_operator()
        if operator:
            value = self.word()
            return Assignment(start, self.pos, "", index, operator == "+=", value)
        if any(char in META for char in self.text[start : self.pos]):
            raise self.fail("subscript with blanks that is not an assignment", start)
        self.pos = start
        return self.word()

    # -- simple commands

    def simple(self, first: Word | None = None, *, reserved_is_plain: bool = False) -> Command:
        """Read a simple command, whose first word may have been read already."""
        start = self.pos if first is None else first.start
        assignments: list[Assignment] = []
        words: list[Word | Assignment] = []
        redirects: list[Redirect] = []
        if first is not None:
            words.append(first)
        assigning = first is not None and plain(first) in ASSIGNING
        while True:
            behind, marks = self.pos, len(self.marks)
            self.blanks()
            char = self.peek()
            if not char or char in "\n;|)":
                break
            if char in "<>&{0123456789" and (redirect := self.redirect()):
                redirects.append(redirect)
                continue
            if not words or assigning:
                assignment = self.assignment()
                if assignment is not None:
                    self._check_assignment(assignment, words, redirects)
                    (words or assignments).append(assignment)
                    continue
            word = self.word()
            if word is None:
                break
            words.append(word)
            if len(words) == 1:
                name = plain(word)
                self._check_name(
                    word, name, bare=not (assignments or redirects or reserved_is_plain)
                )
                assigning = name in ASSIGNING
        self.pos = behind
        del self.marks[marks:]
        if not (assignments or words or redirects):
            raise self.fail("a command is expected")
        return Command(start, behind, tuple(assignments), tuple(words), tuple(redirects))

    def _check_assignment(
        self, assignment: Assignment, words: list[Word | Assignment], redirects: list[Redirect]
    ) -> None:
        if words and assignment.index is not None and any(c in META for c in assignment.index.text):
            raise self.fail("blank in the subscript of an argument", assignment.start)
        if redirects and (isinstance(assignment.value, Array) or assignment.index is not None):
            raise self.fail("array assignment after a redirect", assignment.start)

    def _check_name(self, word: Word, name: str | None, *, bare: bool) -> None:
        """Refuse a first word that bash might not read as the name of a command."""
        if name == "]]":
            raise self.fail("unexpected ]]", word.start)
        if len(word.parts) == 1:
            return
        if _is_continued(word) and ASSIGNMENT.match(_leading_literals(word)):
            raise self.fail("assignment split by a line continuation", word.start)
        if bare and name in RESERVED_WORDS:
            raise self.fail("reserved word split by a line continuation", word.start)


def plain(word: Word) -> str | None:
    """The text of a word made of unquoted literal text only."""
    parts = word.parts
    if len(parts) == 1:
        return parts[0].value if isinstance(parts[0], Literal) else None
    if all(isinstance(part, Literal) for part in parts):
        return "".join(part.value for part in parts if isinstance(part, Literal))
    return None


def _is_continued(word: Word) -> bool:
    return any(isinstance(part, Literal) and not part.value for part in word.parts)


def _leading_literals(word: Word) -> str:
    known = ""
    for part in word.parts:
        if not isinstance(part, Literal):
            break
        known += part.value
    return known


def _all_literal(quoted: DoubleQuoted) -> bool:
    return all(isinstance(part, Literal) for part in quoted.parts)


def _is_descriptor(word: Word) -> bool:
    """Tell whether bash reads this word, right before `<` or `>`, as a file descriptor."""
    text = plain(word) if len(word.parts) == 1 else None
    return text is not None and (text.isdigit() or text[0] == "{")
