"""Which environment variables may be set without a question."""

from __future__ import annotations

import re

from laconic.lazy import pattern

# An accept-list: any other variable may make a harmless program run or load something.
_HARMLESS = frozenset(
    """
    LANG LANGUAGE TZ TERM COLUMNS LINES CI DEBUG VERBOSE LOG_LEVEL LOGLEVEL SOURCE_DATE_EPOCH
    NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLORTERM GREP_COLORS LS_COLORS
    TIME_STYLE BLOCK_SIZE BLOCKSIZE QUOTING_STYLE POSIXLY_CORRECT DEBIAN_FRONTEND
    RUST_LOG RUST_BACKTRACE RUST_LIB_BACKTRACE CARGO_INCREMENTAL
    GO111MODULE CGO_ENABLED GOOS GOARCH NODE_ENV NODE_NO_WARNINGS NEXT_TELEMETRY_DISABLED
    GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_AUTHOR_DATE GIT_COMMITTER_DATE
    PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED
    PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_COLOR DOTNET_NOLOGO DOTNET_CLI_TELEMETRY_OPTOUT
    TF_LOG TF_IN_AUTOMATION ANSIBLE_NOCOLOR ANSIBLE_FORCE_COLOR CLOUDSDK_CORE_DISABLE_PROMPTS
    AWS_REGION AWS_DEFAULT_REGION AWS_PROFILE AWS_DEFAULT_OUTPUT AWS_ACCESS_KEY_ID
    AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_SDK_LOAD_CONFIG
    CLOUDSDK_CORE_PROJECT CLOUDSDK_ACTIVE_CONFIG_NAME GOOGLE_CLOUD_PROJECT
    DOCKER_CONTEXT DOCKER_CLI_HINTS DOCKER_BUILDKIT DOCKER_DEFAULT_PLATFORM
    COMPOSE_PROJECT_NAME COMPOSE_PROFILES HELM_NAMESPACE HELM_KUBECONTEXT
    PGPORT PGUSER PGDATABASE PGPASSWORD PGAPPNAME PGCONNECT_TIMEOUT PGTZ PGCLIENTENCODING
    MYSQL_PWD REDISCLI_AUTH VAULT_NAMESPACE
    TERM_PROGRAM TQDM_DISABLE TF_CPP_MIN_LOG_LEVEL OMP_NUM_THREADS MKL_NUM_THREADS
    OPENBLAS_NUM_THREADS RAYON_NUM_THREADS GOMAXPROCS TOKIO_WORKER_THREADS CUDA_VISIBLE_DEVICES
    NPM_CONFIG_LOGLEVEL npm_config_loglevel NO_UPDATE_NOTIFIER DISABLE_TELEMETRY DO_NOT_TRACK
    CHECKPOINT_DISABLE TF_WORKSPACE DRY_RUN
    LACONIC_DISABLED LACONIC_NO_FILTER LACONIC_VERBOSE
    """.split()
)
# Names that RFC 3092 records as standing for no thing in particular: no program listens to them.
_PLACEHOLDERS = frozenset(
    "foo bar baz qux quux corge grault garply waldo fred plugh xyzzy thud foobar".split()
)
# The manual of the GNU coreutils names every variable that these programs read
# (https://www.gnu.org/software/coreutils/manual/): none tells who the user is or where the home is.
_COREUTILS = frozenset(
    """
    b2sum base32 base64 basename basenc cat cksum comm cut date df dir dirname du echo expand expr
    factor false fmt fold groups head hostid id join link logname ls md5sum nl nproc numfmt od paste
    pathchk pinky pr printenv printf ptx pwd readlink realpath rev seq sha1sum sha224sum sha256sum
    sha384sum sha512sum shuf sleep stat sum tac tail test tr true tsort tty uname unexpand uniq
    uptime users vdir wc who whoami yes
    """.split()
)
_UNHEARD = frozenset("HOME USER LOGNAME MAIL EDITOR VISUAL BROWSER DISPLAY".split())
_HARMLESS_PREFIXES = ("LC_", "CARGO_TERM_", "HOMEBREW_NO_", "TF_VAR_")
# Setting these to nothing or to a plain pass-through only switches a pager off.
_PAGERS = frozenset("PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER GH_PAGER BAT_PAGER AWS_PAGER".split())
_PLAIN_PAGERS = frozenset(("", "cat", "less", "more"))
# Servers that are sent a token or a password as soon as they are asked something.
_SERVERS = frozenset(
    """
    DOCKER_HOST VAULT_ADDR CONSUL_HTTP_ADDR NOMAD_ADDR AWS_ENDPOINT_URL PGHOST MYSQL_HOST
    """.split()
)
_ON_THIS_MACHINE = pattern(
    r"unix://.*|(?:(?:tcp|https?)://)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/[^@\\]*)?"
)
# Variables that a shell itself listens to, or that programs do once they are exported.
_LISTENED_TO = pattern(
    r"""PATH | IFS | PS[0-4] | ENV | BASH.* | SHELL.* | PROMPT_.* | CDPATH | GLOBIGNORE | HIST.*
    | HOME | PWD | OLDPWD | TMPDIR | TMOUT | TIMEFORMAT | OPT(?:ARG|ERR|IND) | LD_.* | DYLD_.*
    | FUNC.* | COMP.* | READLINE.* | EXECIGNORE | FIGNORE | HOSTFILE | INPUTRC | MAIL.* | FCEDIT
    | EDITOR | VISUAL | .*PAGER | UID | EUID | PPID | RANDOM | SECONDS | DIRSTACK | GROUPS | REPLY
    | MAPFILE | COPROC | GIT_.* | PYTHON.* | NODE_.* | PERL.* | RUBY.* | JAVA.* | .*_OPTIONS
    | .*_(?:proxy|PROXY) | LESS.* | functions | commands | aliases | fpath | path | precmd.*
    | chpwd.* | NULLCMD | READNULLCMD | ZDOTDIR | TEXTDOMAIN.* | cdpath | module_path
    | MODULE_PATH""",
    re.VERBOSE,
)
# `IFS=, read -r a b` splits that one line, and nothing else.
_READ_LINES = frozenset("read mapfile readarray".split())
_TRUSTED_PATH = pattern(r"/(?:usr/(?:local/)?)?s?bin(?::/(?:usr/(?:local/)?)?s?bin)*")


