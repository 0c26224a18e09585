"""laconic policy: sign a policy, put it in force on machines, and say which one is."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from laconic.bundle import apply as bundles
from laconic.bundle import manifest as manifests
from laconic.bundle import signatures
from laconic.bundle.apply import Done, Trusted
from laconic.bundle.fetch import fetch
from laconic.bundle.manifest import MANIFEST, POLICY, SIGNATURES
from laconic.cli.main import complain
from laconic.cli.parser import add_actions
from laconic.errors import LaconicError, UsageError
from laconic.files import read_file
from laconic.report.dates import local
from laconic.report.text import visible
from laconic.settings.load import read_settings
from laconic.settings.managed import FOLDER, LIMIT, PATH, Managed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    action = add_actions(parser)
    sign = action("sign", "sign the policy.toml in a directory; again by each who signs")
    sign.add_argument(
        "directory", type=Path, metavar="DIR", help="the bundle: policy.toml is there"
    )
    sign.add_argument("--key", type=Path, required=True, metavar="KEY", help="your SSH key")
    _add_signers(sign, "who may sign the next one")
    sign.add_argument(
        "--rollout", type=_percentage, metavar="PERCENT", help="for so many machines; else all"
    )
    apply = action("apply", "put a bundle in force on this machine; only root can")
    apply.add_argument("directory", metavar="DIR", help="the bundle")
    pull = action("pull", "fetch a bundle and put it in force; only root can")
    pull.add_argument("source", metavar="SOURCE", help="a directory, file:// or https://")
    for each in (apply, pull):
        _add_signers(each, "who may sign the first one")
    status = action("status", "say which policy is in force here")
    status.add_argument("--json", action="store_true", help="print JSON")


def _add_signers(parser: argparse.ArgumentParser, who: str) -> None:
    parser.add_argument(
        "--signers", type=Path, metavar="FILE", help=f"{who}: lines as in allowed_signers"
    )
    parser.add_argument("--needed", type=int, metavar="N", help="how many of them must; else 1")


def _percentage(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value <= manifests.ALL:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage: 10 or 0.5")
    return value


def main(args: argparse.Namespace) -> int:
    match args.action:
        case "sign":
            return _sign(args)
        case "apply":
            return _apply(args)
        case "pull":
            return _pull(args)
        case _:
            return _status(as_json=args.json)


# -- sign ------------------------------------------------------------------------------------------


def _sign(args: argparse.Namespace) -> int:
    """Sign the manifest that is there if it fits the policy, else a new one."""
    path, manifest = args.directory / POLICY, args.directory / MANIFEST
    policy = read_file(path, LIMIT)
    before = read_file(manifest, LIMIT) if manifest.exists() else None
    data = _manifest(args, policy, str(path), before)
    signed = args.directory / SIGNATURES
    made = signatures.sign(data, args.key)
    others = read_file(signed, LIMIT) if data == before and signed.exists() else b""
    manifest.write_bytes(data)
    signed.write_bytes(others if made in others else others + made)
    known = manifests.read(data)
    found = signatures.count(data, signed.read_bytes(), known.signers)
    print(f"signed: {visible(known.name)}, serial {known.serial}; signatures: {found}")
    return 0


def _manifest(args: argparse.Namespace, policy: bytes, path: str, before: bytes | None) -> bytes:
    """Return the manifest to sign; what is not said stays as the last one says it."""
    old = manifests.read(before) if before is not None else None
    signers = _lines(args.signers) if args.signers else old.signers if old else ()
    needed = args.needed or (old.needed if old else 1)
    rollout = args.rollout if args.rollout is not None else manifests.ALL
    if old and args.rollout is None and old.policy == manifests.digest(policy):
        rollout = old.rollout
    return manifests.written(manifests.manifest_of(policy, path, rollout, signers, needed))


def _lines(path: Path) -> tuple[str, ...]:
    lines = read_file(path).decode("utf-8", "replace").splitlines()
    found = tuple(line.strip() for line in lines if line.strip() and line.strip()[0] != "#")
    if wrong := next((line for line in found if not manifests.is_line(line)), None):
        raise LaconicError(
            f"{path}: {wrong[:40]!r} is no signer", "man ssh-keygen, ALLOWED SIGNERS"
        )
    return found


# -- apply and pull --------------------------------------------------------------------------------


def _first(args: argparse.Namespace) -> Trusted | None:
    if not args.signers:
        if args.needed:
            raise UsageError("--needed goes with --signers", "--signers FILE --needed 2")
        return None
    signers = _lines(args.signers)
    needed = args.needed or 1
    if not 1 <= needed <= len(signers):
        raise UsageError(f"{needed} of {len(signers)} signers cannot sign", "--needed 1")
    return bundles.Trusted(signers, needed)


def _apply(args: argparse.Namespace) -> int:
    bundles.refuse_others()
    _say(bundles.apply(fetch(args.directory), _first(args)))
    return 0


def _pull(args: argparse.Namespace) -> int:
    """As apply, and note what became of it: nobody reads what a timer prints."""
    bundles.refuse_others()
    try:
        done = bundles.apply(fetch(args.source), _first(args))
    except LaconicError as error:
        bundles.note_pull(args.source, error.message, is_good=False)
        raise
    bundles.note_pull(args.source, done.message, is_good=True)
    _say(done)
    return 0


def _say(done: Done) -> None:
    print(visible(done.message))


# -- status ----------------------------------------------------------------------------------------


def _status(*, as_json: bool) -> int:
    settings = read_settings()
    managed, pull = settings.managed, bundles.last_pull()
    wrong = [p for p in settings.problems if p.line.startswith(FOLDER)]
    if as_json:
        known = _document(managed) if managed else None
        document = {"version": 1, "policy": known, "pull": pull and pull._asdict()}
        print(json.dumps({**document, "problems": [p.line for p in wrong]}, indent=1))
    else:
        for problem in wrong:
            complain(problem.line, problem.hint)
        print("\n".join(visible(line) for line in _lines_of(managed)))
        if pull:
            verb = "taken" if pull.is_good else "refused"
            print(visible(f"last pull: {local(pull.time)}, {verb}: {pull.message}"))
    sys.stdout.flush()
    return 1 if managed and managed.is_broken else 0


def _lines_of(managed: Managed | None) -> list[str]:
    if managed is None:
        return ["this machine has no policy"]
    state = "is broken: the profile strict is in force" if managed.is_broken else "is in force"
    lines = [f"{managed.said} {state} ({PATH})"]
    if managed.expires:
        lines.append(f"{'expired' if managed.is_expired else 'expires'} {managed.expires}")
    if managed.locked:
        lines.append(f"decides: {', '.join(sorted(managed.locked))}")
    off = [name for name in ("user_rules", "agent_rules", "trust") if not getattr(managed, name)]
    off += ["allowances"] if not managed.allowances else []
    if off:
        lines.append(f"switched off: {', '.join(off)}")
    lines.append(f"where laconic fails: {managed.on_failure}")
    return lines


def _document(managed: Managed) -> dict[str, object]:
    names = ("name", "serial", "expires", "is_broken", "is_expired", "on_failure")
    return {**{n: getattr(managed, n) for n in names}, "locked": sorted(managed.locked)}
