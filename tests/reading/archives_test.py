"""Archives: what is packed with a whole directory, and what unpacking may bring into one."""

from __future__ import annotations

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.types import HARD, Effect

HERE = {"/project": (".env", ".git", "a.txt", "sub"), "/project/sub": ("b.txt",)}


def hard_effects(command: str) -> Effect:
    facts = Facts(names=lambda path: HERE.get(path, ()))
    return decide(command, library(), Rules("guard"), facts).effects & HARD


@pytest.mark.parametrize(
    "command",
    [
        "tar czf p.tgz .",
        "tar -acf p.tar.zst ./",
        "tar -cf p.tar --directory=. .",
        "tar rf p.tar .",
        "tar --append -f p.tar .",
        "tar czf p.tgz --exclude='*.pyc' .",
        "bsdtar -cf p.zip --format zip .",
        "zip -r p.zip .",
        "zip -qr - . > p.zip",
        "zip -r p.zip . -x '*.pyc'",
        "7z a p.7z .",
        "rar a -r p.rar .",
        "pax -w -f p.pax .",
        "lha a p.lzh .",
        "mksquashfs . p.sqsh",
        "shar . > p.shar",
        "ouch compress . p.zip",
        "rsync -a ./ sub/out/",
        "python3 -m zipfile -c p.zip .",
        "python3 -m tarfile -c p.tar .",
        "python3 -m zipapp . -o p.pyz",
        "python3 -c \"import shutil; shutil.make_archive('p', 'zip', '.')\"",
        "python3 -c \"import shutil; shutil.make_archive('p', 'zip')\"",
    ],
)
def test_a_directory_is_packed_with_the_secrets_in_it(command: str) -> None:
    assert hard_effects(command) == Effect.SECRETS


@pytest.mark.parametrize(
    "command",
    [
        "tar czf p.tgz sub",
        "tar czf p.tgz a.txt sub",
        "tar czf p.tgz -C sub .",
        "tar czf p.tgz --exclude=.env .",
        "tar czf p.tgz --exclude='.*' .",
        "zip -r p.zip sub",
        "zip -r p.zip . -x .env",
        "zip -r p.zip . -x '*.env'",
        "7z a p.7z sub",
        "rsync -a --exclude=.env ./ /tmp/out/",
        "rsync -a sub/ /tmp/out/",
        "python3 -m zipfile -c p.zip sub",
    ],
)
def test_a_directory_without_secrets_may_be_packed(command: str) -> None:
    assert not hard_effects(command)


@pytest.mark.parametrize(
    "command",
    [
        "cpio -i < a.cpio",
        "cpio -idmu < a.cpio",
        "cpio -idF a.cpio",
        "cpio --extract --make-directories -I a.cpio",
        "rpm2cpio a.rpm | cpio -idmv",
        "pax -r -f a.pax",
        "ar x lib.a",
        "ar -x lib.a",
        "llvm-ar xo lib.a",
        "jar xf a.jar",
        "jar --extract --file=a.jar",
        "7z x a.7z",
        "unrar x a.rar",
        "unrar x a.rar ./",
        "rar e a.rar",
        "lha x a.lzh",
        "arj x a.arj",
        "unar a.rar",
        "unar -o . a.rar",
        "unsquashfs -f -d . a.sqsh",
        "dtrx a.zip",
        "aunpack a.zip",
        "atool -x a.zip",
        "ouch decompress a.zip",
        "cabextract a.cab",
        "bsdunzip a.zip",
        "uudecode a.uu",
        "munpack mail.eml",
        "gunzip -N x.gz",
        "gzip -d --name x.gz",
        "python3 -m tarfile -e a.tar",
        "python3 -m zipfile -e a.zip .",
        "python3 -c \"import zipfile; zipfile.ZipFile('a.zip').extractall()\"",
        "python3 -c \"import zipfile; zipfile.ZipFile('a.zip').extractall(path='.')\"",
        "python3 -c \"import shutil; shutil.unpack_archive('a.zip')\"",
        "python3 -c \"import shutil; shutil.unpack_archive('a.zip', extract_dir='.')\"",
    ],
)
def test_what_is_unpacked_here_may_bring_what_decides_what_runs(command: str) -> None:
    assert hard_effects(command) & Effect.GUARDED_WRITE


@pytest.mark.parametrize(
    "command",
    [
        "cpio -it < a.cpio",
        "cpio -D sub -i < a.cpio",
        "cpio -i a.txt < a.cpio",
        "pax -v -f a.pax",
        "ar t lib.a",
        "ar rcs lib.a x.o",
        "jar tf a.jar",
        "jar cf a.jar sub",
        "unrar x a.rar sub/",
        "unar -o sub a.rar",
        "unsquashfs a.sqsh",
        "cabextract -l a.cab",
        "gunzip x.gz",
        "python3 -m zipfile -e a.zip sub",
        "python3 -c \"import zipfile; zipfile.ZipFile('a.zip').extractall('sub')\"",
    ],
)
def test_lists_and_what_is_unpacked_elsewhere_bring_none(command: str) -> None:
    assert not hard_effects(command)
