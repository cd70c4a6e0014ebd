"""`benchwright data`, and `--data NAME`: from a server on this machine to a score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.store.task_snapshot import NAME
from kit.command_line import benchwright, called
from kit.named import CONTENT, made_data, only_known, packed, served
from kit.needs import HUMANEVAL, need_data, need_sandbox
from kit.own_rows import own_file


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(folder))
    return folder


def test_all_that_have_names_are_listed(cache: Path, tmp_path: Path) -> None:
    """Nothing is fetched for that."""
    said = benchwright("data", "list", cwd=tmp_path, COLUMNS="100")
    document = called("data", "list", "--json", cwd=tmp_path).document

    assert (said.code, said.err) == (0, "")
    assert {"humaneval", "humaneval-plus", "mbpp", "mbpp-plus", "humaneval-xl-russian"} <= {
        each["data"] for each in document
    }
    assert all(each["data"] in said.out and each["named"] for each in document)
    assert {each["here"] for each in document} == {False}
    assert not cache.exists()


@pytest.mark.parametrize("options", [[], ["--json"], ["--csv"], ["."], ["nowhere"], ["--jsn"], ["."] * 2])
def test_data_list_and_list_data_are_one(cache: Path, tmp_path: Path, options: list[str]) -> None:
    """The same on both streams, but for the command that an error names."""
    own_file(tmp_path)
    one, other = (called(*words, *options, cwd=tmp_path) for words in (("data", "list"), ("list", "data")))

    assert (one.code, one.out) == (other.code, other.out)
    assert one.err.replace("data list", "list data") == other.err


def test_from_a_server_to_a_score(cache: Path, tmp_path: Path) -> None:
    """A run fetches what it names, once; the second time no server is there."""
    need_sandbox()
    command = ("run", "humaneval", "--data", "own-twice", "--model", "gold:", "--n", 1, "--json", "--out")
    with served({"/own.gz": packed()}) as (address, asked):
        known = made_data(urls=(f"{address}/own.gz",))
        with only_known(cache, known):
            first = called(*command, tmp_path / "first")
    with only_known(cache, known):
        again = called(*command, tmp_path / "again")
        shown = called("show", tmp_path / "first", "Own/0")

    assert (first.code, again.code, shown.code, asked) == (0, 0, 0, ["/own.gz"])
    assert first.document["metrics"]["pass@1"]["value"] == again.document["metrics"]["pass@1"]["value"] == 1
    assert json.loads((tmp_path / "first" / "run.json").read_text())["data"] == "own-twice"


def test_a_run_that_lost_its_tasks_finds_them_by_name(cache: Path, tmp_path: Path) -> None:
    """While they are in the cache; nothing is fetched just to look."""
    need_sandbox()
    run = tmp_path / "run"
    with served({"/own.gz": packed()}) as (address, asked):
        known = made_data(urls=(f"{address}/own.gz",))
        with only_known(cache, known):
            called("run", "humaneval", "--data", "own-twice", "--model", "gold:", "--out", run)
            (run / NAME).unlink()
            here = called("show", run, "Own/0")
            next((cache / "data").iterdir()).unlink()
            away = called("show", run, "Own/0")

    assert "Twice x." in here.out + here.err
    assert "is not in the cache any more" in away.out + away.err
    assert asked == ["/own.gz"]


def test_get_prints_where(cache: Path, tmp_path: Path) -> None:
    """From a file; then it is here."""
    mirror = tmp_path / "mirror"
    mirror.write_bytes(packed())
    with only_known(cache, made_data()):
        said = called("data", "get", "own-twice", "--from", mirror)
        listed = called("data", "list", "--json", cwd=cache).document
        again = called("data", "get", "own-twice", "--json").document

    assert said.code == 0
    assert Path(said.out.strip()).read_bytes() == CONTENT
    assert [(each["data"], each["here"], each["rows"]) for each in listed if each["named"]] == [
        ("own-twice", True, 1)
    ]
    assert again == listed[:1]
    assert again[0]["path"] == said.out.strip()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["get", "own-twcie"], 2, ["unknown data set: 'own-twcie'", "did you mean `own-twice`?"]),
        (["get"], 2, ["Missing argument 'NAME…'"]),
        (["get", "own-twice", "--from", ""], 2, ["--from is empty"]),
        (
            ["get", "own-twice", "own-twice", "--from", "x"],
            2,
            ["--from takes one data set", "one data set at a time"],
        ),
        (["get", "own-twice", "--from", "nowhere"], 2, ["nowhere cannot be read: No such file"]),
        (["get", "own-twice", "--from", "other"], 1, ["other is not own-twice: its SHA-256 is"]),
        (
            ["get", "own-twice"],
            1,
            ["own-twice cannot be downloaded: http://127.0.0.1:9/never: Connection refused"],
        ),
        (["fetch", "own-twice"], 2, ["unknown command: fetch"]),
    ],
)
def test_wrong_uses(arguments: list[str], code: int, told: list[str], cache: Path, tmp_path: Path) -> None:
    """What, why, and what to do; no traceback, and nothing is kept."""
    (tmp_path / "other").write_bytes(b"{}\n")
    with only_known(cache, made_data()):
        said = called("data", *arguments, cwd=tmp_path)

    assert (said.code, said.out) == (code, "")
    assert all(part in said.err for part in [*told, "error: "])
    assert "hint: " in said.err
    assert not cache.exists()


def test_the_published_file_by_name(cache: Path, tmp_path: Path) -> None:
    """HumanEval's own file, put in by hand, and scored by its name without a network."""
    need_sandbox()
    got = called("data", "get", "humaneval", "--from", need_data(HUMANEVAL))
    said = called(
        "run", "humaneval", "--data", "humaneval", "--model", "gold:", "--n", 1, "--limit", 3, "--json",
        "--out", tmp_path / "run",
    )  # fmt: skip

    assert (got.code, said.code) == (0, 0)
    assert said.document["outcomes"] == {"passed": 3}


def test_names_are_completed(cache: Path) -> None:
    """After `data get` and after `--data`, where a file may stand as well."""
    environment = {"_BENCHWRIGHT_COMPLETE": "bash_complete"}
    names = benchwright(COMP_WORDS="benchwright data get mb", COMP_CWORD="3", **environment)
    more = benchwright(COMP_WORDS="benchwright data get mbpp mb", COMP_CWORD="4", **environment)
    both = benchwright(COMP_WORDS="benchwright run humaneval --data human", COMP_CWORD="4", **environment)

    assert names.out.split() == ["plain,mbpp", "plain,mbpp-plus"]
    assert more.out.split() == ["plain,mbpp-plus"]
    assert {"plain,humaneval", "file,human"} <= set(both.out.split())
