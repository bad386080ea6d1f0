"""Tables of labels: CSV, TSV and Parquet."""
