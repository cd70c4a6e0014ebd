"""Opening files: every fault of the file system is explained, and gzip is recognised by its bytes."""

from __future__ import annotations

import gzip
import os
import shlex
import subprocess
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.store.files import READ_ERRORS, locate, open_binary
from kit.needs import need, need_that
from kit.processes import HANG_S, open_files


def test_a_missing_file_names_the_nearest_one(tmp_path: Path) -> None:
    """A typing error in a path gets the intended path as a hint."""
    (tmp_path / "samples.jsonl").touch()
    with pytest.raises(UsageError) as caught:
        locate(tmp_path / "sample.jsonl")

    assert f"did you mean {tmp_path / 'samples.jsonl'}?" == caught.value.hint


def test_a_missing_folder_is_explained(tmp_path: Path) -> None:
    """Looking for similar names in a missing folder does not fail either."""
    with pytest.raises(UsageError) as caught:
        locate(tmp_path / "none" / "rows.jsonl")

    assert "cannot be read either" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["test.json", "test.jsonl", "test.json.gz", "test.parquet"])
def test_a_folder_stands_for_the_data_set_in_it(tmp_path: Path, name: str) -> None:
    """MERA's folder can be named as a whole."""
    (tmp_path / "shots.json").touch()
    (tmp_path / name).touch()

    assert tmp_path / name == locate(tmp_path)


def test_a_folder_without_a_data_set_is_refused(tmp_path: Path) -> None:
    """The hint has the expected names."""
    with pytest.raises(UsageError) as caught:
        locate(tmp_path)

    assert "test.json" in (caught.value.hint or "")


def test_a_pipe_is_refused_without_opening_it(tmp_path: Path) -> None:
    """Opening a pipe without a writer would hang for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError) as caught:
        locate(tmp_path / "pipe")

    assert "not a regular file" in caught.value.message


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "\udce9\ud800.jsonl", "rows.jsonl/more"])
def test_an_impossible_name_is_an_error_with_a_hint(tmp_path: Path, name: str) -> None:
    """A name that the operating system rejects is reported like a missing file."""
    (tmp_path / "rows.jsonl").touch()
    with pytest.raises(BenchwrightError) as caught:
        locate(tmp_path / name)

    assert caught.value.hint


def test_a_loop_of_links_is_a_data_error(tmp_path: Path) -> None:
    """A link to itself is neither missing nor readable."""
    (tmp_path / "a").symlink_to(tmp_path / "a")
    with pytest.raises(DataError) as caught:
        locate(tmp_path / "a")

    assert "cannot be read" in caught.value.message


def test_a_file_without_permission_is_a_data_error(tmp_path: Path) -> None:
    """The hint shows how to list permissions."""
    need_that(os.geteuid() != 0, "the superuser may read everything")
    path = tmp_path / "rows.jsonl"
    path.touch(mode=0)
    with pytest.raises(DataError) as caught:
        open_binary(path)

    assert "ls -l" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_gzip_is_known_by_its_bytes(tmp_path: Path, name: str) -> None:
    """A packed file under a plain name is unpacked, and a plain one under a packed name is not."""
    packed, plain = tmp_path / f"packed-{name}", tmp_path / f"plain-{name}"
    packed.write_bytes(gzip.compress(b"content"))
    plain.write_bytes(b"content")
    with open_binary(packed) as first, open_binary(plain) as second:
        actual = (first.read(), second.read())

    assert actual == (b"content", b"content")


def test_closing_a_packed_stream_closes_the_file(tmp_path: Path) -> None:
    """No file stays open: with warnings as errors a leak would fail here."""
    path = tmp_path / "rows.gz"
    path.write_bytes(gzip.compress(b"x" * 100))
    before = open_files()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with open_binary(path) as stream:
            stream.read(1)

    assert open_files() <= before


def test_a_path_is_shown_without_control_characters() -> None:
    """The name of a file cannot control the terminal."""
    assert (escaped_path("plain.jsonl"), escaped_path("a\x1b[31mb")) == ("plain.jsonl", "a\\x1b[31mb")


def test_an_empty_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It never means the current folder, even if that has a data set."""
    (tmp_path / "test.json").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is empty") as caught:
        locate("")

    assert (bool(caught.value.hint), locate(".")) == (True, Path("test.json"))


def test_a_pipe_is_refused_with_a_command_to_paste(tmp_path: Path) -> None:
    """The command in the hint has the name of the pipe as one shell word."""
    pipe = tmp_path / "my pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="not a regular file") as caught:
        locate(pipe)

    assert shlex.split((caught.value.hint or "").split("`")[1]) == ["cat", str(pipe), ">", "rows.jsonl"]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x4FF)))
def test_quoted_words_are_one_word(text: str) -> None:
    """A shell reads printable text back unchanged."""
    if text.isprintable():
        assert shlex.split(quoted(text)) == [text]


@pytest.mark.parametrize(
    "name",
    [b"a b", b"it's", b"\x1b[31m", b"line\nend", b"\xff\xfe", b"a'\\\t1", "ключ\u202e".encode(), b"$(x)"],
)
def test_bash_reads_quoted_names_back(name: bytes) -> None:
    """For any bytes in a name, the hint has no control character, and bash restores the name."""
    bash = need("bash", "reads what is pasted")
    word = quoted(Path(os.fsdecode(name)))
    done = subprocess.run(
        [bash, "--norc", "-c", f"printf %s {word}"], capture_output=True, timeout=HANG_S, check=True
    )

    assert (done.stdout, word.isprintable()) == (name, True)


def test_half_a_surrogate_pair_is_quoted_all_the_same() -> None:
    """No file has such a name, but a message may contain it."""
    assert quoted("a\ud800") == r"$'a\x5cud800'"


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    """Return a zip archive of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("name", ["data.zip", "data.jsonl"])
@pytest.mark.parametrize("beside", [{}, {"folder/": b"", "__MACOSX/._a": b"x"}])
def test_a_zip_archive_of_one_file_is_that_file(tmp_path: Path, name: str, beside: dict[str, bytes]) -> None:
    """As with gzip, its bytes identify it; files added by macOS are ignored."""
    with open_binary(zipped(tmp_path / name, {"a.jsonl": b"content", **beside})) as stream:
        assert stream.peek(3).startswith(b"con")
        assert stream.read() == b"content"


def test_a_zip_archive_of_several_files_is_left_packed(tmp_path: Path) -> None:
    """It is unknown which file is meant."""
    with open_binary(zipped(tmp_path / "data.zip", {"a": b"1", "b": b"2"})) as stream:
        assert stream.read().startswith(b"PK")


def test_damage_in_a_zip_archive_is_a_read_error(tmp_path: Path) -> None:
    """The checksum of the content does not match."""
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"content")
    path.write_bytes(path.read_bytes().replace(b"content", b"contenT"))

    with open_binary(path) as stream, pytest.raises(READ_ERRORS, match="damaged"):
        stream.read()
