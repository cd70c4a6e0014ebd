"""Hostile and damaged logs: an error that names the place, and never more memory than the limits say."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, UsageError
from benchwright.interop.inspect_ai_log import header as package
from benchwright.interop.inspect_ai_log import logs
from benchwright.interop.inspect_ai_log.answers import import_inspect
from kit.examples import examples
from kit.made_inspect_log import header, sample, write_document, write_members, write_zip

QUICK = settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
# The fields that are read, at any depth; each may hold anything.
FIELDS = [
    *(
        ("id",),
        ("epoch",),
        ("output",),
        ("error",),
        ("scores",),
        ("metadata",),
        ("limit",),
        ("invalidation",),
    ),
    *(("output", "completion"), ("output", "choices"), ("output", "metadata"), ("output", "model")),
    *(("output", "choices", 0, "message"), ("output", "choices", 0, "message", "content")),
    *(("output", "choices", 0, "stop_reason"), ("scores", "verify"), ("scores", "verify", "value")),
]
HEAD_FIELDS = [
    ("status",),
    ("eval",),
    *(("eval", name) for name in ("task", "model", "dataset", "metadata", "model_generate_config")),
    ("eval", "dataset", "location"),
    ("eval", "dataset", "sample_ids"),
    ("samples",),
]


def _put(document: Any, field: tuple[str | int, ...], value: Any) -> None:
    for name in field[:-1]:
        document = document[name]
    document[field[-1]] = value


def _read(path: Path) -> str:
    """What reading a log gives: "answers", or the error, which must be one of ours."""
    try:
        import_inspect(path, path.with_name("out.jsonl"))
    except BenchwrightError as error:
        return error.message
    return "answers"


@pytest.mark.usefixtures("quick_disk")
@QUICK
@given(st.lists(st.tuples(st.sampled_from(FIELDS), JSON), min_size=1, max_size=2))
def test_any_value_in_any_field(tmp_path: Path, changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    """Whatever a sample holds, it is an answer or an error with the file's name."""
    made = sample("a")
    for field, value in sorted(changes, key=lambda change: -len(change[0])):
        _put(made, field, value)
    path = write_document(tmp_path / "log.json", [made])
    said = _read(path)

    assert said == "answers" or str(path) in said


@pytest.mark.usefixtures("quick_disk")
@QUICK
@given(st.sampled_from(HEAD_FIELDS), JSON, st.booleans())
def test_any_value_in_the_header(tmp_path: Path, field: tuple[str, ...], value: Any, own: bool) -> None:
    """Whatever a header holds, it is a log or an error; also when it poses as an export of this program."""
    maker = {"metadata": {"exported_by": "benchwright 9"}} if own else {}
    document = {**header(**maker), "samples": [sample("a")]}
    _put(document, field, value)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document))
    said = _read(path)

    assert said == "answers" or str(path) in said


@pytest.mark.usefixtures("quick_disk")
@QUICK
@given(st.binary(max_size=200), st.integers(0, 400), st.booleans())
def test_damaged_archives(tmp_path: Path, noise: bytes, at: int, cut: bool) -> None:
    """A log with bytes changed, or cut, is read or is an error: no exception of a library comes through."""
    whole = write_zip(tmp_path / "log.eval", [sample("a"), sample("b")]).read_bytes()
    path = tmp_path / "bad.eval"
    path.write_bytes(whole[:at] + noise + (b"" if cut else whole[at + len(noise) :]))
    said = _read(path)

    assert said == "answers" or str(path) in said


@pytest.mark.usefixtures("quick_disk")
@QUICK
@given(st.binary(max_size=100))
def test_bytes_that_are_no_log(tmp_path: Path, content: bytes) -> None:
    """Any bytes are refused with the file's name."""
    path = tmp_path / "log.json"
    path.write_bytes(content)

    assert str(path) in _read(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"eval": {"a": ' + "9" * 5000 + "}}", "invalid JSON"),
        ('{"eval": 5}', "not an Inspect log"),
        ('{"eval": {}, "samples": [1]}', "must be an array of objects"),
        ("", "invalid JSON"),
    ],
)
def test_documents_that_are_refused(content: str, said: str, tmp_path: Path) -> None:
    """Depth, giant numbers and other shapes each have their message."""
    (tmp_path / "log.json").write_text(content)

    assert said in _read(tmp_path / "log.json")


