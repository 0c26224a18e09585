"""What a program's table says about one call: its options, operands and verdict as findings."""

from __future__ import annotations

from collections.abc import Iterable

from laconic.knowledge.arguments import Argument
from laconic.knowledge.knowledge import Entry
from laconic.knowledge.options import Parsed, parse_options
from laconic.patterns import compile_written, pattern
from laconic.reading.boxed import OURS, judge_for
from laconic.reading.call import COVERS_ANYTHING, Call, shown
from laconic.reading.places import is_stream, is_within
from laconic.reading.secret_files import (
    is_harmless_settings,
    is_unmistakable,
    names_unmistakable,
    opens_no_files,
)
from laconic.reading.sending import address_findings, sent_findings
from laconic.reading.word_places import (
    PUTS_THERE,
    command_findings,
    fetched_code,
    follow_addresses,
    follow_code,
    foreign_code,
    guarded_word,
    name_and_path,
    outputs_outside,
    reads_code,
)
from laconic.types import MEANINGS, Effect, Kind

_SHORTEST = len("--e")  # a longer beginning may stand for the option
_FALSE = frozenset(("false", "no", "off", "null", "none", "0"))
# Values of switches: https://pkg.go.dev/flag reads `-write false` as `-write`, and a file.
_SWITCHES = frozenset(("true", "false", "true|false", "false|true"))
# Words that may be subcommands, or patterns that one of them may match.
_WORD = pattern(r"(?:[a-z*?\[][A-Za-z0-9_*?\[\]!^-]*)?")
# Names that directories have everywhere, and subcommands nowhere unless a table lists them.
_DIRECTORIES = frozenset("src lib app apps cmd pkg packages crates internal docs tests".split())
_WRITES = (
    Effect.PROJECT_WRITE
    | Effect.OUTSIDE_WRITE
    | Effect.GUARDED_WRITE
    | Effect.SYSTEM
    | Effect.DESTROYS
)
_CHANGES = Effect.PROJECT_WRITE | Effect.HISTORY | Effect.DISCARDS
_TELL_LITTLE = Effect.PROJECT_CODE | Effect.UNKNOWN
_CHANGES_OR_CODE = _CHANGES | Effect.PROJECT_CODE
_RUNS_WORDS = Effect.UNCLEAR | Effect.INSTALLS
_RUNS_OR_INSTALLS = Effect.PROJECT_CODE | Effect.INSTALLS
# Who sends or installs something also fetches.
_FETCHING = Effect.SENDS | Effect.INSTALLS
# What options are called that print secrets which a program masks otherwise.
_REVEALS = pattern(
    r"--?(?:show|print|reveal|with|decode)-?(?:secrets?|sensitive|decrypt\w*).*|--unmask\w*|--reveal|--decrypt"
)
# What stands before a command in a file of recipes or tasks.
_RECIPE = pattern(r"^[\s@+-]*(?:[\w-]+:\s+)?\[?")
_MOST_RECIPES = 100
_READ_RECIPES = frozenset(("just", "task", "go-task"))
_BETWEEN_NAMES = pattern(r"[:._-]")
_SWITCH = pattern(r"-[^./=]*")  # an option that names no file
# The method of Call that judges an argument, by the role that a table gives to it.
_SIMPLE_ROLES = {
    "READ": "reads",
    "TREE": "reads_whole",
    "EDIT": "reads",  # unless the call changes files
    "WRITE": "writes",
    "MAKE": "makes",
    "METADATA": "changes_metadata",
    "OPEN": "opens",
    "OUT": "puts_out",
    "PROGRAM": "builds",
    "DELETE": "deletes",
    "DIR": "enters",
    "URL": "network",
    "SERVER": "connects",
    "SHELL": "shell",
    "ENV": "sets",
    "RUN": "runs_file",
}
_PRODUCTS = frozenset(("WRITE", "OUT", "PROGRAM"))
_FILES = frozenset(("READ", "TREE", "EDIT", "WRITE", "MAKE", "METADATA", "DELETE", "DIR"))
_MOST_NAMED = 3  # a longer list says less than the command itself
ROLES = frozenset(
    (*_SIMPLE_ROLES, "V", "TEXT", "SECRET", "EXCEPT", "CODE", "OVERRIDE", "NAME", "NO", "COMMAND")
)


