"""Whether a piece of SQL only reads: one statement, read strictly; the rest does not pass.

The reader must never see less code than any of the databases does. So it knows no backslash (an
escape in some, a client command in others), no `#` and no `--` without a blank (comments in some
only), no `/*!` (code in MySQL) and no dollar quotes. Functions are accepted by name, because any
other may write.
"""

from __future__ import annotations

import re
from itertools import pairwise

from laconic.lazy import pattern

_TOKEN = pattern(
    r"""(?P<space> [ \t\n]+ | --(?=[ \t\n]|$)[^\n]* | /\*(?![!+M])(?:(?!/\*|\*/).)*\*/)
    | (?P<string> '(?:[^'\\]|'')*')
    | (?P<quoted> "(?:[^"\\]|"")*" | `[\w $.-]*` | \[[\w .-]*\])
    | (?P<number> (?:0[xX][0-9A-Fa-f]+ | [0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)? | \.[0-9]+)
      (?![\w.]))
    | (?P<word> [A-Za-z_@][\w@]*)
    | (?P<end> ;)
    | (?P<sign> -(?!-) | /(?!\*) | [+*%=<>,().:~^&?{}] | \|\|?
      | !=|!~\*? | \$[0-9]+)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f]")  # some end a comment, in some databases
_BRACKET = pattern(r"[\[\]]")
_BRACKETS_QUOTE = frozenset(("sqlite3", "sqlcmd"))

_READING = frozenset(
    "select with values show describe desc explain table summarize from pragma".split()
)
# Only these dialects know the word as the beginning of a query.
_BEGINS_IN = {
    "table": ("psql",),
    "summarize": ("duckdb",),
    "from": ("duckdb",),
    "pragma": ("sqlite3", "duckdb"),
}
_WRITING = frozenset(
    """
    insert update delete merge upsert replace into outfile dumpfile create drop alter truncate
    rename grant revoke deny copy unload load import export install attach detach call exec
    execute do prepare deallocate declare set reset lock unlock vacuum reindex optimize begin
    commit rollback savepoint backup restore shutdown kill dbcc reconfigure waitfor bulk
    openrowset openquery opendatasource writetext updatetext checkpoint enable disable use
    receive send conversation
    """.split()
)
_BEFORE_PARENTHESIS = frozenset(
    """
    select from where and or not in exists any all some as on using join lateral values over
    when then else case between union except intersect minus limit offset by having distinct
    filter group order partition with is like ilike similar interval explain row array map
    struct range rows format fetch top return apply varchar nvarchar char nchar character text
    decimal numeric number float double real int integer bigint smallint tinyint bit date time
    timestamp datetime datetime2 timestamptz binary varbinary blob uuid json jsonb boolean
    nolock fixedstring nullable datetime64 enum8 tuple
    """.split()
)
_FUNCTIONS = frozenset(
    """
    abs acos age any_value approx_count_distinct approx_distinct approx_percentile arg_max
    arg_min argmax argmin array_agg array_append array_cat array_contains array_length
    array_position array_to_string arrayjoin ascii asin atan atan2 avg avgif base64 bit_count
    bit_length bool_and bool_or btrim cardinality case cast cbrt ceil ceiling changes char
    char_length character_length charindex choose chr coalesce col_description col_name concat
    concat_ws connection_id contains convert corr cos cot count count_if countif cume_dist
    curdate current_database current_date current_schema current_schemas current_setting
    current_time current_timestamp current_user curtime database databasepropertyex datalength
    date date_add date_diff date_format date_part date_sub date_trunc dateadd datediff datename
    datepart datetime datetrunc day dayname dayofmonth dayofweek dayofyear db_id db_name decode
    degrees dense_rank div duckdb_columns duckdb_extensions duckdb_functions duckdb_settings
    duckdb_tables element_at elt encode ends_with eomonth epoch epoch_ms every exp extract field
    find_in_set first first_value flatten floor format format_date format_timestamp format_type
    formatreadablesize found_rows from_base64 from_unixtime generate_series generate_subscripts
    getdate getutcdate glob greatest group_concat grouparray grouping groupuniqarray
    has_database_privilege has_schema_privilege has_table_privilege hex histogram host_name hour
    if ifnull iif index_col inet_client_addr inet_server_addr inet_server_port initcap instr
    isdate isnull json json_agg json_array json_array_elements json_array_elements_text
    json_array_length json_build_object json_contains json_each json_each_text json_extract
    json_extract_path json_extract_path_text json_extract_scalar json_group_array
    json_group_object json_keys json_length json_object json_object_agg json_object_keys
    json_query json_tree json_type json_typeof json_unquote json_valid json_value jsonb_agg
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_object
    jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg
    jsonb_object_keys jsonb_pretty jsonb_typeof julianday lag last last_day last_insert_id
    last_value lcase lead least left len length list list_contains listagg ln localtime
    localtimestamp locate log log10 log2 lower lpad ltrim make_date make_timestamp map_keys
    map_values max max_by md5 median mid min min_by minute mod mode month monthname newid now
    nth_value ntile nullif nvl nvl2 obj_description object_definition object_id object_name
    octet_length openjson parquet_metadata parquet_schema parse parse_date patindex percent_rank
    percentile_cont percentile_disc pg_backend_pid pg_blocking_pids pg_column_size
    pg_current_wal_lsn pg_database_size pg_encoding_to_char pg_get_constraintdef pg_get_expr
    pg_get_function_arguments pg_get_functiondef pg_get_indexdef pg_get_serial_sequence
    pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_indexes_size pg_is_in_recovery
    pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp
    pg_postmaster_start_time pg_relation_size pg_size_pretty pg_stat_get_activity
    pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_typeof
    pg_wal_lsn_diff pi position pow power pragma_database_list pragma_foreign_key_list
    pragma_index_info pragma_index_list pragma_table_info pragma_table_list pragma_table_xinfo
    printf quantile quantiles quarter quote quote_ident quote_literal radians rand random range
    rank read_csv read_csv_auto read_json read_json_auto read_parquet regexp_count
    regexp_extract regexp_extract_all regexp_instr regexp_like regexp_match regexp_matches
    regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace
    replicate reverse right round row_count row_number row_to_json rpad rtrim safe_cast schema
    schema_name second sequence serverproperty session_user sha1 sha2 sha256 sha512 sign sin
    sniff_csv soundex space split split_part sqlite_version sqrt starts_with stddev stddev_pop
    stddev_samp str str_to_date strftime string_agg string_to_array strpos stuff substr
    substring substring_index sum sum_if sumif suser_name suser_sname sysdate sysdatetime tan
    time timediff timestamp_add timestamp_diff timestamp_sub timestamp_trunc timestampadd
    timestampdiff to_base64 to_char to_date to_hex to_json to_jsonb to_number to_regclass
    to_timestamp todate todatetime tofloat64 tohour toint32 toint64 topk tostartofday
    tostartofhour tostartofinterval tostartofminute tostartofmonth tostring total total_changes
    touint64 toyyyymm transform translate trim trunc truncate try_cast try_convert type_name
    typeof ucase unhex unicode uniq uniqexact unix_timestamp unixepoch unnest upper user
    user_name utc_timestamp var_pop var_samp variance version week weekday width_bucket year
    """.split()
)
_DROP = pattern(
    r"drop (?:table|index|view) (?:if exists )?(?!temp|memory|system)[a-z_]\w*(?: \. [a-z_]\w*)?"
    r"(?: ;)?"
)
_PRAGMAS_WITH_NAME = frozenset(
    """
    table_info table_xinfo index_list index_info index_xinfo foreign_key_list foreign_key_check
    integrity_check quick_check storage_info show
    """.split()
)
_PRAGMAS = _PRAGMAS_WITH_NAME | frozenset(
    """
    application_id auto_vacuum cache_size collation_list collations compile_options data_version
    database_list database_size encoding foreign_keys freelist_count function_list functions
    journal_mode max_page_count module_list page_count page_size platform pragma_list
    schema_version show_tables show_tables_expanded synchronous table_list user_version version
    """.split()
)


def problem(sql: str, program: str) -> str:
    """Why this text may do more than read, or nothing."""
    tokens = _tokens(sql, program)
    if tokens is None:
        return "is not understood"
    statements = [part for part in _split(tokens) if part]
    if len(statements) != 1:
        return "is not one statement"
    words = [text.lower() for _, text in statements[0]]
    kinds = [kind for kind, _ in statements[0]]
    if (
        kinds[0] != "word"
        or words[0] not in _READING
        or program not in _BEGINS_IN.get(words[0], (program,))
    ):
        return f"begins with {words[0].upper()[:20]}"
    if words[0] == "pragma":
        return _pragma_problem(words)
    return _words_problem(kinds, words)


def drops_something(sql: str, program: str) -> bool:
    """Tell whether it is one plain DROP of a table, an index or a view of the file itself.

    Other changes hold expressions, which run before the write is refused; temporary tables are not
    in the file, and DuckDB's secrets are files of their own.
    """
    words = " ".join(text.lower() for _, text in _tokens(sql, program) or ())
    return _DROP.fullmatch(words) is not None


def _tokens(sql: str, program: str) -> list[tuple[str, str]] | None:
    if _CONTROL.search(sql):
        return None
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(sql):
        bracket = _BRACKET.match(sql, at) if program not in _BRACKETS_QUOTE else None
        match = bracket or _TOKEN.match(sql, at)
        if match is None:
            return None
        at = match.end()
        kind = "sign" if bracket else match.lastgroup
        if kind is not None and kind != "space":
            found.append((kind, match.group()))
    return found


def _split(tokens: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    parts: list[list[tuple[str, str]]] = [[]]
    for token in tokens:
        if token[0] == "end":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _words_problem(kinds: list[str], words: list[str]) -> str:
    if ("next", "value") in pairwise(words):
        return "takes a value from a sequence"
    is_show = words[0] == "show"  # `SHOW CREATE TABLE` and `SHOW GRANTS` show
    for pos, (kind, word) in enumerate(zip(kinds, words, strict=True)):
        called = pos + 1 < len(words) and words[pos + 1] == "("
        if kind == "word" and word in _WRITING and not (called and word in _FUNCTIONS):
            if not is_show or word in ("into", "outfile", "dumpfile"):
                return f"has {word.upper()}"
        elif called and kind == "word":
            qualified = pos > 0 and words[pos - 1] == "."
            if qualified or word not in _FUNCTIONS | _BEFORE_PARENTHESIS:
                return f"calls {word}()"
        elif called and kind in ("quoted", "string"):
            return f"calls {word}()"
    return ""


def _pragma_problem(words: list[str]) -> str:
    name, rest = words[1] if len(words) > 1 else "", words[2:]
    plain = name in _PRAGMAS and not rest
    named = name in _PRAGMAS_WITH_NAME and len(rest) == 3 and rest[0] == "(" and rest[2] == ")"  # noqa: PLR2004
    return "" if plain or named else f"sets or runs PRAGMA {name}"