def test_a_large_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A .json log is held whole, so its size is bounded, and the hint is Inspect's own converter."""
    monkeypatch.setattr(logs, "MAX_DOCUMENT", 100)
    path = write_document(tmp_path / "log.json", [sample("a")])
    with pytest.raises(DataError, match=r"too large for a \.json log") as caught:
        import_inspect(path, tmp_path / "out.jsonl")

    assert "inspect log convert --to eval" in str(caught.value.hint)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member that declares more than a sample may have is refused before a byte of it is unpacked."""
    monkeypatch.setattr(logs, "MAX_SAMPLE", 100_000)
    bomb = {"header.json": json.dumps(header()), "samples/a_epoch_1.json": b" " * 200_000}

    assert "more than a sample may have" in _read(write_members(tmp_path / "log.eval", bomb))


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    """A member that unpacks to more than it declares is cut there, and then damaged."""
    path = write_members(
        tmp_path / "log.eval", {"header.json": json.dumps(header()), "samples/a_epoch_1.json": b" " * 200_000}
    )
    content = path.read_bytes()
    path.write_bytes(content.replace((200_000).to_bytes(4, "little"), (90).to_bytes(4, "little")))

    assert "cannot read the" in _read(path)


def test_a_directory_of_a_million_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The directory's size is looked at before the standard library makes an object of each entry."""
    monkeypatch.setattr(logs, "MAX_DIRECTORY", 100)
    path = write_zip(tmp_path / "log.eval", [sample("a")])
    monkeypatch.setattr(zipfile, "ZipFile", pytest.fail)

    assert "its directory has" in _read(path)


def test_a_sample_under_another_name(tmp_path: Path) -> None:
    """The order of epochs comes from the members' names, so a name that lies is an error."""
    members = {"header.json": json.dumps(header()), "samples/a_epoch_2.json": json.dumps(sample("a", 1))}

    assert "not the sample that its name says" in _read(write_members(tmp_path / "log.eval", members))


def test_one_epoch_twice(tmp_path: Path) -> None:
    """Two samples of one task and epoch cannot both be its answer."""
    path = write_document(tmp_path / "log.json", [sample("a"), sample("a")])

    assert "duplicate epoch 1" in _read(path)


def test_a_later_member_replaces_an_earlier_one(tmp_path: Path) -> None:
    """Inspect appends a repeated sample under the same name, and the last one counts."""
    path = write_zip(tmp_path / "log.eval", [sample("a", text="first")])
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("samples/a_epoch_1.json", json.dumps(sample("a", text="second")))
    import_inspect(path, tmp_path / "out.jsonl")

    assert json.loads((tmp_path / "out.jsonl").read_text())["completion"] == "second"


def test_a_log_that_is_being_written(tmp_path: Path) -> None:
    """Until it ends, a log has only a journal; its samples are read all the same."""
    start = {"version": 2, "eval": header()["eval"], "plan": {}}
    members = {"_journal/start.json": json.dumps(start), "samples/a_epoch_1.json": json.dumps(sample("a"))}
    (imported,) = import_inspect(write_members(tmp_path / "log.eval", members), tmp_path / "out.jsonl")

    assert (imported.answers, imported.notes) == (
        1,
        ["incomplete evaluation: status started"],
    )


@pytest.mark.parametrize("members", [{}, {"header.json": "{}"}, {"other.txt": "x"}])
def test_a_zip_that_is_no_log(members: dict[str, str], tmp_path: Path) -> None:
    """A zip without a header is named as what it is not."""
    assert "no log header" in _read(write_members(tmp_path / "log.eval", members))


def test_no_zstandard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer logs are packed with Zstandard; where it is missing, the hint installs it."""
    path = write_zip(tmp_path / "log.eval", [sample("a")])
    content = path.read_bytes()
    at = content.find(b"PK\x01\x02")  # the directory's entry, whose method is 10 bytes further on
    path.write_bytes(content[: at + 10] + (93).to_bytes(2, "little") + content[at + 12 :])

    def refuse(*_: Any, **__: Any) -> None:
        raise NotImplementedError("That compression method is not supported")

    monkeypatch.setattr(zipfile.ZipFile, "open", refuse)
    with pytest.raises(PrerequisiteError, match="Zstandard") as caught:
        import_inspect(path, tmp_path / "out.jsonl")

    assert caught.value.hint == "pip install 'benchwright[inspect]'"


def test_zstandard_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs that do not need it are read without it."""

    def absent(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(package, "import_module", absent)

    assert package.enable_zstandard() is None


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_nothing_to_read(make: Any, tmp_path: Path) -> None:
    """A path that is not there and a folder without logs are slips of the user."""
    make(tmp_path / "logs")

    with pytest.raises(UsageError):
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl")


def test_a_broken_log_in_a_folder(tmp_path: Path) -> None:
    """A .eval file that is no zip is not passed over: its answers would be missing in silence."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.eval").write_text("{}")

    with pytest.raises(DataError, match="not a zip"):
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl")


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is surely not one of logs is refused before it is read."""
    monkeypatch.setattr(logs, "MAX_LOGS", 1)
    for name in "ab":
        write_zip(tmp_path / f"logs/{name}.eval", [sample("a")])

    with pytest.raises(UsageError, match=r"too many files in .*: 2"):
        import_inspect(tmp_path / "logs", tmp_path / "out.jsonl")
