"""Exports of finished runs: Parquet files, data sets of the Hugging Face hub, experiment trackers."""
