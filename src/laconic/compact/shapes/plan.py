"""The plan of Terraform: each resource with its changes; of those that are alike what differs."""

from __future__ import annotations

from laconic.compact.shapes.rows import indent_of, placed, raw_of, whole
from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.compact.result import Row
    from laconic.compact.shapes.asked import Asked
    from laconic.compact.shapes.rows import Texts

_HEAD = pattern(r"  # (?P<address>\S.*?) (?P<action>(?:will|must) be .*)")
_REASON = pattern(r"  # \(.*\)")
_OPEN = pattern(r"(?: {2}[-+~]|-/\+|\+/-| <=) (?:resource|data) \"[^\"]+\" \"[^\"]+\" \{")
_CLOSE = pattern(r"    \}")
_KEY = pattern(r"\[[^\[\]]*\]$")
_SIGNED = pattern(r" +[-+~] (?!id +=).*")
# A list or an object of which nothing is known yet: its beginning, its values and its end.
_BEGIN = pattern(r" +\+ [^=]*= [\[{]")
_UNKNOWN = pattern(r" +\+ (?:[^=]*= )?\(known after apply\),?")
_END = pattern(r" +[\]}],?")
_DONE = pattern(r"(?:Apply|Destroy) complete! Resources: .*")
_COMPLETE = pattern(r"(?P<address>\S.*?): (?:Creation|Destruction) complete after ")
_NEW_OR_OLD = ("will be created", "will be destroyed")


def may_belong(text: str) -> bool:
    """Tell whether a line may be left out or changed: the address of a single resource is not."""
    if head := _HEAD.fullmatch(text):
        return _KEY.search(head["address"]) is not None
    return text[:1].isspace() or _OPEN.fullmatch(text) is not None


def plan(rows: list[Row], texts: Texts, asked: Asked) -> list[Row]:
    """Leave out the frame of each resource, and what one has in common with another.

    After they were applied, resources that are new or gone are only named.
    """
    lines = raw_of(rows)
    heads = [pos for pos, index in enumerate(lines) if _HEAD.fullmatch(texts[index])]
    if not heads:
        return rows
    is_done = not asked.status and any(_DONE.fullmatch(texts[i]) for i in lines)
    found = (_COMPLETE.match(texts[i]) for i in lines if is_done)
    done = {match["address"] for match in found if match}
    gone = _unknown(lines, texts)
    gone.update(i for i in lines[: heads[-1]] if not texts[i].strip())
    instead: dict[int, list[Row]] = {}
    alike: dict[tuple[str, str], list[str]] = {}  # the attributes of the first of a kind
    for pos in heads:
        head = _HEAD.fullmatch(texts[lines[pos]])
        assert head
        frame, body = _block(lines, pos + 1, texts)
        gone.update(frame)
        body = [i for i in body if i not in gone]
        if head["address"] in done and head["action"] in _NEW_OR_OLD:
            gone.update(body)
            continue
        kind = _KEY.sub("", head["address"]), head["action"]
        if kind not in alike:
            alike[kind] = [texts[i] for i in body]
            continue
        first = alike[kind]
        if len(first) != len(body) or not body:
            continue
        other = {i for i, text in zip(body, first, strict=True) if texts[i] != text}
        other = {i for i in other if _SIGNED.fullmatch(texts[i])}
        gone.update(set(body) - _with_parents(other, body, texts))
        instead[lines[pos]] = [whole(f"{texts[lines[pos]]} [else as the first]", [lines[pos]])]
    return placed(rows, instead, gone)


def _with_parents(wanted: set[int], body: list[int], texts: Texts) -> set[int]:
    """These lines, and those that begin the lists and objects around them."""
    found = set(wanted)
    for pos, index in enumerate(body):
        depth = indent_of(texts[index]) if index in wanted else 0
        for above in reversed(body[:pos]):
            if indent_of(texts[above]) < depth:
                depth = indent_of(texts[above])
                found.add(above)
    return found


def _block(lines: list[int], pos: int, texts: Texts) -> tuple[list[int], list[int]]:
    """What is around the attributes of a resource and says no more than its address; and these."""
    while pos < len(lines) and _REASON.fullmatch(texts[lines[pos]]):
        pos += 1
    if pos == len(lines) or not _OPEN.fullmatch(texts[lines[pos]]):
        return [], []
    start = pos
    while pos + 1 < len(lines) and texts[lines[pos + 1]].startswith("      "):
        pos += 1
    frame = [lines[start]]
    if pos + 1 < len(lines) and _CLOSE.fullmatch(texts[lines[pos + 1]]):
        frame.append(lines[pos + 1])
    return frame, lines[start + 1 : pos + 1]


def _unknown(lines: list[int], texts: Texts) -> set[int]:
    """New lists and objects whose values are all known after the plan was applied."""
    found: set[int] = set()
    begin = -1
    for pos, index in enumerate(lines):
        text = texts[index]
        if _BEGIN.fullmatch(text):
            begin = pos
        elif begin >= 0 and _END.fullmatch(text) and pos > begin:
            found.update(lines[begin : pos + 1])
            begin = -1
        elif not _UNKNOWN.fullmatch(text):
            begin = -1
    return found