def shows_itself(call: Call) -> bool:
    """Tell whether the one argument is an option that only prints help or a version."""
    if len(call.arguments) != 1 or not call.arguments[0].is_static:
        return False
    option = call.arguments[0].text
    if option == "--help" or (option == "--version" and len(call.path) == 1):
        return True
    return option in call.entry.alone and call.match.branch.entry is call.entry


def check_leading_options(call: Call) -> None:
    """The options between the program and its subcommand."""
    for entry, parsed in call.match.before:
        _check_options(call, entry, parsed)


def follow_table(call: Call) -> None:
    entry = call.entry
    if entry.network:
        sent_findings(call)
    if entry.anything:
        _check_plain_operands(call)
        _check_servers(call)
    elif entry.options is not None or not entry.code:
        call.parsed = parse_options(call.arguments, entry.reading(call.match.everywhere))
        call.is_parsed = True
        lacks = bool(entry.needs) and not _has(call, call.parsed, entry.needs)
        if lacks or entry.verdict == "ask":
            call.is_changing = bool(call.match.effect & Effect.PROJECT_WRITE)
        if lacks and "RUN" in (entry.operands or ()) and not call.parsed.operands:
            call.does(Effect.UNCLEAR, Kind.INPUT, "runs the code that it reads from its input")
        if lacks:
            _does_once(call, call.match.effect, _deed(call))
        if entry.needs:
            _refuse_undoing(call, call.parsed, entry.needs)
        _check_options(call, entry, call.parsed)
        if entry.subcommands:
            _check_subcommand(call, call.parsed)
        _check_operands(call, call.parsed)
    for argument in call.arguments:
        if argument.text is None and "://" in argument.leading:
            address_findings(call, argument)
            break


def conclude(call: Call) -> None:
    """What the table says of the call as a whole, after all that its words say."""
    _check_names(call)
    _table_verdict(call)
    _drop_products(call)
    if call.change and not any(finding.effects & _WRITES for finding in call.findings):
        call.does(Effect.PROJECT_WRITE, Kind.WRITE, call.change)
    _follow_words(call)
    for output in outputs_outside(call) if call.effects & _TELL_LITTLE else ():
        call.writes(output, whatever=False)
    _look_outside(call)
    if call.entry.network and _goes_out(call):
        call.network()
    if call.effects & _FETCHING:
        call.findings = [f for f in call.findings if f.effects != Effect.DOWNLOADS]


def _follow_words(call: Call) -> None:
    """Names of tasks that say what they do, and code that is fetched before it runs."""
    if not call.effects & _RUNS_OR_INSTALLS:
        return
    early = [o.value for _, parsed in call.match.before for o in parsed.options if o.value]
    early += [argument for _, parsed in call.match.before for argument, _ in parsed.problems]
    if any(set(":/.") & set(argument.text or "") for argument in (*early, *call.arguments)):
        from laconic.reading.indexes import follow_indexes  # noqa: PLC0415 - seldom

        follow_indexes(call)
        follow_addresses(call)
    names = frozenset(name for name in call.entry.does if name[0] != "-")
    for word in (Argument(call.path[-1], *call.span), *call.arguments):
        text = word.text or ""
        if text.startswith("-"):
            continue
        for name in names.intersection(_BETWEEN_NAMES.split(text)):
            _follow_effect(call, call.entry, name, word)


