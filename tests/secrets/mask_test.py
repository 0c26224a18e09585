"""Secrets in a text: which of them are masked, and what is left alone."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_tokens import BODIES, BODY, HEX, TOKENS
from laconic.secrets.mask import Masker
from laconic.secrets.shapes import SHAPES, secret_values

CASES = Path(__file__).parents[1] / "cases" / "compact"
KEY = "\n".join(
    [
        "-----BEGIN OPENSSH PRIVATE " + "KEY-----",
        *[(BODY * 3)[:70]] * 3,
        BODY[:11] + "=",
        "-----END OPENSSH PRIVATE " + "KEY-----",
    ]
)


def masked(text, **environ):
    return Masker.of(environ).mask(text.encode(), 1).decode()


# -- tokens ----------------------------------------------------------------------------------------


def test_every_shape_has_an_example():
    missing = [shape for shape in SHAPES if BODIES.keys().isdisjoint(shape.beginnings)]
    assert [shape.beginnings[0] for shape in missing] == []


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:12])
@pytest.mark.parametrize(
    "line",
    ["{}", "x={} y", '{{"a": "{}"}}', "\x1b[31m{}\x1b[0m", "https://{}/x", "key:{}, 2", "'{}'"],
)
def test_a_token_is_masked_wherever_it_stands(token, line):
    shown = masked(line.format(token) + "\n")
    assert token[-16:] not in shown
    assert re.search(r"\[hidden: [\w ]+\]", shown)


@pytest.mark.parametrize(
    "line",
    [
        "task-list-with-many-words-and-123-numbers",
        "sk-folding-cube-animation-1",
        "npm_config_user_agent",
        "npm_package_dependencies_typescript_version",
        "eyJust some words.eyJ",
        "AKIAIOSFODNN7",
        "ASIAN",
        "hf_hub_download_with_retry_and_resume_1",
        "a" * 200,
        "pypi-simple-index-for-all-of-the-packages-in-it",
        "sha256:" + HEX * 4,
        "commit " + HEX * 2 + HEX[:8],
        "dapisomething" + "g" * 40,
        "xoxo-all-the-best-to-you",
        'if "-----BEGIN RSA PRIVATE ' + 'KEY-----" in text:\n    return True\n',
        "https://hooks.slack.com/",
        "d41d8cd98f00b204e9800998ecf8427e  file_with_a_long_name.tar.gz",
    ],
)
def test_what_only_looks_like_it_is_left_alone(line):
    assert masked(line) == line


def test_the_private_lines_of_putty_are_masked():
    shown = masked(
        "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5AAAAIJ1vQw0v\n"
        "Private-Lines: 1\nAAAAIEqk1v0v3Xy5m0v3Xy5m0v3Xy5m\nPrivate-MAC: 0123abcd\n"
        "0123456789abcdef01\n"
    )
    assert "AAAAC3NzaC1lZDI1NTE5AAAAIJ1vQw0v" in shown
    assert "AAAAIEqk1v0v3Xy5m0v3Xy5m0v3Xy5m" not in shown
    assert "Private-MAC: 0123abcd\n0123456789abcdef01\n" in shown


def test_a_private_key_is_masked_line_by_line():
    shown = masked(f"a\n{KEY}\nb\n")
    assert shown.count("\n") == KEY.count("\n") + 3
    assert BODY[:11] not in shown
    assert shown.startswith("a\n-----BEGIN")
    assert shown.endswith("KEY-----\nb\n")
    assert BODY[:11] not in masked('{"key": "' + KEY.replace("\n", "\\n") + '\\n"}\n')
    numbered = "".join(f"id_rsa:{n}:{line}\n" for n, line in enumerate(KEY.split("\n")[:-2]))
    assert BODY[:11] not in masked(numbered)


# -- variables -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        ("GITHUB_TOKEN", "x7Gk2-pw", True),
        ("DB_PASSWORD", "hunter2hunter", True),
        ("MY_SECRET", "s3cr3t.value", True),
        ("OPENAI_API_KEY", "0123abcd", True),
        ("MYSQL_PWD", "tr0ub4dor&3", True),
        ("PGPASSWORD", "correct horse 7", True),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE9", True),
        ("APP_KEYSTORE_PASSPHRASE", "correcthorsebatterystaple", True),
        ("PWD", "/home/me/project1", False),
        ("OLDPWD", "/home/me/project1", False),
        ("POSTGRES_PASSWORD", "postgres", False),
        ("DB_PASSWORD", "change-me", False),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/secrets/x1", False),
        ("TOKENIZERS_PARALLELISM", "false", False),
        ("SSH_AUTH_SOCK", "/tmp/ssh-x1/agent.1", False),
        ("SECRET_DIR", "/srv/x1/secrets", False),
        ("TOKEN_URL", "https://a.example/x1", False),
        ("API_TOKEN", "short1", False),
        ("HOME", "/home/me1", False),
        ("PATH", "/usr/bin:/bin:/x1", False),
        ("TOKEN_LIMIT", "1234567890123", False),
        ("A_TOKEN", "12345678", False),
        ("A_TOKEN", "aaaaaaaa1", False),
        ("GIT_ASKPASS", "/usr/lib/x1/ask", False),
    ],
)
def test_the_value_of_a_variable_is_masked_if_it_is_special(name, value, is_secret):
    expected = f"a [hidden: {name}] b" if is_secret else f"a {value} b"
    assert masked(f"a {value} b", **{name: value}) == expected
    assert (value in secret_values({name: value})) is is_secret


def test_a_short_value_within_a_word_is_none():
    assert masked("xx7Gk2-pwy\n", A_TOKEN="x7Gk2-pw") == "xx7Gk2-pwy\n"


# -- pieces ----------------------------------------------------------------------------------------

SECRET = "pa$$ word;1234;xyz"
TEXTS = st.lists(
    st.sampled_from(
        [*TOKENS[:6], SECRET, KEY, "\n", " ", "plain", "é", "=", "Password: ", "x" * 30]
    ),
    max_size=12,
).map("".join)


@given(TEXTS, st.lists(st.integers(1, 60), max_size=30))
def test_pieces_of_any_size_hide_as_much_as_the_whole(text, sizes):
    data = text.encode()
    mask = Masker.of({"A_PASSWORD": SECRET})
    shown, at = b"", 0
    for size in sizes:
        shown += mask.feed(data[at : at + size], 1)
        at += size
    shown += mask.feed(data[at:], 1) + mask.rest(1)
    assert shown.count(b"\n") == data.count(b"\n")
    for secret in (SECRET, *TOKENS[:6]):
        # a token inside a longer word, or after another one, is masked as part of that word
        if re.search(rf"(?:^|\s){re.escape(secret)}(?:\s|$)", text):
            whole = Masker.of({"A_PASSWORD": SECRET}).mask(data, 1)
            assert shown.count(secret.encode()) <= whole.count(secret.encode())
    assert shown.count(SECRET.encode()) == 0


def test_a_question_is_not_held_back():
    mask = Masker.of({"A_PASSWORD": SECRET})
    for question in (b"Password: ", b"Continue? [y/N] ", b"Continue? [y/N]", b"> "):
        assert mask.feed(question, 1) == question
    assert mask.feed(b"value " + SECRET[:6].encode(), 1) == b"value "
    assert mask.feed(b" else\n", 1) == SECRET[:6].encode() + b" else\n"


def test_recorded_outputs_are_left_alone():
    """One line in a hundred thousand may be masked by mistake; there are fewer lines."""
    wrong = []
    for path in sorted(CASES.rglob("*.in")):
        mask = Masker({})
        mask.mask(path.read_bytes(), 1)
        wrong += [path.name] * mask.found
    assert wrong == []


# -- values beside their names, colours, base64 ----------------------------------------------------

RANDOM = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE"
BESIDE = [
    (f"aws_secret_access_key = {RANDOM}", RANDOM),
    (f"AWS_SECRET_ACCESS_KEY={RANDOM}", RANDOM),
    ("postgres://u:S3cretPw@db/x", "S3cretPw"),
    ("mongodb+srv://u:S3cretPw@db/x", "S3cretPw"),
    ("redis://:S3cretPw@h:6379", "S3cretPw"),
    (f"https://{HEX}{HEX}@o123.ingest.sentry.io/45", HEX),
    ('{"password": "hunter2x"}', "hunter2x"),
    (f'  "apiKey": "{BODY}"', BODY),
    ("DB_PASS='Sup3rS3cret'", "Sup3rS3cret"),
    ('export API_KEY="a1b2c3d4e5f6"', "a1b2c3d4e5f6"),
    ("TOKEN=abc123def456", "abc123def456"),
    (f"authorization: Bearer {BODY}", BODY),
    ("//r.example/:_authToken=2f1c9d3a-77aa-4b1e-9f0e-1a2b3c4d5e6f", "2f1c9d3a-77aa-4b1e-9f0e"),
    ("//r.example/:_password=cGFzc3dvcmQx", "cGFzc3dvcmQx"),
    ("_auth = dXNlcjpwYXNzd29yZDEyMw==", "dXNlcjpwYXNzd29yZDEyMw=="),
    (f"Set-Cookie: sid={HEX}; Path=/; HttpOnly", HEX),
    (f"< set-cookie: sid=s%3A{BODY}.x; Path=/", BODY),
    (f"> Cookie: a={HEX}; csrftoken={BODY}", BODY),
    ("machine h.example login joe password s3cr3tPw", "s3cr3tPw"),
    ("  password s3cr3tPw9", "s3cr3tPw9"),
    ("localhost:5432:db:joe:s3cr3tPw", "s3cr3tPw"),
    ("*:*:*:joe:s3cr3tPw", "s3cr3tPw"),
    (f"X-Api-Key: {BODY}", BODY),
    (f"https://{HEX}01234567@github.com/a/b", HEX),
    (f"https://b.example/k?X-Amz-Signature={HEX}{HEX}&x=1", HEX),
    (f"https://b.example/c?sv=2020&sig={BODY}%3D", BODY),
    ("PrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", "yAnz5TF+lXXJte14tji3"),
    (f"AGE-PLUGIN-YUBIKEY-1{BODY.upper()}", BODY.upper()),
    (f"gh\x1b[1mp_{BODY}01234567", BODY),
    (f"ghp_{BODY[:9]}\x1b[31m{BODY[9:]}01234567\x1b[0m", BODY[9:]),
    (f"x\x1b[38;5;1mghp_{BODY}01234567", BODY),
    ("https://u:S3cr\x1b[0metPw@h/x", "etPw"),
    (b64encode(f"ghp_{BODY}01234567".encode()).decode(), "Z2hwX2"),
    (b64encode(f"ghp_{BODY}01234567\n".encode()).decode(), "Z2hwX2"),
    (b64encode(KEY.encode()).decode(), "UFJJVkFURS"),
]
NOT_BESIDE = [
    "token = get_token(x)", "password: str", "API_KEY=$(cat x)", "KEY=${KEY}",
    "postgres://user:password@localhost/db", "postgres://postgres:postgres@localhost",
    "secret = settings.SECRET_KEY", "https://github.com/a/b@v1.2", "CACHE_KEY=abc-def-123",
    '"token": "string"', '"password": "password"', "git@github.com:a/b.git", "PASSWORD=changeme",
    "self._auth = HTTPBasicAuth2(user1, x)", "_password = input1()", "Set-Cookie: lang=en; Path=/",
    'headers["Cookie"] = session_cookie_1', "password authentication failed",
    "src/a.py:10:5:E501:long1",
    "  password required1)", "design = sigmoid(x1)", "a.c:543:12:error:undeclared1",
    "cookie: dict[str, str]",
    "https://docs.example.com/v1/@scope/name", "signature=sha256", "?page=2&sig=1",
    "password   string1",
    "x:*:17:0:99999:7:::", "registry=https://r.example/npm1/",
    "PUBLIC_KEY=abcdef123456", "https://x.example:8080/a@b", "sort_key: a1b2", "keyboard=qwerty12",
]  # fmt: skip


@pytest.mark.parametrize(("line", "secret"), BESIDE)
def test_a_value_beside_its_name_is_masked(line, secret):
    shown = masked(line + "\n")
    assert secret not in shown
    assert "[hidden: " in shown
    mask = Masker({})
    pieces = [mask.feed(bytes([byte]), 1) for byte in f"{line}\n".encode()]
    assert (b"".join(pieces) + mask.rest(1)).decode() == shown


@pytest.mark.parametrize("line", NOT_BESIDE)
def test_what_stands_for_a_value_stays(line):
    assert masked(line + "\n") == line + "\n"


def test_colours_stay_where_a_secret_was():
    line = f"\x1b[1ma\x1b[0m ghp_{BODY[:9]}\x1b[31m{BODY[9:]}01234567\x1b[0m b"
    assert masked(line) == "\x1b[1ma\x1b[0m [hidden: GitHub token]\x1b[31m\x1b[0m b"


def test_equal_values_beside_names_are_told_from_others():
    masker = Masker({})
    diff = b"""-   "password": "kiJ82-jw1ls",
+   "password": "Jd72-lkow2!",
    "newPassword": "kiJ82-jw1ls",
"""
    expected = b"""-   "password": "[hidden: secret]",
+   "password": "[hidden: secret 2]",
    "newPassword": "[hidden: secret]",
"""
    assert masker.mask(diff) == expected
    assert masker.again().mask(diff) == expected
    assert masker.again().mask(diff.splitlines(keepends=True)[1]) == expected.splitlines(True)[1]


def test_of_very_many_values_the_last_have_no_number():
    lines = b"".join(b'"password": "kiJ82-%d"\n' % number for number in range(2000))
    last = Masker({}).mask(lines).splitlines()[-1]
    assert last == b'"password": "[hidden: one more secret]"'
