"""Operands that are more than the names of files.

Unsafe: `@file` stands for the options in that file (compilers, binutils, JDK tools, ruff, mypy,
codespell, qpdf, protoc), and `+RTS` begins options of the Haskell run time (pandoc); a C compiler
compiles its operands unless told to stop early; `false` behind a switch of tsc turns it off;
ImageMagick runs, fetches or deletes for names with a scheme (`msl:x`), `|command` and `@list`;
pdftotext writes a file beside its input when it has no second operand; clang-tidy passes what
follows `--` to the compiler.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_C_COMPILERS = frozenset("gcc g++ cc c++ clang clang++ c89 c99".split())
_TSC_SWITCH = pattern(
    r"--(?:pretty|skipLibCheck|strict|noErrorTruncation|preserveWatchOutput) (?:true|false)"
    r"|--incremental false"
)
_EARLY_STOPS = "-fsyntax-only -E -M -MM -###".split()


def judge(call: Call) -> None:
    for argument in call.arguments:
        is_unknown = argument.text is None and not argument.leading
        if is_unknown or argument.leading.startswith(("@", "+RTS")):
            call.unlisted("response-file", "may bring further options", argument)
    program = call.path[0]
    if program in _C_COMPILERS:
        _compiler(call)
    elif program in _CHECKS:
        _CHECKS[program](call)


def _compiler(call: Call) -> None:
    parsed = call.parsed
    if parsed.operands and not parsed.has(*_EARLY_STOPS):
        call.does(
            Effect.PROJECT_WRITE,
            "compile",
            "compiles, which writes files",
            instead="add `-fsyntax-only`",
        )


def _tsc(call: Call) -> None:
    switched = ""
    for argument in call.arguments:
        if argument.text in ("true", "false", "null"):
            if not _TSC_SWITCH.fullmatch(f"{switched} {argument.text}"):
                call.unlisted("switch", "switches an option on or off", argument)
            switched = ""
        elif switched == "--incremental":
            break
        else:
            switched = argument.text or ""
    if switched == "--incremental":
        call.unlisted(Kind.WRITE, "writes what it knows of the build")


def _finger(call: Call) -> None:
    """`finger text@host` sends the text to that host (RFC 1288, section 2.3)."""
    for argument in call.arguments:
        if "@" in (argument.text or "@"):
            call.does(
                Effect.SENDS, "host", "sends what it is asked for to another machine", argument
            )


def _image(call: Call) -> None:
    for operand in call.parsed.operands:
        if operand.text is None or any(char in operand.text for char in ":|@"):
            call.does(Effect.UNKNOWN, "scheme", "may be more than the name of an image", operand)


def _pdftotext(call: Call) -> None:
    parsed = call.parsed
    if len(parsed.operands) == 1:
        call.does(Effect.PROJECT_WRITE, Kind.WRITE, "writes a text file beside the PDF")


def _clang_tidy(call: Call) -> None:
    if call.parsed.ended:
        call.unlisted("compiler", "passes options to the compiler")


_CHECKS = {
    "finger": _finger,
    "tsc": _tsc,
    "vue-tsc": _tsc,
    "identify": _image,
    "magick": _image,
    "pdftotext": _pdftotext,
    "clang-tidy": _clang_tidy,
}