def is_harmless(name: str, value: str | None, program: str | None = None) -> bool:
    """Tell whether a program may be started with this variable; None: a value not known."""
    if name == "IFS" and program in _READ_LINES:
        return True
    if name in _PAGERS:
        return value in _PLAIN_PAGERS
    if name == "PATH":
        return value is not None and _TRUSTED_PATH.fullmatch(value) is not None
    if name in _SERVERS:
        return value is not None and is_on_this_machine(value)
    if name.lower() in _PLACEHOLDERS:
        return True
    return name in _HARMLESS or name.startswith(_HARMLESS_PREFIXES)


def is_unheard(name: str, program: str | None) -> bool:
    """Tell whether this program does not read the variable, as its manual says.

    Only for what env(1) sets: in fish, `HOME=x cat ~/y` also says where the home is.
    """
    return name in _UNHEARD and program in _COREUTILS


def is_on_this_machine(address: str) -> bool:
    return _ON_THIS_MACHINE.fullmatch(address) is not None


# The registries that package managers use if nobody names another.
_PUBLIC_REGISTRIES = frozenset(
    """
    https://pypi.org/simple https://test.pypi.org/simple https://registry.npmjs.org
    https://registry.yarnpkg.com
    """.split()
)


def is_known_server(address: str) -> bool:
    is_socket = address.startswith("/")
    return is_socket or is_on_this_machine(address) or address.rstrip("/") in _PUBLIC_REGISTRIES


def is_private(name: str, environment: dict[str, str]) -> bool:
    """Tell whether `name=value` alone only sets a variable of the script's own."""
    if is_harmless(name, None):
        return True
    return _LISTENED_TO.fullmatch(name) is None and name not in environment