def _look_outside(call: Call) -> None:
    """What changes files or runs code does so in its directory, or where a word leads to.

    Words that were judged by their place are not looked at again, unless there is an option
    that is not known, whose value they may be, or code is run that lies there. Words after a
    file of code are arguments of that code.
    """
    effects = call.effects
    is_told = bool(effects & _RUNS_WORDS) and not effects & Effect.PROJECT_CODE
    if is_told and call.arguments and not call.entry.code:
        call.findings += command_findings(call)
    if not effects & _CHANGES_OR_CODE:
        return
    if call.path[0] in OURS and judge_for(call).is_in_box:
        return
    early = any(parsed.options or parsed.problems for _, parsed in call.match.before)
    has_words = early or bool(call.arguments)
    if effects & Effect.PROJECT_CODE and has_words:
        call.findings += command_findings(call)
        follow_code(call)
    words = _words_that_lead_somewhere(call, effects)
    is_code = bool(effects & Effect.PROJECT_CODE)
    if is_code and has_words and (any(map(is_stream, words)) or reads_code(call)):
        call.does(Effect.UNCLEAR, Kind.INPUT, "runs code that it reads from its input")
    if call.situation.input_text and call.path[0] in _READ_RECIPES:
        for line in call.situation.input_text.splitlines()[:_MOST_RECIPES]:
            call.may_run(Argument(_RECIPE.sub("", line).rstrip(" ]"), *call.span))
    if has_words and (guarded := guarded_word(call, effects)):
        call.does(Effect.GUARDED_WRITE, "guarded", f"may write to {guarded}", firm=True)
    outside = [where for where in (".", *words) if call.is_outside(where)]
    if outside and effects & _CHANGES:
        why = f"may change files in {_place_named(call, outside[0])}, outside the project"
        call.does(Effect.OUTSIDE_WRITE, Kind.OUTSIDE, why)
    elif is_code and (place := "" if outside else fetched_code(call)):
        effects = Effect.UNKNOWN | Effect.RUNS_FETCHED
        call.does(effects, Kind.FETCHED, f"runs code of {place}, which the line fetches")
    elif is_code and (place := outside[0] if outside else foreign_code(call)):
        call.does(Effect.UNKNOWN, Kind.OUTSIDE, f"runs code of {place}, outside the project")


def _place_named(call: Call, where: str) -> str:
    """What a person knows a place by: the directory, where the line has gone there before."""
    facts, directories = call.judge.facts, call.situation.directories
    outside = (one for one in directories if not is_within(facts.real_path(one), facts.project))
    return next(outside, where) if where == "." else where


def _words_that_lead_somewhere(call: Call, effects: Effect) -> list[str]:
    is_certain = not call.parsed.problems
    settled = call.placed if is_certain and effects & _CHANGES else frozenset()
    before = [o.value for _, parsed in call.match.before for o in parsed.options]
    given = [*call.arguments, *(value for value in before if value is not None)]
    code = {finding.start for finding in call.findings if finding.kind is Kind.CODE}
    own = (a for a in given if a.start < call.code_start and a.start not in {*settled, *code})
    early = {value.start for value in before if value is not None}
    words = ((a.start, name_and_path(a.text or "")[1]) for a in own)
    return [
        word
        for start, word in words
        if word[:1] in ("/", ".") or (("/" in word or start in early) and call.is_led(word))
    ]


def _goes_out(call: Call) -> bool:
    """Tell whether this call uses the network: always, or with an option or by a word."""
    words = call.entry.network_for
    given = call.parsed.has(*words) if words else False
    return not words or given or call.path[-1] in words


def _refuse_undoing(call: Call, parsed: Parsed, needs: tuple[str, ...]) -> None:
    """What is harmless with an option must not get it taken back: `--dry-run=false`.

    If a flag is given several times, the last one counts. Many libraries for command lines read
    `--no-dry-run`, or take `false` as the next word.
    """
    undoing = {opposite for name in needs for opposite in _opposites(name)}
    for option in parsed.options:
        if option.name in undoing:
            call.unlisted(
                Kind.NEEDS, f"{option.name} undoes what makes it harmless", option.argument
            )
        elif option.name in needs and option.name not in call.entry.values:
            value = _behind(call, option.argument) if option.value is None else option.value
            if value is not None and (value.text or "").lower() in _FALSE:
                call.unlisted(
                    Kind.NEEDS, f"{option.name} may be switched off here", option.argument
                )


def _behind(call: Call, argument: Argument) -> Argument | None:
    if argument not in call.arguments:
        return None  # it stands before the subcommand
    rest = call.arguments[call.arguments.index(argument) + 1 :]
    return rest[0] if rest else None


def _has(call: Call, parsed: Parsed, names: tuple[str, ...]) -> bool:
    return parsed.has(*names) or call.match.has_before(*names)


