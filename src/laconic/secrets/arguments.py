"""Lists the arguments of programs that are secrets: option values, operands, standard input.

The lists come from the manuals of the programs. They are Python tables, because they are read for
every command that is logged. In doubt a value is hidden: an option that means something else in
another subcommand of the same program is hidden there as well.
"""

from __future__ import annotations


def _by_option(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {option: frozenset(programs.split()) for option, programs in table.items()}


# The value is the next word, or the rest of the same word: -p S, -pS.
SHORT = _by_option(
    {
        "-p": "mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mongo mongosh"
        " mongodump mongorestore mongoexport mongoimport cqlsh influx sshpass docker podman buildah"
        " nerdctl skopeo helm oc twine az useradd usermod xfreerdp rdesktop kadmin poetry altool"
        " security dotnet rabbitmqadmin ncftpput ncftpget ncftpls",
        "-u": "curl wget http https xh ldapsearch lftp",
        "-a": "redis-cli valkey-cli iredis",
        "-w": "ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami security kadmin",
        "-P": "sshpass smbclient unzip zip zipcloak sqlcmd bcp ipmitool mosquitto_pub mosquitto_sub"
        " ssh-keygen isql tsql security",
        "-U": "curl smbclient rpcclient net winexe",
        "-N": "ssh-keygen",
        "-k": "gem dotnet security",
        "-b": "gh curl",  # gh secret set NAME -b S, curl -b session=S
        "-c": "snmpget snmpwalk snmpset snmpbulkget snmpbulkwalk",  # the community
        "-t": "doctl glab vercel codecov influx",
        "-A": "snmpget snmpwalk snmpset",
        "-X": "snmpget snmpwalk snmpset",
    }
)
# The value is always the next word.
LONG = _by_option(
    {
        "-k": "openssl",
        "-K": "openssl",
        "-storepass": "keytool jarsigner",
        "-keypass": "keytool jarsigner",
        "-srcstorepass": "keytool",
        "-deststorepass": "keytool",
        "-srckeypass": "keytool",
        "-destkeypass": "keytool",
        "-new": "keytool",
        "--creds": "skopeo podman buildah nerdctl",
        "--src-creds": "skopeo",
        "--dest-creds": "skopeo",
        "--authkey": "tailscale",
        "--body": "gh",
        "--value": "aws",
        "-v": "kaggle",
        "/p": "signtool",
        "password": "mysqladmin nmcli",
        "--user": "etcdctl",
        "user_pw": "pdftk",
        "owner_pw": "pdftk",
        "input_pw": "pdftk",
    }
)
# The value is always in the same word.
ATTACHED = _by_option(
    {
        "-p": "7z 7za 7zr 7zz 7zzs p7zip rar unrar",
        "-hp": "rar",
        "/p:": "xfreerdp xfreerdp3 wfreerdp",
    }
)
# openssl-passphrase-options(1): pass:S, as the value of any option.
PASS_PHRASE = "pass:"  # noqa: S105 - only the prefix

# Words of a program, and the position of the first operand after them that is a secret.
OPERANDS: dict[tuple[str, ...], int] = {
    ("vault", "login"): 0,
    ("cargo", "login"): 0,
    ("wandb", "login"): 0,
    ("netlify", "login"): 0,
    ("consul", "login"): 0,
    ("snyk", "auth"): 0,
    ("ngrok", "authtoken"): 0,
    ("ngrok", "config", "add-authtoken"): 0,
    ("bw", "unlock"): 0,
    ("bw", "login"): 1,
    ("rclone", "obscure"): 0,
    ("mkpasswd",): 0,
    ("openssl", "passwd"): 0,
    ("htpasswd",): 1,
    ("wpa_passphrase",): 1,
    ("rabbitmqctl", "add_user"): 1,
    ("rabbitmqctl", "change_password"): 1,
    ("mc", "alias", "set"): 2,
    ("mc", "config", "host", "add"): 2,
    ("gh", "secret", "set"): 1,
    ("flyctl", "secrets", "set"): 0,
    ("fly", "secrets", "set"): 0,
    ("heroku", "config:set"): 0,
    ("net", "user"): 1,
    ("vault", "token", "revoke"): 0,
    ("vault", "token", "lookup"): 0,
    ("redis-cli", "AUTH"): 0,
    ("redis-cli", "auth"): 0,
    ("ansible-vault", "encrypt_string"): 0,
    ("pulumi", "config", "set"): 1,
    ("dotnet", "user-secrets", "set"): 1,
    ("nuget", "setapikey"): 0,
    ("twilio", "login"): 1,
    ("sqlplus",): 0,
    ("impdp",): 0,
    ("expdp",): 0,
    ("doppler", "secrets", "set"): 0,
    ("supabase", "secrets", "set"): 0,
    ("convex", "env", "set"): 1,
    ("dokku", "config:set"): 1,
}

# A command with one of these words reads a secret from its standard input.
FROM_INPUT = frozenset(
    "--password-stdin --with-token --passphrase-fd --token-stdin --secret-stdin --stdin-password"
    " --password-file=- --key-file=- stdin fd:0 -S --stdin login auth secret secrets unlock"
    " credential signin chpasswd passwd smbpasswd cryptsetup kinit htpasswd mkpasswd sshpass su gpg"
    " gpg2 age ansible-vault secret-tool keyctl vercel hcloud aws-vault pass gopass"
    " systemd-ask-password".split()
)
# Files that hold nothing but a secret: what is printed into them is one.
HELD_BY_FILES = (
    r"(?:^|/)(?:\.vault-token|\.netrc|\.pgpass|\.git-credentials|\.pypirc|\.htpasswd"
    r"|credentials[\w.]*|[\w.-]*(?:password|passwd|passphrase|secret|token)[\w.-]*"
    r"|[\w.-]+\.(?:key|pem))$"
)
PRINTERS = frozenset(("echo", "printf", "print"))
PASSING_ON = frozenset(("cat", "tee", "tr", "base64"))  # they copy their input to their output
