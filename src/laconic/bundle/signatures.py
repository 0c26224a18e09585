"""Signs and verifies manifests by OpenSSH's own signatures, in a namespace of laconic's.

`ssh-keygen -Y` is in OpenSSH since 8.1; keys may be on disk, in an agent or on a token.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from laconic.errors import LaconicError
from laconic.patterns import pattern

NAMESPACE = "laconic-policy"
_LIMIT_S = 60
_BLOCK = pattern(rb"-----BEGIN SSH SIGNATURE-----\n[A-Za-z0-9+/=\n]+-----END SSH SIGNATURE-----\n?")
_KEY = pattern(r"^Good .* with \S+ key (\S+)$", re.MULTILINE)
_MOST = 32


def sign(data: bytes, key: Path) -> bytes:
    """Return a signature of these bytes, by a key or by the agent that has it."""
    done = _run("sign", "-n", NAMESPACE, "-f", str(key), data=data)
    if done.returncode or not _BLOCK.fullmatch(done.stdout):
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        said = reason[-1] if reason else "no signature was made"
        raise LaconicError(f"{key}: {said}", f"ssh-keygen -Y sign -n {NAMESPACE} -f {key}")
    return done.stdout


def count(data: bytes, signatures: bytes, signers: tuple[str, ...]) -> int:
    """Return how many keys of these signers have signed these bytes."""
    found = set()
    with tempfile.TemporaryDirectory(prefix="laconic-policy-") as place:
        allowed, block = Path(place, "allowed_signers"), Path(place, "signature")
        allowed.write_text("".join(f"{line}\n" for line in signers))
        for one in _BLOCK.findall(signatures)[:_MOST]:
            block.write_bytes(one)
            if key := _signer(data, block, allowed):
                found.add(key)
    return len(found)


def _signer(data: bytes, block: Path, allowed: Path) -> str:
    """Return the fingerprint of the key of a good signature by one who may sign; else nothing."""
    files = "-f", str(allowed), "-s", str(block)
    names = _run("find-principals", *files, data=b"").stdout.decode("utf-8", "replace")
    for name in names.splitlines():
        done = _run("verify", "-n", NAMESPACE, "-I", name, *files, data=data)
        said = _KEY.search(done.stdout.decode("utf-8", "replace"))
        if done.returncode == 0 and said:
            return said[1]
    return ""


def _run(verb: str, *words: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise LaconicError("the program ssh-keygen is not on your PATH", "install openssh-client")
    try:
        return subprocess.run(  # noqa: S603 - OpenSSH's, with words of ours
            [program, "-Y", verb, *words],
            input=data,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LaconicError("ssh-keygen gave no answer", "is the key on a token?") from error
