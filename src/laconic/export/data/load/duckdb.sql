CREATE TABLE decisions AS
SELECT * FROM read_parquet('DIR/*.parquet')
QUALIFY row_number() OVER (PARTITION BY id ORDER BY exported DESC) = 1
