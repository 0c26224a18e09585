CREATE TABLE decisions ENGINE = MergeTree ORDER BY (team, time)
SETTINGS allow_nullable_key = 1 AS
SELECT * FROM file('DIR/*.parquet', Parquet)
QUALIFY row_number() OVER (PARTITION BY id ORDER BY exported DESC) = 1
