"""One program call under judgement: what handlers and tables say of it becomes findings."""

from __future__ import annotations

import posixpath

from laconic.lazy import compile_written, pattern
from laconic.policy.places import is_secret, place
from laconic.tools.options import Parsed, parse_options
from laconic.types import Decision, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.policy.judge import Judge
    from laconic.tools.arguments import Argument
    from laconic.tools.knowledge import Entry, Match

_RAW_DEVICE = pattern(
    r"/dev/(?:[shv]d[a-z]|nvme|mmcblk|disk|rdisk|mem|kmem|port|dm-|mapper/)|/proc/[^/]+/(?:environ|mem)$"
)
# Words that may be subcommands, or patterns that one of them may match.
_WORD = pattern(r"(?:[a-z*?\[][A-Za-z0-9_*?\[\]!^-]*)?")
# Names that directories have everywhere, and subcommands nowhere unless a table lists them.
_DIRECTORIES = frozenset("src lib app apps cmd pkg packages crates internal docs tests".split())
_DESTROYED = frozenset(("root", "home"))
_FIRM_PLACES = {
    "root": "the root of the file system",
    "device": "a device",
    "home": "the home directory itself",
    "sensitive": "a file that decides what programs run or holds keys",
    "network": "a network connection",
}


class Call:
    """A program with its arguments; findings are the decisions that speak against it.

    id: the path as a rule id (`git/push`). why: what it does and why that is harmless, in case
    nothing speaks against it.
    """

    __slots__ = (
        "arguments", "entry", "findings", "id", "judge", "match", "parsed", "path", "span", "why",
    )  # fmt: skip

    def __init__(self, match: Match, entry: Entry, judge: Judge, span: tuple[int, int]) -> None:
        self.match, self.entry, self.judge, self.span = match, entry, judge, span
        self.path, self.arguments = tuple(match.path), match.arguments
        self.id = "/".join(match.path)
        self.parsed: Parsed | None = None
        self.findings: list[Decision] = []
        self.why = entry.about
        if entry.anything and entry.about and not entry.code:
            self.why += ", whatever its arguments are"

    # -- what handlers say

    def harmless(self, why: str) -> None:
        """Why this very call does no harm; it decides nothing."""
        self.why = why

    def ask(
        self,
        rule: str,
        why: str,
        argument: Argument | None = None,
        instead: str = "",
        *,
        firm: bool = False,
    ) -> None:
        self._find(Verdict.ASK, rule, why, argument, instead, firm=firm)

    def deny(
        self, rule: str, why: str, argument: Argument | None = None, instead: str = ""
    ) -> None:
        self._find(Verdict.DENY, rule, why, argument, instead, firm=True)

    def _find(
        self,
        verdict: Verdict,
        rule: str,
        why: str,
        argument: Argument | None,
        instead: str,
        *,
        firm: bool,
    ) -> None:
        start, end = (argument.start, argument.end) if argument is not None else self.span
        rule_id = f"{self.id}/{rule}" if rule else self.id
        self.findings.append(
            Decision(
                verdict, rule_id, why, start, end, instead=instead or self.entry.instead, firm=firm
            )
        )

    def reads(self, argument: Argument) -> None:
        if "network" in self._places(argument):
            self.ask("read", "reads a network connection", argument, firm=True)
        elif any(map(_RAW_DEVICE.match, argument.texts)):
            self.ask("read", "reads a raw device or the memory of a process", argument, firm=True)
        if self.judge.profile != "relaxed" and any(map(is_secret, self._paths(argument))):
            self.ask("secret", "reads keys, passwords or tokens", argument)

    def writes(self, argument: Argument) -> None:
        """A file or directory is created or changed."""
        if argument.text is None:
            self.ask("write", "writes to a place that is not known", argument)
        for where in self._places(argument):
            if where == "sink":
                continue
            if where in _FIRM_PLACES:
                self.ask("write", f"writes to {_FIRM_PLACES[where]}", argument, firm=True)
            elif where not in self.judge.free_places:
                self.ask("write", f"writes to {_shown(argument)}", argument)

    def puts_out(self, argument: Argument) -> None:
        """As writes, for a program that takes `-` for its standard output."""
        if argument.text != "-":
            self.writes(argument)

    def deletes(self, argument: Argument, *, recursive: bool = True) -> None:
        if argument.text is None:
            self.ask("delete", "deletes something that is not known", argument)
        for where in self._places(argument):
            if where in _DESTROYED and recursive:
                self.deny("delete", f"deletes {_FIRM_PLACES[where]}", argument)
            elif where in _FIRM_PLACES:
                self.ask("delete", f"deletes {_FIRM_PLACES[where]}", argument, firm=True)
            elif where not in self.judge.free_places:
                self.ask("delete", f"deletes {_shown(argument)}", argument)

    def enters(self, argument: Argument) -> None:
        """The program works in another directory, with the configuration it finds there."""
        if argument.text is None:
            self.ask("directory", "works in a directory that is not known", argument)
        elif any(w not in ("project", "project-root") for w in self._places(argument)):
            self.ask("directory", "works in a directory outside the project", argument)

    def network(self, argument: Argument | None = None) -> None:
        """The network is used; argument: the address, if the command line names one."""
        if self.judge.profile == "strict":
            self.ask("network", "uses the network", argument)
        if argument is not None and self.judge.substituted:
            self.ask("substituted", "what it fetches becomes part of another command", argument)

    def sets(self, argument: Argument) -> None:
        """`NAME=value` for the environment of what runs."""
        name, _, value = argument.leading.partition("=")
        known = None if argument.text is None else value
        finding = self.judge.environment(name, known, argument.start, argument.end)
        if finding is not None:
            self.findings.append(finding)

    def runs(self, arguments: list[Argument]) -> None:
        """The arguments are a command of their own."""
        self.findings.append(self.judge.command(arguments, self.span))

    def shell(self, argument: Argument) -> None:
        """The argument is shell code."""
        if argument.text is None or argument.glob:
            self.ask("code", "runs shell code that is not known", argument, firm=True)
        else:
            self.findings.append(self.judge.nested(argument))

    def _paths(self, argument: Argument) -> Iterable[str]:
        """As written, and from where `cd` may have led."""
        yield from argument.texts
        for cwd in self.judge.directories[1:]:
            for text in argument.texts:
                yield posixpath.normpath(posixpath.join(cwd, text))

    def _places(self, argument: Argument) -> set[str]:
        judge = self.judge
        return {
            place(text, cwd, judge.facts) for text in argument.texts for cwd in judge.directories
        }

    # -- what tables say

    def shows_itself(self) -> bool:
        """Tell whether the one argument is an option that only prints help or a version."""
        if len(self.arguments) != 1 or not self.arguments[0].is_static:
            return False
        option = self.arguments[0].text
        if option == "--help" or (option == "--version" and len(self.path) == 1):
            return True
        return option in self.entry.alone and self.match.branch.entry is self.entry

    def follow_options_in_front(self) -> None:
        """The options between the program and its subcommand."""
        for entry, parsed in self.match.before:
            self._check_options(entry, parsed)

    def follow_table(self) -> None:
        self._table_verdict()
        entry = self.entry
        if entry.network:
            self.network()
        if entry.anything:
            self._check_plain_operands()
        elif entry.options is not None or not entry.code:
            self.parsed = parse_options(self.arguments, entry.reading(self.match.everywhere))
            if entry.needs and not self._has(self.parsed, entry.needs):
                self.ask("needs", entry.why or f"acts without {' or '.join(entry.needs)}")
            self._check_options(entry, self.parsed)
            self._check_subcommand(self.parsed)
            self._check_operands(self.parsed)

    def _has(self, parsed: Parsed, names: tuple[str, ...]) -> bool:
        return parsed.has(*names) or self.match.has_in_front(*names)

    def _check_plain_operands(self) -> None:
        """Where any argument is fine, files are still looked at: `cat` may read secrets."""
        role = (self.entry.operands or ("V",))[-1].removesuffix("...")
        for argument in self.arguments if role != "V" else ():
            if argument.texts and not argument.leading.startswith("-"):
                self._check(role, argument)

    def _table_verdict(self) -> None:
        verdict = self.entry.verdict[self.judge.profile]
        why = self.entry.why or f"{' '.join(self.path)} needs a look"
        if verdict == "ask":
            self.ask("", why)
        elif verdict == "deny":
            self.deny("", why)

    def _check_options(self, entry: Entry, parsed: Parsed) -> None:
        for argument, message in parsed.problems:
            name = argument.leading.partition("=")[0]
            known_harm = entry.refuse.get(name)
            self.ask("option", f"{name} {known_harm}" if known_harm else message, argument)
        for option in parsed.options:
            wanted = self.match.wanted(entry, option.name)
            if wanted is not None and not _is_one_of(option.value, wanted):
                self.ask(
                    "value",
                    f"{option.name} with a value that is not known to be harmless",
                    option.argument,
                )
            if option.role and option.value is not None:
                self._check(option.role, option.value)
            elif option.role in ("CODE", "NO"):
                self._check(option.role, option.argument)

    def _check_subcommand(self, parsed: Parsed) -> None:
        """Where a word may be a subcommand instead of a file, one that is not known asks."""
        known = self.entry.subcommands
        if not known or not parsed.operands:
            return
        first = parsed.operands[0]
        is_plain = first.text is not None and not first.glob
        may_be = first.text in known if is_plain and "*" not in known else _may_be_word(first)
        if may_be:
            what = first.text or "the first operand"
            self.ask("subcommand", f"{what} may be a subcommand that is not known", first)

    def _check_operands(self, parsed: Parsed) -> None:
        roles = self.entry.operands or ("V...",)
        for pos, operand in enumerate(parsed.operands):
            role = roles[min(pos, len(roles) - 1)]
            if pos >= len(roles) and not role.endswith("..."):
                self.ask("operand", "one operand more than expected", operand)
                return
            role = role.removesuffix("...").removesuffix("?")
            if role == "COMMAND":
                self.runs(parsed.operands[pos:])
                return
            self._check(role, operand)

    def _check(self, role: str, value: Argument) -> None:
        if role in _SIMPLE_ROLES:
            getattr(self, _SIMPLE_ROLES[role])(value)
        elif role == "CODE":
            self.ask("code", "runs code that is given in an argument", value)
        elif role == "NAME":
            self.ask("program", "names a program to run", value)
        elif role == "NO":
            self.ask("operand", "an operand that is not expected", value)
        elif role == "COMMAND":
            self.runs([value])


def _may_be_word(argument: Argument) -> bool:
    """Tell whether it may be a word such as subcommands are, and not the path of a file."""
    known = argument.text if argument.text is not None else argument.leading
    return known not in _DIRECTORIES and _WORD.fullmatch(known) is not None


def _shown(argument: Argument) -> str:
    return argument.texts[0] if argument.texts else "something"


def _is_one_of(value: Argument | None, wanted: str) -> bool:
    return value is None or (
        value.is_static
        and value.text is not None
        and compile_written(wanted).fullmatch(value.text) is not None
    )


_SIMPLE_ROLES = {
    "READ": "reads",
    "WRITE": "writes",
    "OUT": "puts_out",
    "DELETE": "deletes",
    "DIR": "enters",
    "URL": "network",
    "SHELL": "shell",
    "ENV": "sets",
}
ROLES = frozenset((*_SIMPLE_ROLES, "V", "CODE", "NAME", "NO", "COMMAND"))
