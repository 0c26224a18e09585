"""python: versions, pure modules and code, and tools that are run as modules.

Unsafe: files and standard input are code; -m runs any module; -i and an interactive start read
code; -W imports the module of a warning category; -X pycache_prefix writes elsewhere; modules with
an output operand (json.tool IN OUT) or with -c and -e (zipfile, tarfile) write; modules of the
current directory come before those of the library.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterable

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Reading, Spec, parse_options
from laconic.knowledge.words import word_lists
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.python_code import parsed
from laconic.reading.commands.python_effects import follow_visible
from laconic.reading.commands.python_modules import judge_module, judge_setup, timed_code
from laconic.reading.places import place
from laconic.types import Effect, Kind

_QUESTIONS = frozenset(
    "--version --help --help-env --help-xoptions --help-all -V -VV -h -?".split()
)
_ENDING = pattern(r"\*{0,2}/?\*?\.\w+")
_FLAGS = frozenset("bBEIOPqsSuvR")
_HARMLESS_VALUE = {
    "W": pattern(r"[a-z]+"),
    "X": pattern(
        r"utf8(?:=[01])?|dev|importtime|faulthandler|no_debug_ranges|tracemalloc(?:=\d+)?"
    ),
}
# What a module is, by the title that data/words/python_modules.txt gives it: a tool, or one that
# only reads, with its options and how many operands it takes.
_TITLES = {tuple(title.split()): words for title, words in word_lists("python_modules").items()}
_TOOLS = {title[1]: words for title, words in _TITLES.items() if title[0] == "tool"}
_MODULES = {
    title[1]: (" ".join(options), int(title[2]))
    for title, options in _TITLES.items()
    if title[0] == "reads"
}
# Tools that load whatever is installed for them, by the `.dist-info` that stand beside modules:
# as a module they also look into the current directory.
# https://packaging.python.org/en/latest/specifications/entry-points/
_WITH_PLUG_INS = frozenset(("bandit", "flake8", "isort"))
# What makes zipfile and tarfile write.
_CHANGING = frozenset(("-c", "--create", "-e", "--extract"))
# Modules that run something, but tell what they can when they are asked for no more than that.
_HELPFUL = frozenset(
    """ast base64 cProfile calendar compileall dis doctest ensurepip gzip http.server inspect
    json.tool mimetypes pdb pickletools profile py_compile random sqlite3 symtable tarfile timeit
    tokenize trace unittest uuid venv webbrowser zipapp zipfile""".split()
)


def judge(call: Call) -> None:
    _follow_words(call)
    is_unread = any(f.kind is Kind.CODE and f.effects & Effect.UNCLEAR for f in call.findings)
    if is_unread and call.effects & (Effect.DOWNLOADS | Effect.SENDS):
        call.does(Effect.RUNS_FETCHED, "runs-fetched", "fetches code and runs it")
    if is_unread and any("stdin" in (word.text or "") for word in call.arguments):
        call.does(Effect.UNCLEAR, Kind.INPUT, "runs what it reads from its input")


def _follow_words(call: Call) -> None:
    rest = list(call.arguments)
    asked = False
    while rest:
        argument = rest.pop(0)
        word = argument.text
        if word is None or argument.glob:
            script = call.situation.script
            is_file = script is not None and script.source.startswith(b"<(", argument.start)
            kind = Kind.FILE if is_file else Kind.OPTION
            call.does(Effect.UNCLEAR, kind, "an argument whose text is not known", argument)
            return
        if word in _QUESTIONS:
            asked = True
        elif word == "-" or not word.startswith("-"):
            if word == "-":
                call.code_start = argument.start  # what follows is for the code
                _judge_input(call, argument)
            else:
                call.runs_file(argument)
                if posixpath.basename(word) == "setup.py":
                    judge_setup(call, rest)
            return
        elif not _read_options(call, argument, rest):
            return
    call.harmless("only tells its version or its options")
    if not asked:
        _judge_input(call, Argument("-", *call.span))


def _judge_input(call: Call, where: Argument) -> None:
    """Code on standard input: known if the line itself gives it."""
    text = call.situation.input_text
    if text is None:
        why = "runs the Python code that it reads from its input"
        call.does(Effect.UNCLEAR, Kind.INPUT, why, where, firm=True)
    else:
        call.does(Effect.PROJECT_CODE, Kind.INPUT, "runs the Python code that follows", where)
        follow_visible(call, text, where)


def _read_options(call: Call, argument: Argument, rest: list[Argument]) -> bool:
    """Read a bundle such as `-Ic`; tell whether more options follow."""
    word = argument.text or ""
    for pos, letter in enumerate(word[1:], start=1):
        if letter in _FLAGS:
            continue
        value = argument.behind(pos + 1) if word[pos + 1 :] else rest.pop(0) if rest else None
        if value is not None and letter == "c" and value.text is None:
            call.does(Effect.UNCLEAR, Kind.CODE, "runs code that is not known", value)
            return False
        if value is None or letter not in "cmWX" or value.text is None or value.glob:
            call.does(
                Effect.UNKNOWN, Kind.OPTION, f"laconic does not know the option -{letter}", argument
            )
            return False
        if letter in _HARMLESS_VALUE:
            if _HARMLESS_VALUE[letter].fullmatch(value.text):
                return True
            call.does(
                Effect.UNKNOWN,
                Kind.OPTION,
                f"-{letter} with such a value can import or write",
                argument,
            )
        elif letter == "c":
            call.code_start = value.start
            _judge_code(call, value, rest)
        else:
            _judge_module(call, value, rest)
        return False
    return True


def _refuse_shadowed(call: Call, argument: Argument, also: Iterable[str] = ()) -> None:
    """Python looks for modules in the current directory first: a project's json.py would run."""
    library = sys.stdlib_module_names | set(also)
    for cwd in call.situation.directories:
        for name in sorted(call.judge.facts.modules(cwd) & library):
            call.does(
                Effect.PROJECT_CODE,
                "shadowed",
                f"Python would import {name} from the current directory",
                argument,
            )
            return


