"""laconic allow: let a command run for a while in this project, or always by a rule."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from laconic import engine
from laconic.cli import allow_network, source
from laconic.cli import allow_rules as rules
from laconic.cli.main import complain
from laconic.cli.times import moment, seconds
from laconic.errors import LaconicError, UsageError
from laconic.permissions import allowances
from laconic.policy.own_rules import words_of
from laconic.reading.facts import read_facts, scope
from laconic.report.dates import local
from laconic.report.text import visible
from laconic.settings.load import process_environment, read_directories, read_settings
from laconic.settings.managed import Managed
from laconic.shell.words import quoted
from laconic.types import Verdict

_DEFAULT_S = 24 * 3600
_LONGEST_S = 366 * 24 * 3600


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "command",
        nargs="*",
        metavar="COMMAND",
        help="one text, in quotes; the whole command must match",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--for", dest="span", metavar="TIME", help="for this long: 90s, 30m, 2h, 7d")
    how.add_argument(
        "--until", metavar="WHEN", help="until this time: 2026-11-30, 2026-11-30T18:00"
    )
    how.add_argument("--list", action="store_true", help="list what you have allowed")
    how.add_argument(
        "--always", action="store_true", help="for good, everywhere: COMMAND is a rule"
    )
    how.add_argument("--host", metavar="HOST", help="let boxes reach it by TLS; HOST:80: by HTTP")
    how.add_argument("--port", metavar="PORT", help="let boxes reach this port of this machine")
    how.add_argument("--remove", metavar="ID", help="remove an allowance; a rule, host or port")
    parser.add_argument("--json", action="store_true", help="with --list: print JSON")
    parser.add_argument("--once", action="store_true", help="for the next time only")
    parser.add_argument(
        "--outside", action="store_true", help="with --always: in this project, without the box"
    )


def main(args: argparse.Namespace) -> int:
    state_dir = read_directories().state
    if args.json and not args.list:
        raise UsageError("--json goes with --list", "laconic allow --list --json")
    if args.json:
        listed = allowances.list_all(state_dir, time.time())
        network = list(allow_network.listed())
        rows = [{**each._asdict(), "until": _until_when(each)} for each in listed]
        print(
            json.dumps(
                {
                    "version": 1,
                    "allowances": rows,
                    "rules": list(rules.listed()),
                    "network": network,
                }
            )
        )
    elif args.list:
        allowed = [_line(each) for each in allowances.list_all(state_dir, time.time())]
        allowed += [f"always  {visible(rule)}" for rule in rules.listed()]
        allowed += [f"boxes reach  {visible(place)}" for place in allow_network.listed()]
        if allowed:
            print("\n".join(allowed))
        else:
            complain("you have allowed nothing by hand", "laconic allow 'npm publish' --for 30m")
    elif args.remove:
        _remove(args.remove, state_dir)
        print(f"removed: {args.remove}")
    elif args.host or args.port:
        if args.command:
            raise UsageError("a host or port goes alone", "laconic allow --host HOST")
        allow_network.add_host(args.host) if args.host else allow_network.add_port(args.port)
    elif not args.command:
        raise UsageError("which command?", "laconic allow 'npm publish' --for 30m")
    elif args.always and args.once:
        raise UsageError("once or always?", "leave one of them out")
    elif args.outside:
        if not args.always:
            hint = "laconic allow --always --outside 'npm run e2e'"
            raise UsageError("--outside goes with --always", hint)
        remember_outside(source.read_command(args.command, "allow"))
    elif args.always:
        rules.add(source.read_command(args.command, "allow"))
    else:
        _allow(args)
    return 0


def _remove(name: str, state_dir: Path) -> None:
    """Remove what has this id, or is listed in these words."""
    root = scope(read_facts(str(source.directory_at(None)), process_environment()))
    listed = allowances.list_all(state_dir, time.time())
    here = [each.id for each in listed if (each.command, each.directory) == (name, root)]
    gone = [allowances.remove(state_dir, one) for one in here or [name]]
    if any(gone):
        return
    if name in rules.listed():
        rules.remove(name)
    elif not allow_network.remove(name):
        raise LaconicError(f"there is no allowance {name}", "laconic allow --list")


def _allow(args: argparse.Namespace) -> None:
    command, now = source.read_command(args.command, "allow"), time.time()
    managed = read_settings().managed
    longest = managed.allowances if managed else _DEFAULT_S
    _remember(command, _until(args, now, min(_DEFAULT_S, longest)), now, once=args.once)


def remember_outside(command: str) -> None:
    """Let a command run in this project without the box, for good."""
    if None in (words_of(command) or (None,)):
        hint = "laconic allow --always --outside 'npm run e2e'"
        raise UsageError("what runs outside is one plain command, without `*`", hint)
    _remember(command, allowances.FOREVER, time.time(), outside=True)


def _remember(
    command: str, until: float, now: float, *, once: bool = False, outside: bool = False
) -> None:
    environ, directory = process_environment(), source.directory_at(None)
    settings = read_settings(environ, directory)
    request = engine.Request(command, str(directory), environ)
    decision = engine.decide_request(request, settings, use_allowances=False)
    why = f"laconic explain {quoted(command)}"
    if decision.verdict is Verdict.DENY or decision.firm:
        raise LaconicError(f"no allowance can allow this: {decision.reason}", why)
    if decision.verdict is Verdict.ALLOW:
        raise LaconicError("this command is allowed as it is", why)
    if settings.managed:
        _refuse(settings.managed, until - now, once=once)
    root = scope(read_facts(str(directory), environ))
    state = settings.directories.state
    new = allowances.add(state, command, root, until, once=once, now=now, outside=outside)
    print(_line(new))


def _refuse(managed: Managed, span_s: float, *, once: bool) -> None:
    """Raise LaconicError if the policy of the machine lets no such allowance count."""
    why = f"{managed.said} does not let this count"
    if not managed.allowances:
        raise LaconicError(f"{why}: it has no allowances", "ask who writes it")
    if managed.only_once and not once:
        raise LaconicError(f"{why}: an allowance is for one run", "laconic allow COMMAND --once")
    if span_s > managed.allowances:
        hint = f"laconic allow COMMAND --for {int(managed.allowances // 60)}m"
        raise LaconicError(f"{why}: it lasts too long", hint)


def _until(args: argparse.Namespace, now: float, usual_s: float) -> float:
    if args.until:
        until = moment(args.until, now)
    else:
        until = now + (seconds(args.span) if args.span else usual_s or _DEFAULT_S)
    if until <= now:
        raise UsageError("that is in the past", "laconic allow 'npm publish' --for 30m")
    if until > now + _LONGEST_S:
        raise UsageError(
            "that is more than a year", "for good: laconic allow --always 'npm publish'"
        )
    return until


def _until_when(allowance: allowances.Allowance) -> str | None:
    return None if allowance.until >= allowances.FOREVER else local(allowance.until)


def _line(allowance: allowances.Allowance) -> str:
    if allowance.until >= allowances.FOREVER:
        how = "always, without the box" if allowance.outside else "always"
        where = visible(allowance.directory)
        return f"{allowance.id}  {how}  {visible(allowance.command)}  in {where}"
    until = local(allowance.until)
    how = "once, until" if allowance.once else "until"
    what = visible(allowance.command)
    return f"{allowance.id}  {how} {until}  {what}  in {visible(allowance.directory)}"
