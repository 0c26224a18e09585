"""Modules that `python -m` runs and that run, write or serve something themselves.

Unsafe: code in an argument (timeit, pdb -c), a file of code or another module (cProfile, trace,
pdb, runpy), output files, a server that others can reach, packages that are installed or published.
A module that is not known here is code of the project or of what it depends on; where a program of
the same name is known, what that one would do to others counts as well.
https://docs.python.org/3/library/cmdline.html
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed, Reading, Spec, parse_options
from laconic.reading.call import Call
from laconic.reading.commands.python_effects import follow_visible
from laconic.types import HARD, Effect, Kind

_LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
_BY_ANY_NAME = HARD | Effect.INSTALLS | Effect.DISCARDS
# Modules of other names than their programs.
_PROGRAMS = {"awscli": "aws", "httpie": "http", "azure.cli": "az", "IPython": "ipython"}

# The options of modules that run a file, and how they name a module instead.
_PROFILERS = "-o=WRITE --outfile=WRITE -s=V --sort=V -m=MODULE"
_RUN_FILES = {
    "cProfile": _PROFILERS,
    "profile": _PROFILERS,
    "pdb": "-c=CODE --command=CODE -m=MODULE -p=PROCESS --pid=PROCESS",
    "trace": """
        -c --count -t --trace -l --listfuncs -r --report -T --trackcalls -m --missing -s --summary
        -R --no-report -g --timing -f=WRITE --file=WRITE -C=WRITE --coverdir=WRITE
        --ignore-module=V --ignore-dir=V --module=MODULE
    """,
    "doctest": "-v --verbose -o=V --option=V -f --fail-fast",
}
# The options of modules that write, and what their operands are.
_ARCHIVERS = "-l=READ --list=READ -t=READ --test=READ -c=WRITE --create=WRITE -v --verbose"
_COMPILE = "-l -r=V -f -q -b -d=V -s=V -p=V -x=V -i=READ -j=V -o=V -e=V --hardlink-dupes"
_ZIPAPP = "-o=WRITE --output=WRITE -p=V --python=V -m=V --main=V -c --compress --info"
_VENV = """
    --system-site-packages --symlinks --copies --clear --upgrade --without-pip --prompt=V
    --upgrade-deps --without-scm-ignore-files -p=V --python=V --no-download -q
"""
_WRITE = {
    "compileall": (_COMPILE, "WRITE"),
    "tarfile": (_ARCHIVERS, "TREE"),
    "venv": (_VENV, "MAKE"),
    "virtualenv": (_VENV, "MAKE"),
    "zipapp": (_ZIPAPP, "TREE"),
    "zipfile": (_ARCHIVERS, "TREE"),
}
_EXTRACT = ("-e", "--extract")


def judge_module(call: Call, module: Argument, rest: list[Argument]) -> None:
    """A module that is not one of those that only read and print."""
    name = module.text or ""
    call.does(Effect.PROJECT_CODE, "module", f"runs the module {name}", module)
    if name in _RUN_FILES:
        _run_file(call, name, rest)
    elif name == "runpy":
        for other in rest[:1]:
            _follow(call, other, rest[1:])
    elif name in _WRITE:
        _write(call, name, rest)
    elif name == "http.server":
        _serve(call, rest)
    elif name == "ensurepip":
        call.does(Effect.INSTALLS, "module", "installs pip", module)
    else:
        for operand in rest:
            if not operand.leading.startswith("-"):
                call.reads(operand)
        _follow_program(call, Argument(_PROGRAMS.get(name, name), module.start, module.end), rest)


def timed_code(rest: list[Argument]) -> tuple[str | None, list[tuple[Argument, str]]]:
    """The code that timeit runs, None if it is not known; and options that it does not have."""
    spec = Spec("-n=V --number=V -r=V --repeat=V -s=V --setup=V -p --process -u=V --unit=V -v -h")
    parsed = parse_options(rest, Reading(spec, late=False))
    given = [*parsed.values("-s", "--setup"), *parsed.operands]
    is_known = all(argument.is_static for argument in given)
    code = "\n".join(argument.text or "" for argument in given) if is_known else None
    return code, parsed.problems


def judge_setup(call: Call, rest: list[Argument]) -> None:
    """`python setup.py COMMAND…`: https://setuptools.pypa.io/en/latest/userguide/commands.html."""
    for argument in rest:
        if argument.text in ("upload", "upload_docs", "register"):
            call.does(Effect.SENDS, "publish", "publishes the package", argument)
        elif argument.text in ("install", "develop", "easy_install"):
            call.does(Effect.INSTALLS, "install", "installs the package", argument)


