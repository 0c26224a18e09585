"""The shapes of secrets: beginnings of tokens, and names of variables that hold a secret.

One list serves two purposes: `redact`, for logged commands, hides in doubt; `mask`, for output that
an agent reads, must not hide what is not a secret.
"""

from __future__ import annotations

from collections.abc import Mapping

from laconic.patterns import pattern

_SHORTEST_VALUE = 8
_SHORTEST_WORD = 16  # shorter letters-only values are mostly words: postgres, development
_SHORTEST_NUMBER = 12
_LONGEST_VALUE = 4096


class Shape:
    """A kind of token.

    beginnings: the texts that it may begin with. loosely: the least that follows them, where it is
    better to hide too much. strictly: what follows them in a text that surely is a token. sign: a
    text in the middle of one that begins with anything.
    """

    def __init__(
        self, name: str, beginnings: str, strictly: str, loosely: str = "", sign: str = ""
    ) -> None:
        self.sign = sign
        self.name, self.beginnings = name, beginnings.split() or [""]
        self.strictly, self.loosely = strictly, loosely or r"[\w-]{8,}"


# A digit and a capital: names of files and packages rarely have both.
_MIXED = r"(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])"
_KEY_RUN = r"(?=[\w-]{0,60}\d)(?=[\w-]{0,40}[A-Za-z0-9]{12})"

