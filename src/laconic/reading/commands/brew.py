"""Homebrew: commands that are spelled like options, and commands that an operand makes harmful.

Unsafe: `brew tap NAME` adds Ruby code that brew then runs, and so does a package that is named by a
file (`./x.rb`), an address or another tap (`user/tap/name`); `brew analytics on` changes a setting.
https://docs.brew.sh/Manpage: a formula or cask may be given by its path or URL.
"""

from __future__ import annotations

from laconic.knowledge.options import Parsed, Reading, Spec, parse_options
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_PACKAGES = "--formula --formulae --cask --casks -v --verbose -q --quiet -d --debug"
_PACKAGE = pattern(r"(?:homebrew/(?:core|cask)/)?(?!.*\.(?i:rb|json)$)[\w@+.-]+")
_PLACES = {
    "--cache": f"{_PACKAGES} -s --build-from-source --force-bottle --bottle-tag=V --HEAD --os=V"
    " --arch=V",
    "--cellar": "",
    "--caskroom": "",
    "--prefix": "--unbrewed --installed",
    "--repository": "",
    "--repo": "",
    "--env": "--shell=V --plain",
    "--taps": "",
    "--config": "",
    "--version": "",
    "-v": "",
    "-S": f"{_PACKAGES} --desc --eval-all --pull-request --open --closed",
    "-h": "",
    "--help": "",
}


def judge(call: Call) -> None:
    if len(call.path) == 1:
        _judge_dashed(call)
        return
    words = [argument.text for argument in call.arguments]
    if call.path[1] == "tap" and words:
        call.does(Effect.INSTALLS, Kind.ADD, "adds or changes a source of packages")
    elif call.path[1] in ("analytics", "developer") and words not in ([], ["state"]):
        call.does(Effect.SYSTEM, "setting", "changes a setting")
    elif not _names_no_packages(call, call.parsed):
        for operand in call.parsed.operands:
            if operand.text is None or not _PACKAGE.fullmatch(operand.text):
                call.does(
                    Effect.INSTALLS,
                    Kind.PACKAGE,
                    "a package that may be a file of Ruby code",
                    operand,
                )


def _names_no_packages(call: Call, parsed: Parsed) -> bool:
    """Taps, and texts that are searched for, load nothing."""
    return call.path[1] == "tap-info" or (
        call.path[1] == "desc"
        and parsed.has("-s", "--search", "-n", "--name", "-d", "--description")
    )


def _judge_dashed(call: Call) -> None:
    if not call.arguments:
        call.unlisted(Kind.SUBCOMMAND, "names no command")
        return
    first, *rest = call.arguments
    options = _PLACES.get(first.text or "")
    if options is None or first.glob:
        call.unlisted(Kind.SUBCOMMAND, "a command that is not known", first)
        return
    for argument, message in parse_options(rest, Reading(Spec(options))).problems:
        call.unlisted(Kind.OPTION, message, argument)
