"""Puts a bundle in force on this machine, by root, or leaves everything as it is.

The policy is written before the manifest: whoever is stopped in between takes the bundle again.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from laconic.bundle import manifest as manifests
from laconic.bundle import signatures
from laconic.bundle.fetch import Bundle
from laconic.bundle.manifest import MANIFEST, POLICY, Manifest, RefusedError
from laconic.errors import FileError, LaconicError
from laconic.files import read_file, reason
from laconic.settings.managed import FOLDER, LAST_GOOD, LIMIT, ROOT, unfit

LAST_PULL = "pull.json"
_MACHINE_ID = Path("/etc/machine-id")


class Trusted(NamedTuple):
    """Who may sign a bundle for this machine, as lines of `allowed_signers`, and how many must."""

    signers: tuple[str, ...]
    needed: int


class Done(NamedTuple):
    """What became of a bundle. is_new: it is in force now, and was not before."""

    message: str
    is_new: bool = False


def apply(bundle: Bundle, first: Trusted | None = None, folder: str = FOLDER) -> Done:
    """Put a bundle in force; RefusedError if it is not to be. first: who signs the first one.

    Signers of a machine that has a policy come with a bundle that the old ones have signed.
    """
    installed = installed_manifest(folder)
    trusted = Trusted(installed.signers, installed.needed) if installed else first
    if trusted is None:
        message = "this machine has no policy yet, so nobody is known who may sign one"
        raise LaconicError(message, "laconic policy apply DIR --signers FILE")
    found = signatures.count(bundle.manifest, bundle.signatures, trusted.signers)
    if found < trusted.needed:
        counted = f"{found} of the {trusted.needed} signatures that are needed"
        raise RefusedError(f"the bundle has {counted}", "have it signed by those who may")
    new = manifests.read(bundle.manifest)
    manifests.refuse_unfit(new, bundle.policy, installed, datetime.now(UTC).date())
    if installed and new.serial == installed.serial and _is_in_force(bundle.policy, folder):
        _write(folder, MANIFEST, bundle.manifest)  # who may sign, or who takes it, may be new
        return Done(f"serial {new.serial} is in force already")
    if manifests.share_of(new.name, machine_id()) >= new.rollout:
        return Done(
            f"serial {new.serial} is for {new.rollout:g} % of all machines, not this one yet"
        )
    for name in (LAST_GOOD, POLICY):
        _write(folder, name, bundle.policy)
    _write(folder, MANIFEST, bundle.manifest)
    return Done(f"the policy of {new.name}, serial {new.serial}, is in force", is_new=True)


def installed_manifest(folder: str = FOLDER) -> Manifest | None:
    """Return the manifest of what is in force; None if it did not come in a bundle.

    One that is not root's alone, or cannot be read, counts as a mistake: with none, any signer
    could be named.
    """
    path = Path(folder, MANIFEST)
    if not os.path.lexists(path):
        return None
    for each in (Path(folder), path):
        if fault := unfit(str(each), each.lstat()):
            raise LaconicError(*fault)
    try:
        return manifests.read(read_file(path, LIMIT))
    except RefusedError as error:
        raise LaconicError(
            f"{path}: {error.message}", f"remove {path}, then apply again"
        ) from error


def _is_in_force(policy: bytes, folder: str) -> bool:
    with contextlib.suppress(FileError):
        return read_file(Path(folder, POLICY), LIMIT) == policy
    return False


def machine_id() -> str:
    """Return what tells this machine from others."""
    with contextlib.suppress(OSError):
        if found := _MACHINE_ID.read_text().strip():
            return found
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        words = ["/usr/sbin/sysctl", "-n", "kern.uuid"]  # macOS
        done = subprocess.run(words, capture_output=True, text=True, timeout=5, check=True)  # noqa: S603
        return done.stdout.strip()
    return platform.node()


# -- files -----------------------------------------------------------------------------------------


def refuse_others() -> None:
    if os.geteuid() != ROOT:
        raise LaconicError("only root can change the policy of a machine", "use sudo")


def _write(folder: str, name: str, data: bytes) -> None:
    """Replace a file in one step; everybody can read it, and root alone write it."""
    target, draft = Path(folder, name), Path(folder, f".{name}.{os.getpid()}")
    try:
        Path(folder).mkdir(mode=0o755, exist_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(handle, 0o644)
            os.fsync(handle)
        draft.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise FileError(f"{target}: cannot be written: {reason(error)}") from error


class Pull(NamedTuple):
    """When a policy was last fetched, from where, and what became of it."""

    time: float
    source: str
    is_good: bool
    message: str


def note_pull(source: str, message: str, *, is_good: bool, folder: str = FOLDER) -> None:
    """Write down what became of a pull; a machine without a policy has no place for it."""
    if Path(folder).is_dir():
        row = Pull(time.time(), source, is_good, message)._asdict()
        with contextlib.suppress(FileError):
            _write(folder, LAST_PULL, json.dumps(row).encode())


def last_pull(folder: str = FOLDER) -> Pull | None:
    try:
        return Pull(**json.loads(read_file(Path(folder, LAST_PULL), LIMIT)))
    except (FileError, ValueError, TypeError):
        return None
