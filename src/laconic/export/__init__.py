"""Takes figures off the machine, for those who want that: by OTLP, and as Parquet with SQL."""
