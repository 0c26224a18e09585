"""Whether a piece of SQL only reads: every statement, read strictly; the rest does not pass.

The reader must never see less code than any of the databases does. So it knows no backslash (an
escape in some, a client command in others), no `#` and no `--` without a blank (comments in some
only), no `/*!` (code in MySQL) and no dollar quotes. Functions are accepted by name, because any
other may write.
"""

from __future__ import annotations

import re
from itertools import pairwise

from laconic.patterns import pattern

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

# Clients whose manuals say that one text may hold several statements, and what becomes of them:
# psql(1), -c; mysql, --execute; https://sqlite.org/cli.html.
_TAKES_SEVERAL = frozenset(("mariadb", "mysql", "psql", "sqlite3"))
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
# Core, date, mathematical, JSON and FTS5 functions of SQLite (https://sqlite.org/lang_corefunc.html
# and the pages beside it), and the functions of PostgreSQL (chapter 9 of its manual), MySQL (12),
# DuckDB and SQL Server that compute something and read what is in the database.
_FUNCTIONS = frozenset(
    """
    abs acos acosh adddate addtime age any_value approx_count_distinct approx_distinct
    approx_percentile arg_max arg_min argmax argmin array_agg array_append array_cat
    array_contains array_fill array_length array_lower array_ndims array_position array_positions
    array_prepend array_remove array_replace array_to_string array_upper arrayjoin ascii asin
    asinh atan atan2 atanh avg avgif bar base64 bin bin_to_uuid bit_and bit_count bit_length
    bit_or bit_xor bm25 bool_and bool_or btrim cardinality case cast cbrt ceil ceiling changes
    char char_length character_length charindex choose chr clock_timestamp coalesce
    col_description col_name concat concat_ws connection_id contains conv convert convert_tz corr
    cos cosh cot count count_if countif covar_pop covar_samp crc32 cume_dist curdate
    current_database current_date current_role current_schema current_schemas current_setting
    current_time current_timestamp current_user curtime damerau_levenshtein database
    databasepropertyex datalength date date_add date_bin date_diff date_format date_part date_sub
    date_trunc dateadd datediff datefromparts datename datepart datetime datetimefromparts
    datetrunc day dayname dayofmonth dayofweek dayofyear db_id db_name decode degrees dense_rank
    div duckdb_columns duckdb_extensions duckdb_functions duckdb_settings duckdb_tables element_at
    elt encode ends_with eomonth epoch epoch_ms epoch_ns epoch_us every exp export_set extract
    family field find_in_set first first_value flatten floor format format_date format_timestamp
    format_type formatreadablesize found_rows from_base64 from_days from_unixtime gen_random_uuid
    generate_series generate_subscripts getdate getutcdate glob greatest group_concat grouparray
    grouping groupuniqarray hamming has_any_column_privilege has_column_privilege
    has_database_privilege has_function_privilege has_schema_privilege has_sequence_privilege
    has_table_privilege hex highlight histogram host host_name hour if ifnull iif index_col
    inet_aton inet_client_addr inet_ntoa inet_server_addr inet_server_port initcap instr is_ipv4
    is_ipv6 is_uuid isdate isempty isfinite isnull isnumeric jaccard json json_agg json_array
    json_array_elements json_array_elements_text json_array_length json_arrayagg json_build_array
    json_build_object json_contains json_contains_path json_depth json_each json_each_text
    json_error_position json_extract json_extract_path json_extract_path_text json_extract_scalar
    json_group_array json_group_object json_insert json_keys json_length json_merge_patch
    json_merge_preserve json_object json_object_agg json_object_keys json_objectagg json_overlaps
    json_patch json_populate_recordset json_pretty json_query json_quote json_remove json_replace
    json_search json_set json_storage_size json_strip_nulls json_to_record json_to_recordset
    json_tree json_type json_typeof json_unquote json_valid json_value jsonb jsonb_agg jsonb_array
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array
    jsonb_build_object jsonb_each jsonb_each_text jsonb_extract jsonb_extract_path
    jsonb_extract_path_text jsonb_group_array jsonb_group_object jsonb_insert jsonb_object
    jsonb_object_agg jsonb_object_keys jsonb_patch jsonb_path_exists jsonb_path_match
    jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_remove
    jsonb_replace jsonb_set jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_tree
    jsonb_typeof julianday justify_days justify_hours justify_interval lag last last_day
    last_insert_id last_insert_rowid last_value lcase lead least left len length levenshtein like
    likelihood likely list list_aggregate list_contains list_distinct list_extract list_filter
    list_has_any list_position list_reduce list_sort list_sum list_transform list_unique
    list_value list_zip listagg ln localtime localtimestamp locate log log10 log2 lower lower_inc
    lower_inf lpad ltrim make_date make_interval make_set make_time make_timestamp
    make_timestamptz makedate maketime map_entries map_extract map_from_entries map_keys
    map_values masklen matchinfo max max_by md5 median microsecond mid min min_by minute mod mode
    month monthname netmask network newid now nth_value ntile nullif num_nonnulls num_nulls nvl
    nvl2 obj_description object_definition object_id object_name oct octet_length offsets openjson
    ord overlay parquet_metadata parquet_schema parse parse_date parsename patindex percent_rank
    percentile_cont percentile_disc period_add period_diff pg_backend_pid pg_blocking_pids
    pg_column_size pg_conf_load_time pg_current_wal_lsn pg_database_size pg_describe_object
    pg_encoding_to_char pg_function_is_visible pg_get_constraintdef pg_get_expr
    pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result
    pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_partkeydef pg_get_ruledef
    pg_get_serial_sequence pg_get_statisticsobjdef pg_get_triggerdef pg_get_userbyid
    pg_get_viewdef pg_has_role pg_identify_object pg_indexes_size pg_is_in_recovery
    pg_jit_available pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp
    pg_postmaster_start_time pg_relation_filenode pg_relation_filepath pg_relation_size
    pg_size_pretty pg_stat_get_activity pg_table_is_visible pg_table_size pg_tablespace_location
    pg_tablespace_size pg_total_relation_size pg_type_is_visible pg_typeof pg_wal_lsn_diff
    phraseto_tsquery pi plainto_tsquery position pow power pragma_database_list
    pragma_foreign_key_list pragma_index_info pragma_index_list pragma_table_info
    pragma_table_list pragma_table_xinfo printf quantile quantile_cont quantile_disc quantiles
    quarter quote quote_ident quote_literal quote_nullable quotename radians rand random
    randomblob range rank read_csv read_csv_auto read_json read_json_auto read_parquet
    regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
    regr_count regr_intercept regr_r2 regr_slope repeat replace replicate reverse right round
    row_count row_number row_to_json rpad rtrim safe_cast scale schema schema_name sec_to_time
    second sequence serverproperty session_user sha1 sha2 sha256 sha512 shobj_description sign
    similarity sin sinh sniff_csv snippet soundex space split split_part sqlite_compileoption_get
    sqlite_compileoption_used sqlite_offset sqlite_source_id sqlite_version sqrt starts_with
    statement_timestamp stddev stddev_pop stddev_samp str str_to_date strftime string_agg
    string_split string_to_array strip_accents strlen strpos strptime struct_extract struct_pack
    stuff subdate substr substring substring_index subtime sum sum_if sumif suser_name suser_sname
    switchoffset sysdate sysdatetime sysdatetimeoffset system_user sysutcdatetime tan tanh time
    time_bucket time_format time_to_sec timediff timeofday timestamp_add timestamp_diff
    timestamp_sub timestamp_trunc timestampadd timestampdiff to_base64 to_char to_date to_days
    to_hex to_json to_jsonb to_number to_regclass to_seconds to_timestamp to_tsquery to_tsvector
    todate todatetime tofloat64 tohour toint32 toint64 topk tostartofday tostartofhour
    tostartofinterval tostartofminute tostartofmonth tostring total total_changes touint64
    toyyyymm transaction_timestamp transform translate trim trunc truncate try_cast try_convert
    ts_headline ts_rank ts_rank_cd type_name typeof ucase unhex unicode uniq uniqexact unistr
    unistr_quote unix_timestamp unixepoch unlikely unnest upper upper_inc upper_inf user user_name
    utc_timestamp uuid uuid_to_bin var_pop var_samp variance version websearch_to_tsquery week
    weekday weekofyear width_bucket word_similarity year yearweek zeroblob
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
    if not statements or (len(statements) > 1 and program not in _TAKES_SEVERAL):
        return "is more than one"
    return next(filter(None, (_statement_problem(one, program) for one in statements)), "")


def _statement_problem(statement: list[tuple[str, str]], program: str) -> str:
    words = [text.lower() for _, text in statement]
    kinds = [kind for kind, _ in statement]
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