def _read(call: Call, options: str, rest: list[Argument], *, late: bool) -> Parsed:
    parsed = parse_options(rest, Reading(Spec(options), late=late))
    for argument, message in parsed.problems:
        call.does(Effect.UNKNOWN, Kind.OPTION, message, argument)
    for option in parsed.options:
        if option.role == "WRITE" and option.value is not None:
            call.writes(option.value)
        elif option.role == "READ" and option.value is not None:
            call.reads(option.value)
        elif option.role == "CODE":
            why = "runs code that is given in an argument"
            call.does(Effect.UNCLEAR, Kind.CODE, why, option.argument)
            if option.value is not None:
                follow_visible(call, (option.value.text or "").lstrip("! "), option.value)
        elif option.role == "PROCESS":
            call.does(Effect.SYSTEM, "process", "runs code in another process", option.argument)
    return parsed


def _run_file(call: Call, name: str, rest: list[Argument]) -> None:
    """The first operand is a file of code, unless an option says that it is a module."""
    options = _RUN_FILES[name].split()
    as_module = [word.partition("=")[0] for word in options if word.endswith("=MODULE")]
    parsed = _read(call, " ".join(options).replace("=MODULE", ""), rest, late=name == "doctest")
    operands = parsed.operands
    if parsed.has(*as_module):
        for module in operands[:1]:
            _follow(call, module, operands[1:])
        return
    for file in operands if name == "doctest" else operands[:1]:
        call.runs_file(file)


def _follow(call: Call, module: Argument, rest: list[Argument]) -> None:
    if module.text is None:
        call.does(Effect.UNCLEAR, "module", "runs a module that is not known", module)
    else:
        judge_module(call, module, rest)


def _write(call: Call, name: str, rest: list[Argument]) -> None:
    options, role = _WRITE[name]
    if options is _ARCHIVERS:
        options += " -e=READ --extract=READ"
    parsed = _read(call, options, rest, late=True)
    does = {"WRITE": call.writes, "TREE": call.reads_whole, "MAKE": call.makes}[role]
    extracts = options.startswith(_ARCHIVERS) and parsed.has(*_EXTRACT)
    for operand in parsed.operands:
        if extracts:
            call.writes(operand)
        else:
            does(operand)
    if extracts and not parsed.operands:
        call.writes(Argument(".", *call.span))


def _serve(call: Call, rest: list[Argument]) -> None:
    """https://docs.python.org/3/library/http.server.html: it listens on all interfaces."""
    options = "-b=V --bind=V -d=V --directory=V -p=V --protocol=V --cgi"
    parsed = _read(call, options, rest, late=True)
    bound = parsed.values("-b", "--bind")
    if not bound or any(address.text not in _LOOPBACK for address in bound):
        call.does(Effect.SENDS, "serves", "serves files to whoever can reach this machine")


def _follow_program(call: Call, program: Argument, rest: list[Argument]) -> None:
    if call.judge.library.knows(program.text or ""):
        found = call.judge.command([program, *rest], call.span, call.situation)
        for leaf in found.leaves():
            if leaf.effects & _BY_ANY_NAME:
                call.add_others(leaf)