# Each has twenty or more letters, digits, `_` and `-` in a row, or begins with a host name: `mask`
# looks for these first.
SHAPES = (
    # https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
    Shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\w{20,}", r"\w{8,}"),
    Shape("GitHub token", "github_pat_", r"\w{20,}", r"\w{8,}"),
    # https://docs.gitlab.com/security/tokens/#token-prefixes
    Shape(
        "GitLab token",
        "glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glimt- glagent-",
        r"[\w-]{20,}",
    ),
    Shape("AWS key", "AKIA ASIA", r"[0-9A-Z]{16}(?![0-9A-Za-z])", r"[0-9A-Z]{12,}"),
    Shape(
        "AWS key",
        "ABIA ACCA AGPA AIDA AIPA ANPA ANVA AROA",
        r"(?=[A-Z]{0,15}\d)[0-9A-Z]{16}(?![0-9A-Za-z])",
        r"[0-9A-Z]{12,}",
    ),
    Shape("API key", "sk-", rf"{_KEY_RUN}[\w-]{{20,}}"),
    Shape(
        "Stripe key", "sk_live_ rk_live_ pk_live_ sk_test_ rk_test_ pk_test_", r"\w{16,}", r"\w{8,}"
    ),
    Shape("Stripe key", "whsec_", r"[\w+/=]{20,}", r"\w{8,}"),
    # https://docs.slack.dev/authentication/tokens
    Shape(
        "Slack token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxo- xapp-",
        r"(?=[\w-]{0,60}\d)[\w-]{16,}",
    ),
    Shape(
        "Slack webhook",
        "hooks.slack.com/",
        r"(?:services|workflows|triggers)/[\w/-]{30,}",
        r"[\w/.-]{8,}",
    ),
    Shape(
        "webhook",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        r"\d+/[\w-]{40,}",
        r"[\w/.-]{8,}",
    ),
    Shape("webhook", "webhook.office.com/", r"[\w@/-]{60,}", r"[\w/.@-]{8,}"),
    Shape("Google key", "AIza", r"[\w-]{35}(?![\w-])", r"[\w-]{20,}"),
    Shape("Google token", "ya29.", r"[\w-]{20,}"),
    Shape("Google token", "GOCSPX-", r"[\w-]{20,}"),
    Shape("npm token", "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])", r"\w{16,}"),
    Shape("PyPI token", "pypi-", rf"{_MIXED}[\w-]{{40,}}", r"[\w-]{16,}"),
    Shape("RubyGems token", "rubygems_", r"[0-9a-f]{48}", r"\w{16,}"),
    Shape(
        "Hugging Face token",
        "hf_",
        rf"(?:{_MIXED}|(?=[A-Za-z]{{34}}(?!\w)))[A-Za-z0-9]{{30,}}",
        r"\w{16,}",
    ),
    Shape("New Relic key", "NRAK- NRII- NRAA-", r"[A-Za-z0-9]{20,}", r"\w{16,}"),
    Shape("Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", r"[\w-]{16,}"),
    Shape("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{20,}", r"\w{16,}"),
    Shape("Twilio key", "SK", r"[0-9a-f]{32}(?![0-9A-Za-z])", r"[0-9a-f]{32}"),
    Shape("Mailgun key", "key-", r"[0-9a-f]{32}(?![0-9A-Za-z])", r"[0-9a-f]{32}"),
    Shape("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[\w.-]{20,}", r"[\w.-]{16,}"),
    Shape("Mapbox token", "sk.", r"eyJ[\w-]{20,}\.[\w-]{10,}", r"eyJ[\w-]{16,}"),
    Shape("Fly token", "fo1_ fm2_ fm1r_ fm1a_", r"[\w+/=-]{40,}", r"[\w-]{16,}"),
    Shape(
        "Terraform token",
        "",
        r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}",
        r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{8,}",
        ".atlasv1.",
    ),
    Shape(
        "Telegram token",
        "",
        r"[0-9]{8,10}:AA[\w-]{32,33}(?![\w-])",
        r"[0-9]{8,10}:AA[\w-]{20,}",
        ":AA",
    ),
    Shape("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{40,}", r"\w{16,}"),
    Shape("SendGrid key", "SG.", r"[\w-]{16,}\.[\w-]{20,}", r"[\w-]{8,}\.[\w-]{8,}"),
    # RFC 7519: three parts, of which the first two are JSON objects
    Shape(
        "JSON web token",
        "eyJ",
        r"[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
        r"[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
    ),
    Shape("age key", "AGE-SECRET-KEY-", r"[0-9A-Z]{20,}", r"\w{8,}"),
    Shape("age key", "AGE-PLUGIN-", r"[0-9A-Z]{2,20}-1[0-9A-Z]{20,}", r"[\w-]{16,}"),
    Shape("Docker token", "dckr_pat_ dckr_oat_", r"[\w-]{20,}"),
    Shape("Linear key", "lin_api_", r"\w{20,}", r"\w{8,}"),
    Shape("Square token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{20,}"),
    Shape("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}", r"\w{8,}"),
    Shape("Vault token", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    Shape("Databricks token", "dapi", r"[0-9a-f]{32}(?![0-9a-z])", r"[0-9a-f]{16,}"),
    Shape("Figma token", "figd_", r"[\w-]{20,}"),
    Shape("Tailscale key", "tskey-", r"[\w-]{20,}"),
    Shape("Grafana token", "glsa_ glc_", r"\w{30,}", r"\w{16,}"),
    Shape("Groq key", "gsk_", r"[A-Za-z0-9]{40,}", r"\w{16,}"),
    Shape("xAI key", "xai-", r"[A-Za-z0-9]{60,}", r"[\w-]{16,}"),
    Shape("Replicate token", "r8_", r"[A-Za-z0-9]{37}", r"\w{16,}"),
    Shape("Notion token", "ntn_", r"[A-Za-z0-9]{40,}", r"\w{16,}"),
    Shape("Supabase token", "sbp_", r"[0-9a-f]{40}", r"\w{16,}"),
    Shape("Atlassian token", "ATATT3", r"[\w=-]{50,}", r"[\w-]{16,}"),
    Shape("Sentry token", "sntrys_ sntryu_", r"[\w+/=-]{40,}", r"\w{16,}"),
    Shape("Pulumi token", "pul-", r"[0-9a-f]{40}(?![0-9a-z])", r"[0-9a-f]{16,}"),
    Shape(
        "Azure key",
        "AccountKey= SharedAccessKey=",
        r"[A-Za-z0-9+/]{40,}={0,2}",
        r"[\w+/=-]{8,}",
    ),
)