def _check_plain_operands(call: Call) -> None:
    """Where any argument is fine, files are still looked at: `cat` may read secrets."""
    role = (call.entry.operands or ("V",))[-1].removesuffix("...")
    for argument in call.arguments if role != "V" else ():
        if not argument.leading.startswith("-"):
            _check(call, role, argument)
        elif argument.leading.startswith("--f") and "=" in argument.leading:  # wc --files0-from=F
            _check(call, role, argument.behind(argument.leading.index("=") + 1))


def _check_servers(call: Call) -> None:
    """Where any argument is fine, a server that the program is told is not."""
    known = call.match.everywhere.known.items()
    names = [name for name, (_, role) in known if role == "SERVER"]
    for pos, argument in enumerate(call.arguments if names else ()):
        name, equals, _ = argument.leading.partition("=")
        if len(name) > _SHORTEST and any(full.startswith(name) for full in names):
            following = call.arguments[pos + 1 : pos + 2]
            values = [argument.behind(len(name) + 1)] if equals else following
            for value in values:
                call.connects(value)


def _check_names(call: Call) -> None:
    """A word that can only be the name of a secret, for a program that may open its files."""
    options = call.parsed.options
    left_out = {o.value.start for o in options if o.value is not None and o.role == "EXCEPT"}
    given = (a for a in call.arguments if a.start not in left_out)
    words = [a for a in given if a.is_static and not _SWITCH.fullmatch(a.leading)]
    effects = call.effects
    is_code = bool(effects & _CODE)
    if is_code and call.situation.input_text:
        words.append(Argument(call.situation.input_text, *call.span))
    if effects & _NOT_KNOWN and call.entry.code in _NO_LANGUAGE:
        for argument in words:
            call.may_run(argument)
    asks_for = call.match.effect if call.entry.verdict == "ask" else Effect.READS
    if not words or opens_no_files(call.path[0], call.entry.code, call.effects | asks_for):
        return
    if any(finding.kind is Kind.SECRET for finding in call.findings):
        return
    names = names_unmistakable if is_code else is_unmistakable
    where = call.situation.directories, call.judge.facts
    for argument in words:
        if names(argument.text or "") and not is_harmless_settings(argument.text or "", *where):
            why = f"may read {argument.text}, which may hold keys, passwords or tokens"
            call.does(Effect.SECRETS, Kind.SECRET, why, argument)


def _table_verdict(call: Call) -> None:
    if call.entry.verdict == "ask":
        effects = call.match.effect
        if any(finding.effects & _WRITES for finding in call.findings):
            effects &= ~Effect.PROJECT_WRITE  # its operands have said where
        if effects:
            _does_once(call, effects, _deed(call))
    elif call.entry.verdict == "deny":
        call.does(Effect.DESTROYS, "", _deed(call))


def _drop_products(call: Call) -> None:
    """What code of the project writes where it is told to is a part of running that code."""
    if not call.parsed.options or not call.effects & Effect.PROJECT_CODE:
        return
    named = {o.value.start for o in call.parsed.options if o.value and o.role in _PRODUCTS}
    if named:
        call.findings = [
            finding
            for finding in call.findings
            if finding.kind is not Kind.WRITE
            or finding.effects != Effect.PROJECT_WRITE
            or finding.start not in named
        ]


# What runs or reads words in a way that is not known.
_NOT_KNOWN = Effect.UNCLEAR | Effect.UNKNOWN
_CODE = Effect.PROJECT_CODE | _NOT_KNOWN
# Handlers of programs whose words are not of another language than the shell's.
_NO_LANGUAGE = frozenset(("", "builtins", "joined_words", "shells"))
_EDITOR = "starts an editor"  # what `refuse` says of an option
_REHEARSES = frozenset(("-n", "--dry-run"))
_SET_BY_OPTION = ("git", "git/clone")  # git-clone(1): -c sets what the clone itself heeds


