"""Data sets on the hub, with a fake client that serves local files.

The fake has only the three calls of `huggingface_hub` that are used. The network behaviour of the real client
is not tested here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, RunError, UsageError
from benchwright.store.data_files import HubSource, choose, data_hash, download, is_hub, parse_source
from benchwright.tracks.own.track import TRACK


class FakeHub:
    """A hub with one data set, in a local folder."""

    def __init__(self, folder: Path, files: dict[str, Any]) -> None:
        self.folder, self.files, self.asked = folder, files, []
        for name, rows in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def HfApi(self) -> FakeHub:
        return self

    def dataset_info(self, repo: str, *, revision: str | None) -> SimpleNamespace:
        if repo != "owner/name":
            raise OSError("404: no such data set")
        self.asked.append(revision)
        siblings = [SimpleNamespace(rfilename=name) for name in self.files]
        return SimpleNamespace(sha="c0ffee", siblings=siblings)

    def hf_hub_download(self, repo: str, name: str, *, repo_type: str, revision: str) -> str:
        self.asked.append((repo, name, repo_type, revision))
        return str(self.folder / name)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeHub:
    """Return the fake, installed in place of the real client."""
    fake = FakeHub(
        tmp_path, {"test-00001-of-00002.jsonl": [{"n": 2}], "test-00000-of-00002.jsonl": [{"n": 1}]}
    )
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    return fake


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("hf://owner/name", HubSource("owner/name")),
        ("hub:owner/name", HubSource("owner/name")),
        ("hf://datasets/owner/na.me-2", HubSource("owner/na.me-2")),
        ("hf://owner/name@v1.0", HubSource("owner/name", "v1.0")),
        ("hf://owner/name@refs%2Fpr%2F1", HubSource("owner/name", "refs/pr/1")),
        ("hf://owner/name/ruhumaneval#test", HubSource("owner/name", None, "ruhumaneval", "test")),
        ("hf://owner/name@abc/data/test.jsonl", HubSource("owner/name", "abc", "data/test.jsonl")),
    ],
)
def test_sources_are_taken_apart(source: str, expected: HubSource) -> None:
    """Each optional part may be missing."""
    assert expected == parse_source(source)


@pytest.mark.parametrize(
    "source", ["hf://", "hub:name", "hf://owner", "hf://owner/name#", "hub:a b/c", "hf://о/н"]
)
def test_a_wrong_source_is_answered_with_the_form(source: str) -> None:
    """The hint is the form of a source."""
    with pytest.raises(UsageError) as caught:
        parse_source(source)

    assert "hub:owner/name[@revision][/config][#split]" in (caught.value.hint or "")


@given(st.text())
def test_any_text_is_a_source_or_a_usage_error(text: str) -> None:
    """Every text is checked before the network is used."""
    try:
        actual = "/" in parse_source("hf://" + text).repo
    except UsageError:
        actual = True

    assert actual


def test_only_strings_with_a_scheme_are_on_the_hub() -> None:
    """A path is a path, even one named hub."""
    assert [is_hub(source) for source in ("hf://a/b", "hub:a/b", "hub", Path("hub:a"))] == [
        True,
        True,
        False,
        False,
    ]


def test_shards_are_downloaded_in_order_at_one_commit(hub: FakeHub) -> None:
    """The revision is fixed once, so that all files are of one version."""
    paths = download("hf://owner/name@main")

    names = ["test-00000-of-00002.jsonl", "test-00001-of-00002.jsonl"]
    asked = ["main", *(("owner/name", name, "dataset", "c0ffee") for name in names)]
    assert (names, asked) == ([path.name for path in paths], hub.asked)


def test_a_failed_download_is_a_run_error(hub: FakeHub) -> None:
    """For any exception of the client, the message names the source."""
    with pytest.raises(RunError) as caught:
        download("hf://owner/other")

    assert ("404" in caught.value.message, "log in" in (caught.value.hint or "")) == (True, True)


def test_an_ambiguous_data_set_is_a_data_error(hub: FakeHub) -> None:
    """The error of the choice is raised unchanged."""
    with pytest.raises(DataError):
        download("hf://owner/name#train")

    assert hub.asked == [None]


FILES = [
    "README.md",
    "loader.py",
    "ruhumaneval/test-00000-of-00001.parquet",
    "rucodeeval/test-00000-of-00001.parquet",
    "codelinter/test.jsonl",
    "codelinter/shots.jsonl",
    "../../etc/passwd.json",
]


@pytest.mark.parametrize(
    ("config", "split", "expected"),
    [
        ("ruhumaneval", None, "ruhumaneval/test-00000-of-00001.parquet"),
        ("codelinter", None, "codelinter/test.jsonl"),
        ("codelinter", "shots", "codelinter/shots.jsonl"),
        ("codelinter/shots.jsonl", None, "codelinter/shots.jsonl"),
        (None, "shots", "codelinter/shots.jsonl"),
    ],
)
def test_the_file_that_is_meant_is_chosen(config: str | None, split: str | None, expected: str) -> None:
    """Config and split are words of a file's path; without a split `test` is used."""
    assert [expected] == choose(FILES, HubSource("o/n", None, config, split), "hf://o/n")


@pytest.mark.parametrize(
    ("config", "split"), [(None, None), (None, "train"), ("README.md", None), ("etc", None)]
)
def test_nothing_is_guessed(config: str | None, split: str | None) -> None:
    """Two candidates, or none, are an error that lists the data files."""
    with pytest.raises(DataError) as caught:
        choose(FILES, HubSource("o/n", None, config, split), "hf://o/n")

    assert ("loader.py" in caught.value.message, "passwd" in caught.value.message) == (False, False)


def test_without_the_client_the_command_to_install_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra has exit code 3 and one line to paste."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(PrerequisiteError) as caught:
        download("hf://owner/name")

    assert (caught.value.hint, caught.value.exit_code) == ("pip install 'benchwright[hub]'", 3)


@given(
    st.lists(st.text(st.sampled_from("ab/-._0"), max_size=12)), st.text(st.sampled_from("ab."), min_size=1)
)
def test_choosing_gives_data_files_or_an_error(names: list[str], config: str) -> None:
    """Any listing of a repository is handled."""
    listing = [name + ending for name in names for ending in (".jsonl", ".parquet", ".py")]
    try:
        actual = all(
            name.endswith((".jsonl", ".parquet"))
            for name in choose(listing, HubSource("o/n", None, config), "s")
        )
    except BenchwrightError:
        actual = True

    assert actual


def test_a_set_of_another_shape_is_read_by_a_field_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are numbered over all its files; a repository with only CSV files works too."""
    fake = FakeHub(
        tmp_path, {"data/test-00000-of-00002.csv": [], "data/test-00001-of-00002.csv": [], "a.txt": []}
    )
    for number, right in enumerate(("yes", "no")):
        shard = tmp_path / "data" / f"test-0000{number}-of-00002.csv"
        shard.write_text(f"q,y\nIs {number} even yes or no?,{right}\n")
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)

    data = TRACK.mapped("hub:owner/name", columns={"q": "prompt", "y": "label"}, values={"labels": "yes|no"})

    assert [(task.task_id, task.outputs) for task in TRACK.load(data)] == [(1, "yes"), (2, "no")]
    assert data_hash(data) != data_hash("hub:owner/name")