# Words that mark a secret anywhere in the name of an option, a variable or a field.
SAYS_IT = (
    r"passw(?:or)?d|passphrase|passcode|secret|token|credential|api[-_]?key|access[-_]?key"
    r"|private[-_]?key|signing[-_]?key|encryption[-_]?key|account[-_]?key"
)
# Names that only describe a secret: its place, its kind, its age.
_TELLS_OF_IT = (
    r"(?:file|path|dir|directory|url|uri|host|port|name|user|username|type|id|ids|expiry|expires"
    r"|ttl|timeout|length|count|limit|sock|cmd|command|helper|endpoint|server|issuer|audience"
    r"|version|enabled|disabled|required|format|prefix|scope|scopes|region|env)"
)


_SAYS = pattern(rf"(?i){SAYS_IT}|(?:^|_)(?:pass|pwd|pat|auth[-_]?key|auth)$")
_TELLS = pattern(rf"(?i)_{_TELLS_OF_IT}$|^(?:old)?pwd$")


def secret_values(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets in an environment, each with the name of its variable."""
    secrets: dict[str, str] = {}
    for name, value in environ.items():
        is_key_id = name.upper().endswith("ACCESS_KEY_ID")  # AWS: half of a pair, and of that shape
        if _SAYS.search(name) and (is_key_id or not _TELLS.search(name)):
            for line in value.splitlines():  # a key has many
                if is_secret_value(line.strip()):
                    secrets.setdefault(line.strip(), name)
    return secrets


def is_secret_value(value: str) -> bool:
    """Tell whether a value is too special to appear in an output by chance."""
    if not _SHORTEST_VALUE <= len(value) <= _LONGEST_VALUE:
        return False
    if value.startswith(("/", "~/", "./")) and value.count("/") > 1:
        return False  # the path of a secret, and of much else
    if len(set(value)) < _SHORTEST_VALUE // 2:
        return False
    if value.isalpha():
        return len(value) >= _SHORTEST_WORD
    if all(char.isdigit() or char in "-.:/ " for char in value):
        return value.isdigit() and len(value) >= _SHORTEST_NUMBER
    words = value.replace("-", " ").replace("_", " ").replace(".", " ").split()
    if all(word.isalpha() and word.islower() for word in words):  # change-me-please, x.example.com
        return len(value) >= _SHORTEST_WORD
    return True


# -- values that stand beside their names ----------------------------------------------------------

_NAME = rf"(?:{SAYS_IT}|(?:(?<=_)|\b)(?:pass|pwd|pw|auth[-_]?key|auth))"
_QUIET = r"[^\s\"'`\\<>(){}\[\]$%*]"
# The secret is the group of each: a field of JSON, a line of a file of settings or of variables,
# and what an address has before its host, a header.
_VARIABLE = (
    r"(?!\w*(?:PUBLIC|CACHE|SORT|PRIMARY|FOREIGN))(?:[A-Z_][A-Z0-9_]{0,60}?)?"
    r"(?:PASS|PW|PWD|PASSWORD|PASSWD|SECRET|TOKEN|KEY|CREDENTIALS?|AUTH)(?:_[0-9]{1,2})?"
)
_SETTING = r"(?:[a-z][\w.-]{0,60})?(?:password|passwd|secret|token|secret_access_key|api_?key)"
_RANDOM = r"(?=\S*[0-9])(?=\S*[A-Za-z])[\w/+=-]{16,500}"
ASSIGNED = (
    rf"(?i)[\"'][\w.-]{{0,40}}{_NAME}[\"']\s{{0,4}}:\s{{0,4}}\"([^\"\\\s]{{6,500}})\"",
    rf"(?m)^\s{{0,8}}(?:export\s{{1,4}}|-\s)?{_VARIABLE}=[\"']?({_QUIET}{{6,500}})",
    rf"(?im)^\s{{0,8}}{_SETTING}\s{{0,4}}[=:]\s{{0,4}}({_RANDOM})\s*$",
    r"(?:\b[a-z][a-z0-9+.-]{1,30})?://[^\s/\"'<>@:]{0,99}:([^\s\"'<>@/]{3,200})@",
    rf"(?i)\b(?:bearer|basic)\s{{1,8}}({_RANDOM})",
    r"\bhttps?://([0-9a-f]{32})(?::[0-9a-f]{32})?@",
    rf"://({_RANDOM})@",
    # https://docs.npmjs.com/cli/configuring-npm/npmrc#auth-related-configuration
    rf"(?i)//[^\s=]{{1,200}}/:_(?:authToken|auth|password)\s{{0,4}}=\s{{0,4}}[\"']?({_QUIET}{{6,500}})",
    rf"(?im)^\s{{0,4}}_(?:authToken|auth|password)\s{{0,4}}=\s{{0,4}}({_RANDOM})\s*$",
    # Headers of HTTP, as curl -v and -i print them: https://www.rfc-editor.org/rfc/rfc6265#section-4
    r"(?im)^\s{0,4}(?:[<>]\s)?set-cookie:\s{0,4}[^=;\s]{1,100}=([^;\s]{6,2000})",
    r"(?im)^\s{0,4}(?:[<>]\s)?cookie:\s{0,4}[^=;\s]{1,100}=([^\r\n]{6,2000})",
    rf"(?im)^\s{{0,4}}(?:[<>]\s)?[\w-]{{0,40}}(?:api-?key|token)\s{{0,4}}:\s{{0,4}}({_RANDOM})\s*$",
    # Addresses that are signed: whoever knows one is let in
    r"(?im)(?:^|[?&])(?:sig|[\w-]{0,40}-signature)=([^&\s'\"<>]{16,500})",
    # https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html
    r"(?i)\bmachine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8}(\S{3,200})",
    r"(?im)^\s{0,8}password[ \t]{1,4}((?=\S*[0-9])(?=\S*[A-Za-z])[^\s\"'(){}=,;]{8,200})\s*$",
    # https://www.postgresql.org/docs/current/libpq-pgpass.html
    r"(?m)^[\w.*-]{1,100}:(?:543[0-9]|6432|\*):[^:\s/]{1,60}:[^:\s/]{1,60}:(\S{3,200})\s*$",
    # The keys of WireGuard, as wg genkey makes them
    r"(?m)^\s{0,4}(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4}([A-Za-z0-9+/]{43}=)\s*$",
)  # fmt: skip
_PLACEHOLDERS = frozenset(
    """
    admin changeme default dummy example fixme guest hidden localhost mysql none null pass passwd
    password placeholder postgres pw redacted rabbitmq redis root secret test testing todo token
    undefined user username yourpassword xxx
    """.split()
)
_SHORTEST_ASSIGNED = 6


def is_assigned_secret(value: str) -> bool:
    """Tell whether what stands beside the name of a secret is one, and not what stands for one."""
    plain = value.lower().strip("<>[]{}()$%*. ")
    is_short = len(plain) < _SHORTEST_ASSIGNED
    if is_short or plain in _PLACEHOLDERS or value[:1] in "$<{%[*(" or len(set(plain)) < 4:  # noqa: PLR2004
        return False
    words = plain.replace("-", " ").replace("_", " ").replace(".", " ").split()
    has_mark = any(char.isdigit() for char in value) or not value.replace("_", "").isalnum()
    is_word = all(word.isalpha() for word in words) and value == value.lower()
    if is_word and len(words) > 1 and not _PLACEHOLDERS.isdisjoint(words):
        return False
    return has_mark or not is_word or len(value) >= _SHORTEST_WORD