def _may_have_plug_ins(call: Call) -> bool:
    exists = call.judge.facts.exists
    return any(not cwd or exists(f"{cwd}/.") for cwd in call.situation.directories)


def _judge_code(call: Call, value: Argument, rest: list[Argument]) -> None:
    code = parsed(value.text or "")
    if code is None or not code.is_pure():
        call.does(
            Effect.PROJECT_CODE,
            Kind.CODE,
            "runs Python code that may do more than compute and print",
            value,
        )
        follow_visible(call, value.text or "", value)
        return
    if code.modules():
        _refuse_shadowed(call, value, also=code.modules())
    if code.reads_files():
        texts = code.strings(call.content)
        strings = [Argument(text, value.start, value.end, glob=True) for text in texts]
        for argument in (*strings, *rest):
            call.reads(argument)
        if code.lists_files():
            endings = tuple(t.lstrip("*").lower() for t in texts if _ENDING.fullmatch(t))
            call.reads_trees((), lambda name: not endings or name.lower().endswith(endings))
        if code.spells_text():
            call.does(Effect.UNCLEAR, "file", "reads files whose names are put together", value)
    call.harmless("the code only computes, reads and prints: its syntax and names are known to")


def _judge_module(call: Call, module: Argument, rest: list[Argument]) -> None:
    name = module.text or ""
    _refuse_shadowed(call, module, also=[name, *_TOOLS.get(name, ())])
    if name in _WITH_PLUG_INS and _may_have_plug_ins(call):
        call.does(
            Effect.PROJECT_CODE,
            "project-code",
            f"{name} loads plug-ins from the current directory",
            module,
        )
    if name in _TOOLS:
        call.harmless(f"{name} as a module is the same as the program of that name")
        call.runs([module, *rest])
        return
    if name in _HELPFUL and [argument.text for argument in rest] == ["--help"]:
        call.harmless(f"the module {name} only prints its help")
        return
    if name == "timeit":
        _judge_timed(call, module, rest)
        return
    is_archiver = name in ("tarfile", "zipfile")
    if name not in _MODULES or (is_archiver and any(a.text in _CHANGING for a in rest)):
        judge_module(call, module, rest)
        return
    call.harmless(f"the module {name} only reads and prints")
    options, most_operands = _MODULES[name]
    parsed = parse_options(rest, Reading(Spec(options)))
    for argument, message in parsed.problems:
        call.does(Effect.UNKNOWN, Kind.OPTION, message, argument)
    for option in parsed.options:
        if option.role == "READ" and option.value is not None:
            call.reads(option.value)
    for operand in parsed.operands[:most_operands]:
        call.reads(operand)
        if name == "py_compile":
            _judge_cache(call, operand)
    for operand in parsed.operands[most_operands:]:
        call.writes(operand)


def _judge_timed(call: Call, module: Argument, rest: list[Argument]) -> None:
    code, problems = timed_code(rest)
    for argument, message in problems:
        call.does(Effect.UNKNOWN, Kind.OPTION, message, argument)
    if code is None:
        call.does(Effect.UNCLEAR, Kind.CODE, "runs Python code that is not known", module)
    else:
        _judge_code(call, Argument(code, module.start, module.end), [])


def _judge_cache(call: Call, file: Argument) -> None:
    """What is compiled goes to __pycache__ beside the file, which may be a link to anywhere."""
    for cwd in call.situation.directories:
        cache = posixpath.join(posixpath.dirname(file.text or "/"), "__pycache__")
        is_here = place(cache, cwd, call.judge.facts) in ("project", "temporary")
        if file.text in (None, "-") or not is_here:
            call.does(
                Effect.OUTSIDE_WRITE, "cache", "writes compiled code outside the project", file
            )
            return