def _check_options(call: Call, entry: Entry, parsed: Parsed) -> None:
    for argument, message in parsed.problems:
        name = argument.leading.partition("=")[0]
        if argument.text is None and not call.match.effect & COVERS_ANYTHING:
            call.does(Effect.UNCLEAR, Kind.OPTION, message, argument)
            continue
        if _REVEALS.fullmatch(name):
            call.does(Effect.SECRETS, Kind.SECRET, f"{name} prints secrets", argument)
        value = _unlisted_value(call, argument, name)
        if value is not None and PUTS_THERE.fullmatch(name):
            _follow_unlisted_place(call, value)
        if value is not None and is_unmistakable(value.text or ""):
            why = f"may read {value.text}, which may hold keys, passwords or tokens"
            call.does(Effect.SECRETS, Kind.SECRET, why, value)
        for full in entry.does if len(name) > _SHORTEST and name[:2] == "--" else ():
            if full.startswith(name):  # many programs take a beginning for the whole
                _follow_effect(call, entry, full, argument)
        full, harm = _refused(entry, name)
        why = f"{full} {harm}" if harm else _why_unlisted(call, message)
        call.unlisted(Kind.EDITOR if harm == _EDITOR else Kind.OPTION, why, argument)
    if entry.id in _SET_BY_OPTION and (settings := parsed.values("-c", "--config")):
        from laconic.reading.given_values import follow_settings  # noqa: PLC0415 - seldom

        follow_settings(call, settings)
    if entry.id == "git" and (trees := parsed.values("--work-tree")):
        from laconic.reading.commands.git import judge_work_trees  # noqa: PLC0415 - seldom

        judge_work_trees(call, trees)
    is_rehearsal = parsed.has(*_REHEARSES) and not _REHEARSES.isdisjoint(entry.needs)
    for option in parsed.options:
        if option.name in entry.does and not is_rehearsal:
            _follow_effect(call, entry, option.name, option.argument)
        if entry.covers(option.name):
            why = f"{option.name}: {_deed(call)}"
            call.does(call.match.effect, Kind.OPTION, why, option.argument)
        wanted = call.match.wanted(entry, option.name)
        if wanted is not None and not _is_one_of(option.value, wanted):
            call.is_changing = call.is_changing or bool(call.match.effect & Effect.PROJECT_WRITE)
            call.unlisted(
                Kind.VALUE,
                f"{option.name} may do more with this value than laconic knows",
                option.argument,
            )
        elif wanted in _SWITCHES and "=" not in option.argument.leading:
            call.unlisted(Kind.VALUE, f"{option.name} takes its value after a `=`", option.argument)
        if option.role and option.value is not None:
            _check(call, option.role, option.value)
        elif option.role in ("CODE", "NO"):
            _check(call, option.role, option.argument)


def _refused(entry: Entry, name: str) -> tuple[str, str]:
    """Return which harmful option a word is, also shortened or in a bundle, and what that does."""
    letters = () if name[:2] == "--" else (f"-{letter}" for letter in name[1:])
    longer = (full for full in entry.refuse if name[:2] == "--" and full.startswith(name))
    for full in (name, *letters, *(longer if len(name) > _SHORTEST else ())):
        if full in entry.refuse:
            return full, entry.refuse[full]
    return name, ""


def _unlisted_value(call: Call, option: Argument, name: str) -> Argument | None:
    """What may be the value of an option that is not known."""
    is_here = len(option.leading) > len(name)
    return option.behind(len(name) + 1) if is_here else _behind(call, option)


def _follow_unlisted_place(call: Call, value: Argument) -> None:
    """The file of an option that is not known, but says by its name that something is put there."""
    if value.leading[:1] not in ("/", "~", "."):
        return
    if call.leads_to_guarded(value, whatever=False) or any(map(call.is_outside, value.texts)):
        call.writes(value, whatever=False)


def _follow_effect(call: Call, entry: Entry, name: str, argument: Argument) -> None:
    """An option or a task that does something; where it writes, the operands say."""
    effects, why = entry.effect_of(name)
    if effects & Effect.PROJECT_WRITE:
        call.is_changing, call.change = True, why
    if effects != Effect.PROJECT_WRITE:
        call.does(effects & ~Effect.PROJECT_WRITE, name.lstrip("-"), why, argument)


def _check_subcommand(call: Call, parsed: Parsed) -> None:
    """Where a word may be a subcommand instead of a file, one that is not known asks."""
    known = call.entry.subcommands
    if not known or not parsed.operands:
        return
    first = parsed.operands[0]
    is_plain = first.text is not None and not first.glob
    may_be = first.text in known if is_plain and "*" not in known else _may_be_word(first)
    if may_be:
        what = first.text or "the first word"
        call.unlisted(Kind.SUBCOMMAND, f"{what} may be a subcommand that is not known", first)


