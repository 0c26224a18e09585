"""grep and its kin: the first operand is a pattern unless -e or -f gives one; the others are read.

Unsafe: nothing in grep itself but reading secrets; rg, ag and ack have tables for their options.
"""

from __future__ import annotations

from laconic.tools.options import Reading, Spec, parse_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_OPTIONS = Spec("""
  -e=V -f=V -m=V -d=V -D=V -A=V -B=V -C=V -NUM --regexp=V --file=V --max-count=V --directories=V
  --devices=V --after-context=V --before-context=V --context=V --include=V --exclude=V
  --exclude-from=V --exclude-dir=V --label=V --binary-files=V --group-separator=V
  -E -F -G -P -i -y -w -x -z -s -v -V -b -n -H -h -o -q -a -I -r -R -L -l -c -T -Z -U -u *
""")


def judge(call: Call) -> None:
    parsed = call.parsed or parse_options(call.arguments, Reading(_OPTIONS))
    patterns = parsed.has("-e", "--regexp", "-f", "--file", "--files", "--type-list")
    for file in parsed.operands[0 if patterns else 1 :]:
        call.reads(file)
    for file in parsed.values("-f", "--file", "--exclude-from"):
        call.reads(file)
