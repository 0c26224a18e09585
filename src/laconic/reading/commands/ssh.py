"""ssh: logs in to another machine, or only asks a service for git whether it knows the user.

Unsafe: every other host, which gives a shell or runs a command, and all options but those of time.
These services say who the user is, and end:
https://docs.github.com/en/authentication/connecting-to-github-with-ssh/testing-your-ssh-connection
https://docs.gitlab.com/user/ssh/#verify-that-you-can-connect
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_ASKS = pattern(
    r"(?: (?:-[Tvq46]+|-o ?(?:ConnectTimeout=\d+|BatchMode=yes|LogLevel=\w+)))*"
    r" (?:git@(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)|hg@bitbucket\.org)"
    r"(?: (?:-[Tvq46]+))*"
)


def judge(call: Call) -> None:
    words = [word.text if word.is_static else None for word in call.arguments]
    if None not in words and _ASKS.fullmatch("".join(f" {word}" for word in words)):
        call.findings.clear()
        call.does(Effect.DOWNLOADS, Kind.NETWORK, "asks a service for git who the user is there")
    elif (parsed := call.parsed) is not None and not parsed.problems:
        for host in parsed.operands[:1]:
            if host.is_static:
                call.names(call.entry.why, f"logs in to {host.text}")