def _check_operands(call: Call, parsed: Parsed) -> None:
    roles = call.entry.operands or ("V...",)
    for pos, operand in enumerate(parsed.operands):
        role = roles[min(pos, len(roles) - 1)]
        if pos >= len(roles) and not role.endswith("..."):
            _unlisted_word(call, operand)
            return
        role = role.removesuffix("...").removesuffix("?")
        if role == "COMMAND":
            call.runs(parsed.operands[pos:])
            return
        _check(call, role, operand)


def _check(call: Call, role: str, value: Argument) -> None:
    may_change = role == "EDIT" or (role == "READ" and call.entry.operands == ("READ...",))
    if may_change and call.is_changing:
        call.writes(value, whatever=not call.entry.formats)
    elif role in _SIMPLE_ROLES:
        getattr(call, _SIMPLE_ROLES[role])(value)
    elif role == "CODE":
        call.does(Effect.UNCLEAR, Kind.CODE, "runs code that is given in an argument", value)
    elif role == "OVERRIDE":
        call.does(Effect.UNCLEAR, "override", "changes what the tool itself runs", value, firm=True)
    elif role == "NAME":
        call.does(Effect.UNKNOWN, "program", "names a program to run", value)
    elif role == "NO":
        _unlisted_word(call, value)
    elif role == "COMMAND":
        call.runs([value])
    elif role == "TEXT":
        call.placed.add(value.start)


def _unlisted_word(call: Call, word: Argument) -> None:
    why = f"laconic does not know what {' '.join(call.path)} does with {shown(word)}"
    call.unlisted(Kind.WORD, _why_unlisted(call, why), word)


def _why_unlisted(call: Call, message: str) -> str:
    """What the program does anyway says more than that laconic does not know a word of it."""
    covered = call.match.effect & COVERS_ANYTHING
    return (call.entry.why if covered else "") or message


def _deed(call: Call) -> str:
    """What the call does, and to what: in the words of its table, else in those of its effects.

    With `needs`, `about` describes the harmless form, which this call is not.
    """
    entry, parsed = call.entry, call.parsed
    deed = entry.why or ("" if entry.needs else entry.about)
    deed = deed or "; ".join([MEANINGS[word] for word in call.match.effect.words])
    # With an option that is not known, nobody can tell which words are operands.
    if parsed.operands and not parsed.problems:
        named = _named_files(call, parsed)
        deed += f": {', '.join(named)}" if 0 < len(named) <= _MOST_NAMED else ""
    if _REHEARSES.isdisjoint(entry.needs):
        return deed
    name = next((option.name for option in parsed.options if option.name in _REHEARSES), "")
    return f"{deed}, unless {name} prevents it" if name else deed


def _named_files(call: Call, parsed: Parsed) -> list[str]:
    """The operands that are files: by their role, or because git does this to files only."""
    named, roles = [], call.entry.operands or ("V...",)
    for pos, operand in enumerate(parsed.operands):
        role = roles[min(pos, len(roles) - 1)].rstrip(".?")
        is_file = role in _FILES or (role == "V" and call.match.effect is Effect.DISCARDS)
        if is_file and operand.is_static:
            named.append(shown(operand))
    return named


def _does_once(call: Call, effects: Effect, why: str) -> None:
    if not any(finding.reason == why for finding in call.findings):
        call.does(effects, "", why)


def _opposites(name: str) -> Iterable[str]:
    """`--no-check` for `--check`, and the other way round."""
    dashes = name[: len(name) - len(name.lstrip("-"))]
    stem = name[len(dashes) :]
    if len(stem) > 1:
        yield from (f"{dashes}no-{stem}", f"{dashes}no{stem}")
    if stem.startswith("no-"):
        yield f"{dashes}{stem.removeprefix('no-')}"


def _may_be_word(argument: Argument) -> bool:
    """Tell whether it may be a word such as subcommands are, and not the path of a file."""
    known = argument.text if argument.text is not None else argument.leading
    return known not in _DIRECTORIES and _WORD.fullmatch(known) is not None


def _is_one_of(value: Argument | None, wanted: str) -> bool:
    return value is None or (
        value.is_static
        and value.text is not None
        and compile_written(wanted).fullmatch(value.text) is not None
    )
