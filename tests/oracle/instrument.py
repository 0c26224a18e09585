"""Insert the hooks of hooks.c into an unpacked bash 5.2 source tree: `instrument.py DIRECTORY`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

DECLARATIONS = """
#include <stddef.h>
extern size_t oracle_mark (void);
extern void oracle_forget (size_t);
extern void oracle_feed (const char *, const char *, size_t);
extern void oracle_array (WORD_LIST *);
extern void oracle_dump (COMMAND *);
extern int oracle_is_arithmetic (const char *, size_t);
static int oracle_introducer;
"""


class Edit(NamedTuple):
    """Code put before, after or in place of an anchor, in which any white space matches any other.

    The anchor must be found so many times and no more: a bash that is not 5.2 is noticed.
    """

    file: str
    where: str
    anchor: str
    code: str
    times: int = 1


# `before` is the length of the record so far: what was recorded since is forgotten again when
# bash is going to read the same text once more.
EDITS = [
    # the hooks must be known ahead of their first use
    Edit("y.tab.c", "before", "#define APPEND_NESTRET()", DECLARATIONS),
    # the inside of backquotes, wherever they stand
    Edit(
        "y.tab.c",
        "before",
        "ret[retind] = '\\0'; if (lenp) *lenp = retind; /*itrace(\"parse_matched_pair",
        'if (open == \'`\') oracle_feed ((flags & P_DQUOTE) ? "B" : "b", ret, retind - 1);',
    ),
    # here-document text (whose end is character 3, see hooks.c) treats backquotes as quotes do
    Edit(
        "y.tab.c",
        "instead",
        "MBTEST(open == '\"' && ch == '`')",
        "MBTEST((open == '\"' || open == 3) && ch == '`')",
    ),
    # '..' that does not quote: in arithmetic, subscripts, and in double-quoted ${x:-'..'}
    Edit(
        "y.tab.c",
        "after",
        "nestret = parse_matched_pair (ch, ch, ch, &nestlen, rflags);"
        " pop_delimiter (dstack); CHECK_NESTRET_ERROR ();",
        """
        if (ch == '\\'' && (tflags & LEX_WASDOL) == 0
            && (open == '[' || (flags & P_ARITH)
                || (open == '{' && (rflags & P_DQUOTE)
                    && dolbrace_state != DOLBRACE_QUOTE && dolbrace_state != DOLBRACE_QUOTE2)))
          oracle_feed ("t", nestret, nestlen - 1);
        """,
    ),
    # "${x:-$'..'}" is decoded first and expanded afterwards
    Edit(
        "y.tab.c",
        "before",
        "nestret = ttrans; nestlen = ttranslen;",
        'oracle_feed ("t", ttrans, ttranslen);',
    ),
    # ${x:-<<(a)}: the parser sees no substitution after `<<`, the expansion does and runs it
    Edit(
        "y.tab.c",
        "instead",
        "MBTEST((ch == '<' || ch == '>') && (tflags & LEX_GTLT) == 0)",
        "MBTEST(ch == '<' || ch == '>')",
    ),
    # what stands before `(` tells <((a)) from $((a))
    Edit(
        "y.tab.c",
        "before",
        "nestret = parse_comsub (0,",
        "oracle_introducer = retind > 1 ? ret[retind - 2] : '$',",
    ),
    Edit("y.tab.c", "before", "ttok = parse_comsub (cd,", "oracle_introducer = character;"),
    # $((a) | b): commands after all
    Edit(
        "y.tab.c",
        "instead",
        "return (parse_matched_pair (qc, open, close, lenp, P_ARITH));",
        """
        {
          size_t before = oracle_mark ();
          int introducer = oracle_introducer, length;
          ret = parse_matched_pair (qc, open, close, &length, P_ARITH);
          if (ret == &matched_pair_error)
            return ret;
          if (lenp)
            *lenp = length;
          if (introducer != '$' || oracle_is_arithmetic (ret, length) == 0)
            {
              oracle_forget (before);
              oracle_feed ("c", ret, length - 1);
            }
          return ret;
        }
        """,
    ),
    # the commands of $(..), <(..), >(..)
    Edit(
        "y.tab.c",
        "before",
        "tcmd = print_comsub (parsed_command);",
        "oracle_dump (parsed_command);",
    ),
    # ((a) | b): a subshell after all
    Edit(
        "y.tab.c",
        "before",
        "sline = line_number; cmdtyp = parse_arith_cmd (&wval, 0);",
        "size_t before = oracle_mark ();",
    ),
    Edit("y.tab.c", "before", "push_string (wval, 0, (alias_t *)NULL);", "oracle_forget (before);"),
    # extended globs and groups of regular expressions: text until they are expanded
    Edit(
        "y.tab.c",
        "before",
        "ttok = parse_matched_pair (cd, '(', ')', &ttoklen, 0);",
        "size_t before = oracle_mark ();",
        times=2,
    ),
    Edit(
        "y.tab.c",
        "after",
        "token_index += ttoklen; FREE (ttok); dollar_present = all_digit_token = 0;",
        'oracle_forget (before); oracle_feed ("p", token + token_index - ttoklen, ttoklen - 1);',
        times=2,
    ),
    # bash may parse a substitution once more to find its end: that is not a second command
    Edit(
        "y.tab.c",
        "before",
        'nc = parse_string (string, "command substitution", sflags, (COMMAND **)NULL, &ep);',
        "size_t before = oracle_mark ();",
    ),
    Edit(
        "y.tab.c",
        "after",
        'nc = parse_string (string, "command substitution", sflags, (COMMAND **)NULL, &ep);',
        "oracle_forget (before);",
    ),
    # the elements of name=(..)
    Edit("y.tab.c", "before", "ret = string_list (rl);", "oracle_array (rl);"),
    Edit(
        "y.tab.c",
        "instead",
        "ret = (char *)NULL; if (retlenp) *retlenp = (ret && *ret)",
        """
        {
          oracle_array ((WORD_LIST *)NULL);
          ret = (char *)NULL;
        }
        if (retlenp)
          *retlenp = (ret && *ret)
        """,
    ),
    # a complete line
    Edit(
        "eval.c",
        "after",
        "if (need_here_doc) gather_here_documents ();",
        """
        if (r == 0)
          {
            extern void oracle_dump (COMMAND *), oracle_option (COMMAND *);
            oracle_dump (global_command);
            oracle_option (global_command);
          }
        """,
    ),
    # many texts in one process
    Edit(
        "shell.c",
        "after",
        "uwp_init ();",
        """
        extern char *oracle_serve (char *);
        command_execution_string = oracle_serve (command_execution_string);
        """,
    ),
]


def edited(text: str, edit: Edit) -> str:
    pattern = re.compile(r"\s+".join(map(re.escape, edit.anchor.split())))
    found = list(pattern.finditer(text))
    if len(found) != edit.times:
        sys.exit(f"{edit.file}: expected {edit.times} of {edit.anchor!r}, found {len(found)}")
    for match in reversed(found):
        start = match.end() if edit.where == "after" else match.start()
        end = match.start() if edit.where == "before" else match.end()
        text = f"{text[:start]}\n{edit.code}\n{text[end:]}"
    return text


def main() -> None:
    source = Path(sys.argv[1])
    for name in ("eval.c", "shell.c", "y.tab.c"):
        path = source / name
        text = path.read_text("latin-1")
        for edit in EDITS:
            if edit.file == name:
                text = edited(text, edit)
        if name == "y.tab.c":
            text += "\n" + Path(__file__).with_name("hooks.c").read_text()
        path.write_text(text, "latin-1")
    # The generated parser is the one that is built; without this, make would look for bison.
    for name in ("y.tab.c", "y.tab.h", "parser-built"):
        (source / name).touch()


if __name__ == "__main__":
    main()
