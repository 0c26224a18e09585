"""Secrets never survive in what is written down, and nothing makes it fail."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.record import decisions
from laconic.record.database import bring_in
from laconic.record.runs import Run, record_run, row_of
from laconic.secrets.redact import (
    _BEGINNINGS,
    _TELLING,
    HIDDEN,
    _by_text,
    _searched,
    redact,
    redact_path,
)
from laconic.types import Decision, Verdict

_COMMANDS = Path(__file__).parents[1] / "cases" / "secrets" / "commands.txt"


@pytest.mark.parametrize("secret", ["hunter2Zx9qLmW4", "correcthorse", "83920174651"])
def test_no_secret_of_the_case_file_is_logged(secret: str) -> None:
    lines = [line for line in _COMMANDS.read_text("utf-8").splitlines() if line[:1] != "#"]
    commands = [line.replace("@SECRET@", secret).replace("\\n", "\n") for line in lines]
    assert len(commands) > 200
    assert [command for command in commands if secret in redact(command)] == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git status --short", "git status --short"),
        ("grep -rn token src", "grep -rn token src"),
        ("git log --author=me --path x", "git log --author=me --path x"),
        ("cat ~/.ssh/id_rsa.pub", "cat ~/.ssh/id_rsa.pub"),
        ("ls task-list-of-today", "ls task-list-of-today"),
        ("curl https://example.com/a@b", "curl https://example.com/a@b"),
        ("curl -u me:pw https://h", f"curl -u {HIDDEN} https://h"),
        ("curl -ume:pw https://h", f"curl -u{HIDDEN} https://h"),
        ("curl --user=me:pw https://h", f"curl --user={HIDDEN} https://h"),
        ("curl -H 'Authorization: Bearer abc' h", f"curl -H 'Authorization: {HIDDEN}' h"),
        ('curl -H "X-Api-Key: abc" h', f"curl -H 'X-Api-Key: {HIDDEN}' h"),
        ("curl -H Cookie:a=b h", f"curl -H Cookie:{HIDDEN} h"),
        ("git clone https://me:pw@h/x.git", f"git clone https://{HIDDEN}@h/x.git"),
        ("git clone https://me:p@w/d@h/x.git", f"git clone https://{HIDDEN}@h/x.git"),
        ("git clone https://abc@h/x.git", f"git clone https://{HIDDEN}@h/x.git"),
        ("psql postgres://u:p@h/db", f"psql postgres://{HIDDEN}@h/db"),
        ("mysql -uroot -phunter2 db", f"mysql -uroot -p{HIDDEN} db"),
        ("sudo -u me /usr/bin/mysql -p'a b'", f"sudo -u me /usr/bin/mysql -p{HIDDEN}"),
        ("sshpass -p hunter2 ssh h", f"sshpass -p {HIDDEN} ssh h"),
        ("x --password 'a b' y", f"x --password {HIDDEN} y"),
        ("x --db-password=a y", f"x --db-password={HIDDEN} y"),
        ("x -password a y", f"x -password {HIDDEN} y"),
        ('x --token "$T" y', f"x --token {HIDDEN} y"),
        ("GITHUB_TOKEN=abc gh pr list", f"GITHUB_TOKEN={HIDDEN} gh pr list"),
        ("export PGPASSWORD='a b'; psql", f"export PGPASSWORD={HIDDEN}; psql"),
        ("env AWS_SECRET_ACCESS_KEY=abc aws s3 ls",
        f"env AWS_SECRET_ACCESS_KEY={HIDDEN} aws s3 ls"),
        ("git config x.token abc", f"git config x.token {HIDDEN}"),
        ("echo gh'p_0123456789'ab", f"echo {HIDDEN}"),
        ('x -d \'{"password": "a b"}\'', f"x -d '{{\"password\": {HIDDEN}}}'"),
        ("x --token abc 'unclosed", f"x --token {HIDDEN} 'unclosed"),
        ("x <<E\npassword: hunter2\nE", f"x <<E\npassword: {HIDDEN}\nE"),
    ],
)  # fmt: skip
def test_what_is_shown(command, expected):
    assert redact(command) == expected


@pytest.mark.parametrize(
    "token",
    ["ghp_0123456789abcdef", "github_pat_0123456789ab", "glpat-0123456789ab", "sk-0123456789abcdef",
     "sk-ant-api03-0123456789", "sk_live_0123456789ab", "AKIAIOSFODNN7EXAMPLE",
     "ASIAIOSFODNN7EXAMPLE",
     "xoxb-0123456789-ab", "AIzaSyA0123456789abcdefghijklm", "ya29.0123456789abc",
     "npm_0123456789abcdefgh",
     "pypi-AgEIcHlwaS5vcmcCJ", "hf_0123456789abcdefghij", "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
     "hvs.0123456789ab",
     "SG.0123456789ab.0123456789ab", "dckr_pat_0123456789ab", "AGE-SECRET-KEY-1QQQQQQQQQ"],
)  # fmt: skip
@pytest.mark.parametrize("form", ["echo {}", "x='{}'; y", "curl h?k={}", 'echo "a {} b', "1{}-"])
def test_tokens_are_known_by_their_beginning(token, form):
    assert token[:18] not in redact(form.format(token))


def test_nobody_hides_a_command_behind_a_secret():
    for command in ("echo token: x; rm -rf y", "echo cookie: & rm -rf y", "x --token a && rm -rf y",
                    "echo password=a | rm -rf y", "echo authorization: a\nrm -rf y",
                    "echo -----BEGIN PRIVATE KEY-----; rm -rf y"):  # fmt: skip
        assert redact(command).endswith("rm -rf y")


def test_a_header_in_a_text_is_hidden_to_the_end_of_its_line():
    assert redact("x <<E\nCookie: a=b; c=hunter2\nE") == f"x <<E\nCookie: {HIDDEN}\nE"
    assert "hunter2" not in redact("curl -H 'Cookie: a=b; c=hunter2' h")


def test_a_private_key_is_hidden_whole():
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nabcdef\nghijkl\n-----END OPENSSH PRIVATE KEY-----"
    assert redact(f"cat > k <<E\n{key}\nE\nls") == f"cat > k <<E\n{HIDDEN}\nE\nls"
    assert "ghijkl" not in redact(f"echo '{key[:-40]}")


SECRETS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=12, max_size=40)
PLACES = [
    "curl -u me:{} https://h",
    "curl -H 'Authorization: Bearer {}' https://h",
    'curl -H "Authorization: token {}" https://h',
    "curl https://me:{}@h/x",
    "x --password {}",
    "x --password={}",
    "x --api-key '{}' y",
    "sudo mysql -p{} db",
    "MY_SECRET={} x",
    "export API_TOKEN={}",
    "env DB_PASSWORD={} x",
    "a && x --access-token {} | y",
    "echo $(x --secret {})",
    "x --token {} 'broken",
    "cat <<E\napi_key = {}\nE",
    "python -c 'login(password=\"{}\")'",
    'x --pass"word" {}',
    'x --pass"word"={}',
    "docker login -p {} h",
    "aws configure set aws_secret_access_key {}",
]


@pytest.mark.parametrize("place", PLACES)
@given(secret=SECRETS)
def test_a_planted_secret_never_survives(place, secret):
    # letters that cannot be part of the text around it
    planted = f"Q{secret}Q"
    assert planted not in redact(place.format(planted))


@given(st.text())
def test_it_never_raises(command):
    assert isinstance(redact(command), str)


@given(st.text(alphabet="ab =-'\"$(){}@:/\\\n;|&<>#tokenpasswd", max_size=200))
def test_it_never_raises_on_what_looks_like_a_command(command):
    assert isinstance(redact(command), str)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_text_are_no_trouble(data):
    redact(data.decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize(
    "piece", ["a b ", "token ", "x://", "x://a:", "'", "a@", "-", "passw", "-----BEGIN "]
)
def test_long_texts_cost_little(piece):
    start = time.process_time()
    redact(piece * (60_000 // len(piece)))
    assert time.process_time() - start < 5


def test_a_very_long_text_is_cut_between_words():
    text = "word " * 10_000
    shown = redact(text)
    assert len(shown) < 20_000
    assert shown.endswith("word … (50000 characters)")


@given(
    st.lists(
        st.sampled_from(
            [*_TELLING, "mysql", "p", "git", " ", ":", "/", ".", "hvs.abcdefgh", "(", ","]
        )
        | st.text("abcdefghijklmnopqrstuvwxyz ./,:()", max_size=12),
        max_size=8,
    )
)
def test_a_plain_text_is_not_searched_because_nothing_would_be_found(pieces):
    text = "".join(pieces)
    assert redact(text) == _searched(text)


SECRETS_BY_BEGINNING = (
    "ghp_", "github_pat_", "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-",
    "sk-", "sk_live_", "rk_test_", "whsec_", "AKIA", "ASIA", "xoxb-", "xapp-", "AIza", "ya29.",
    "GOCSPX-", "npm_", "pypi-", "hf_", "dop_v1_", "SG.", "eyJ", "AGE-SECRET-KEY-", "dckr_pat_",
    "lin_api_", "sq0atp-", "shpat_", "shpca_", "shppa_", "shpss_", "hvs.", "dapi", "rubygems_",
    "figd_", "tskey-",
)  # fmt: skip


@given(
    st.lists(
        st.sampled_from(
            [
                *SECRETS_BY_BEGINNING,
                *_TELLING,
                *_BEGINNINGS,
                *"/.-_=:@x ",
                "0123456789abcdef" * 2,
                "ABCDEFGH1234",
                "home",
                "Users",
                "my-app_2",
            ]
        ),
        max_size=12,
    )
)
def test_a_plain_path_is_not_searched_because_nothing_would_be_found(pieces):
    path = "".join(pieces)
    assert redact_path(path) == _by_text(path)


@pytest.mark.parametrize("beginning", SECRETS_BY_BEGINNING)
def test_a_path_does_not_show_a_secret(beginning):
    secret = f"{beginning}{'0123456789' * 4}.{'x' * 9}"
    assert "0123456789" not in redact_path(f"/home/me/{secret}/src")


def test_a_path_as_most_are_is_not_searched(monkeypatch):
    monkeypatch.setattr("laconic.secrets.redact._by_text", None)
    for path in ("/", "/home/me/my-app_2", "/Users/me/Code/x.y", "/tmp/lac1ifjm17q/project"):
        assert redact_path(path) == path


# -- any tool, any form ----------------------------------------------------------------------------

# {} is the secret. One line for each way in which a manual says that a program takes one.
TOOLS = [
    "openssl enc -aes-256-cbc -k {} -in a -out b",
    "openssl enc -d -K {} -iv 0",
    "openssl rsa -passin pass:{} -in k",
    "openssl pkcs12 -export -passout pass:{} -in k",
    "openssl req -new -passin pass:{} -passout pass:{}",
    "openssl passwd -6 {}",
    "zip -P {} a.zip b",
    "zip -P{} a.zip b",
    "zip -r -P {} a.zip b",
    "unzip -P {} a.zip",
    "7z a -p{} a.7z b",
    "7za x -p{} a.7z",
    "7zz t a.7z -p{}",
    "rar a -hp{} a.rar b",
    "unrar x -p{} a.rar",
    "vault login {}",
    "vault login -no-print {}",
    "vault login token={}",
    "vault login -method=userpass username=me password={}",
    "vault kv put secret/x password={}",
    "twine upload -u me -p {} dist/*",
    "twine upload --password {} dist/*",
    "az login -u me -p {}",
    "az login --password {}",
    "az login --service-principal -p {} --tenant t",
    "sqlcmd -S h -U sa -P {} -Q x",
    "sqlcmd -P{}",
    "bcp t out f -U sa -P {}",
    "mysql -uroot -p{} db",
    "mysqldump --password={} db",
    "mongosh -u me -p {}",
    "mongodump -p{}",
    "redis-cli -a {} ping",
    "sshpass -p {} ssh h",
    "sshpass -p{} ssh h",
    "curl -u me:{} https://h",
    "curl --user me:{} https://h",
    "curl https://me:{}@h/",
    "curl -H 'Authorization: Bearer {}' https://h",
    "curl -H 'X-Api-Key: {}' https://h",
    "wget --password={} h",
    "docker login -u me -p {} h",
    "podman login -u me --password {} h",
    "skopeo copy --src-creds me:{} a b",
    "skopeo inspect --creds me:{} a",
    "helm registry login -u me -p {} h",
    "oc login -u me -p {}",
    "oc login --token={}",
    "kubectl config set-credentials me --token={}",
    "keytool -list -storepass {} -keystore k",
    "keytool -importkeystore -srcstorepass {} -deststorepass {}",
    "jarsigner -storepass {} a b",
    "ssh-keygen -t ed25519 -N {} -f k",
    "ssh-keygen -p -P {} -N {} -f k",
    "gpg --batch --passphrase {} -d f",
    "ldapsearch -x -w {} -D cn",
    "smbclient //h/s -U me%{}",
    "rpcclient -U me%{} h",
    "lftp -u me,{} h",
    "htpasswd -b f me {}",
    "htpasswd -nb me {}",
    "mkpasswd {}",
    "wpa_passphrase net {}",
    "rabbitmqctl add_user me {}",
    "rabbitmqctl change_password me {}",
    "rclone obscure {}",
    "cargo login {}",
    "cargo publish --token {}",
    "npm config set //h/:_authToken {}",
    "npm config set //h/:_authToken={}",
    "git config github.token {}",
    "aws configure set aws_secret_access_key {}",
    "wandb login {}",
    "snyk auth {}",
    "ngrok authtoken {}",
    "ngrok config add-authtoken {}",
    "bw unlock {}",
    "bw login me@h {}",
    "mc alias set m https://h KEYID {}",
    "gh secret set NAME --body {}",
    "gh secret set NAME -b {}",
    "flyctl secrets set DB={}",
    "heroku config:set X={}",
    "glab auth login -t {}",
    "doctl auth init -t {}",
    "vercel --token {}",
    "ipmitool -H h -U me -P {} power status",
    "mosquitto_pub -h h -u me -P {} -t t",
    "snmpget -v3 -A {} -X {} h",
    "pdftk a.pdf input_pw {} output b.pdf",
    "qpdf --password={} a b",
    "mount -o username=me,password={} //h/s /m",
    "useradd -p {} me",
    "tailscale up --authkey {}",
    "xfreerdp /u:me /p:{} /v:h",
    "etcdctl --user me:{} get x",
    "psql postgres://me:{}@h/db",
    "git clone https://{}@h/x.git",
    "curl -d x https://hooks.slack.com/services/T01234567/B01234567/{}",
    "curl https://discord.com/api/webhooks/123456789/{}",
    "MYSQL_PWD={} mysql",
    "export API_TOKEN={}",
    "env DB_PASSWORD={} ./run",
    "declare -x MY_SECRET={}",
    "az storage blob list --account-key {}",
]
READERS = [
    "docker login -u me --password-stdin",
    "podman login --password-stdin h",
    "gh auth login --with-token",
    "helm registry login h --password-stdin",
    "sudo -S ls",
    "chpasswd",
    "passwd --stdin me",
    "gpg --passphrase-fd 0 -d f",
    "openssl rsa -passin stdin -in k",
    "cryptsetup open /dev/x y",
    "vault login -",
    "kinit me",
    "gh secret set NAME",
    "smbpasswd -s me",
    "htpasswd -i f me",
]
FEEDS = [
    "echo {} | {reader}",
    "echo -n {} | {reader}",
    "printf %s {} | {reader}",
    "printf '%s\\n' {} | sudo {reader}",
    "{reader} <<< {}",
    "{reader} <<E\n{}\nE",
    "cat <<'E' | {reader}\n{}\nE",
    "X={}; echo $X | {reader}",
    "{{ echo {}; }} | {reader}",
    "{reader} < <(echo {})",
    "echo {} | base64 -d | {reader}",
    "(echo {}) | timeout 5 {reader}",
]
WRAPPERS = [
    "{}",
    "sudo {}",
    "sudo -u me {}",
    "timeout 5 {}",
    "env A=1 {}",
    "A=1 {}",
    "nohup {} &",
    "cd x && {}",
    "if true; then {}; fi",
    "x=$({})",
    "for i in 1 2; do {}; done",
    "/usr/bin/env {}",
    "{} > out 2>&1",
    "{} || true",
    "f() {{ {}; }}; f",
    "ls; {}; ls",
]
SHELLS = ["bash -c {}", "sudo sh -c {}", "ssh me@h {}", "docker exec c sh -c {}", "bash -lc {}"]
QUOTES = ["{}", "'{}'", '"{}"', "{}''", "$'{}'"]


@st.composite
def commands_with_secrets(draw):
    secret = f"Q{draw(SECRETS)}Q"
    if draw(st.booleans()):
        command = draw(st.sampled_from(TOOLS)).replace("{}", "\0")
    else:
        feed = draw(st.sampled_from(FEEDS)).replace("{reader}", draw(st.sampled_from(READERS)))
        command = feed.replace("{{", "{").replace("}}", "}").replace("{}", "\0")
    is_free = " \0" in command and "'" not in command and "<<E" not in command
    before, _, behind = command.partition("\0")
    is_bare = before.endswith(" ") and behind[:1] in " \n;|"
    quoted = draw(st.sampled_from(QUOTES)) if is_free and is_bare else "{}"
    if "\n" not in command:
        command = draw(st.sampled_from(WRAPPERS)).format(command)
        if "'" not in command and "'" not in quoted and draw(st.booleans()):
            command = draw(st.sampled_from(SHELLS)).format(f"'{command}'")
    return command.replace("\0", quoted.format(secret)), secret


@given(commands_with_secrets())
@settings(max_examples=400, deadline=None)
def test_no_secret_of_any_tool_is_written_down(case):
    command, secret = case
    assert secret not in redact(command)
    assert secret not in json.dumps(row_of(Run(command, program=command)))


@pytest.mark.parametrize("command", TOOLS)
def test_every_way_to_give_a_secret_is_known(command):
    for secret in ("hunter", "Hunter2Hunter2"):
        assert secret not in redact(command.replace("{}", secret))


def test_the_log_and_the_records_have_no_secret(tmp_path):
    state_dir = str(tmp_path / "state")
    for command in (*TOOLS, *(f.replace("{reader}", READERS[0]) for f in FEEDS)):
        text = command.replace("{}", "Hunter2Hunter2").replace("{{", "{").replace("}}", "}")
        decision = Decision(Verdict.ASK, rule="x/y", reason=f"runs {text}")
        assert decisions.append(state_dir, decision, command=text, cwd="/", agent="", now=1.0)
        assert record_run(state_dir, Run(text))
    assert bring_in(state_dir)
    kept = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert re.findall(rb".{40}Hunter2", kept) == []
    assert kept.count(HIDDEN.encode()) > len(TOOLS)


def test_what_feeds_a_login_is_still_read():
    assert redact("bash <<E\nrm -rf x\nE\ngh auth login").endswith(
        "<<E\nrm -rf x\nE\ngh auth login"
    )
    assert "rm -rf x" in redact("echo $(rm -rf x) | docker login --password-stdin")
    assert "rm -rf x" in redact("echo a | docker login --password-stdin; rm -rf x")
