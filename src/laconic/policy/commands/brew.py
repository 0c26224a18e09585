"""Homebrew: commands that are spelled like options, and commands that an operand makes harmful.

Unsafe: `brew tap NAME` adds Ruby code that brew then runs; `brew analytics on` changes a setting; a
file or an address in place of a formula is Ruby code that brew loads.
"""

from __future__ import annotations

from laconic.lazy import pattern
from laconic.tools.options import Reading, Spec, parse_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_PACKAGES = "--formula --formulae --cask --casks -v --verbose -q --quiet -d --debug"
_FILE = pattern(r"^[./~]|\.rb$|://|^[^-].*/.*/.*/")  # a name, or USER/TAP/NAME, is none
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
        call.ask("add", "adds or changes a source of packages")
    for argument in call.arguments:
        if _FILE.search(argument.leading) or (argument.text is None and not argument.leading):
            call.ask("file", "may load a file of Ruby code", argument)
    if call.path[1] in ("analytics", "developer") and words not in ([], ["state"]):
        call.ask("setting", "changes a setting")


def _judge_dashed(call: Call) -> None:
    if not call.arguments:
        call.ask("subcommand", "names no command")
        return
    first, *rest = call.arguments
    options = _PLACES.get(first.text or "")
    if options is None or first.glob:
        call.ask("subcommand", "a command that is not known", first)
        return
    for argument, message in parse_options(rest, Reading(Spec(options))).problems:
        call.ask("option", message, argument)
