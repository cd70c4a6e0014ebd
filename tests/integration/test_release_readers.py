"""What others read a release with: its Croissant metadata by mlcroissant, its tables by `datasets`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.made_releases import released
from kit.needs import need_module

# What these packages themselves are warned of is not for us to mend.
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore")]
IDS = {"test": "word-counts", "train": "zero-crossings", "unverified": "grey-levels"}


def test_mlcroissant_accepts_the_metadata(tmp_path: Path) -> None:
    """Without an error, and each record set gives the rows of its file."""
    mlcroissant = need_module("mlcroissant", reason="mlcroissant is not installed: see setup.sh")
    found = mlcroissant.Dataset(jsonld=str(released(tmp_path) / "croissant.json"))

    assert found.metadata.ctx.issues.errors == set()
    for split, task in IDS.items():
        (record,) = found.records(record_set=split)
        assert record[f"{split}/task_id"] == task.encode()


def test_datasets_loads_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one data set with all splits; its cases are texts of JSON, and nothing is asked of a server."""
    datasets = need_module("datasets", reason="datasets is not installed: see setup.sh")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    found = datasets.load_dataset(str(released(tmp_path)), cache_dir=str(tmp_path / "cache"))

    assert {split: found[split]["task_id"][0] for split in found} == IDS
    assert [each["name"] for each in json.loads(found["test"]["cases"][0])][:1] == ["two"]


def test_datasets_reads_the_tables_in_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each split, with the rows that its JSON Lines have."""
    datasets = need_module("datasets", reason="datasets is not installed: see setup.sh")
    need_module("duckdb", reason="duckdb is not installed: see setup.sh")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub = released(tmp_path) / "hub"
    files = {split: str(hub / f"{split}.parquet") for split in IDS}
    found = datasets.load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))

    for split in IDS:
        lines = (hub / f"{split}.jsonl").read_text().splitlines()
        assert found[split].to_list() == [json.loads(line) for line in lines]
