"""What is signed of a policy: whose it is, its number, its last day, for whom, and who may sign.

A bundle is a directory of three files: the policy, this manifest, and signatures of the manifest.
Nothing here reads a file or a clock.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date
from typing import Any, NamedTuple

from laconic.errors import LaconicError
from laconic.settings import toml
from laconic.settings.requirements import check_policy

POLICY, MANIFEST, SIGNATURES = "policy.toml", "manifest.json", "manifest.sig"
VERSION = 1
ALL = 100
_SHARES = 10_000


class Manifest(NamedTuple):
    """rollout: the percentage of machines that take it. policy: its SHA-256. signers: lines as in
    `allowed_signers` (man 1 ssh-keygen), of those who may sign the next one; needed: how many.
    """

    name: str
    serial: int
    expires: str
    rollout: float
    policy: str
    signers: tuple[str, ...]
    needed: int


class RefusedError(LaconicError):
    """A bundle that is not taken; what is in force stays."""


def digest(policy: bytes) -> str:
    return hashlib.sha256(policy).hexdigest()


def manifest_of(
    policy: bytes, path: str, rollout: float, signers: tuple[str, ...], needed: int
) -> Manifest:
    """Return the manifest of a policy; LaconicError if that is not fit to be sent."""
    document, problems = check_policy(policy, path)
    if problems:
        raise LaconicError(problems[0].line, problems[0].hint)
    for key in ("name", "serial"):
        if key not in document:
            raise LaconicError(f'{path}: key "{key}" is missing', f"put it at the top of {path}")
    if not signers:
        raise LaconicError("nobody would be allowed to sign the next one", "--signers FILE")
    if not 1 <= needed <= len(signers):
        raise LaconicError(f"{needed} of {len(signers)} signers cannot sign", "--needed 1")
    expires = document.get("expires", "")
    values = document["name"], document["serial"], expires, rollout, digest(policy), signers
    return Manifest(*values, needed)


def written(manifest: Manifest) -> bytes:
    document = {"version": VERSION, **manifest._asdict()}
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def read(data: bytes) -> Manifest:
    """Return the manifest in these bytes; RefusedError if they hold none."""
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RefusedError("the manifest is not JSON", "sign the policy again") from error
    match found:
        case {
            "version": 1,
            "name": str(name),
            "serial": int(serial),
            "expires": str(expires),
            "rollout": int() | float() as rollout,
            "policy": str(policy),
            "signers": list(signers),
            "needed": int(needed),
        } if all(isinstance(line, str) and is_line(line) for line in signers):
            if signers and 1 <= needed <= len(signers) and 0 <= rollout <= ALL:
                rest = tuple(signers), needed
                return Manifest(name, serial, expires, float(rollout), policy, *rest)
    raise RefusedError("the manifest is not one that this laconic knows", "update laconic")


def is_line(text: str) -> bool:
    return bool(text.strip()) and text.isprintable()


# -- what a machine makes of it --------------------------------------------------------------------


def share_of(name: str, machine: str) -> float:
    """Return where a machine stands among all, 0 to 100: whoever is in 10 % is in 50 %, too."""
    hashed = hashlib.blake2b(f"{name}/{machine}".encode(), digest_size=8).digest()
    return int.from_bytes(hashed, "big") % _SHARES * ALL / _SHARES


def refuse_unfit(
    manifest: Manifest, policy: bytes, installed: Manifest | None, today: date
) -> None:
    """Raise RefusedError if a bundle with good signatures is not to be taken on this machine."""
    if digest(policy) != manifest.policy:
        raise RefusedError("the policy is not the one that was signed", "sign the policy again")
    if installed and installed.name != manifest.name:
        message = f"this is the policy of {manifest.name}, and the machine has {installed.name}'s"
        raise RefusedError(message, "fetch that of your team")
    if installed and manifest.serial < installed.serial:
        message = f"serial {manifest.serial} is older than {installed.serial}, which is in force"
        raise RefusedError(message, "to go back, sign what it says with a new serial")
    if installed and manifest.serial == installed.serial and manifest.policy != installed.policy:
        message = f"another policy with serial {manifest.serial} is in force"
        raise RefusedError(message, "give each policy a serial of its own")
    if manifest.expires and manifest.expires < today.isoformat():
        message = f"serial {manifest.serial} expired on {manifest.expires}"
        raise RefusedError(message, "sign a newer one")
    document, problems = check_policy(policy, POLICY)
    if problems:
        raise RefusedError(
            problems[0].line, problems[0].hint or "update laconic, or mend the policy"
        )
    said = document.get("name"), document.get("serial"), document.get("expires", "")
    if said != (manifest.name, manifest.serial, manifest.expires):
        message = f"the policy calls itself {toml.brief(said[0])}, serial {said[1]}"
        raise RefusedError(f"{message}, and the manifest says otherwise", "sign the policy again")
