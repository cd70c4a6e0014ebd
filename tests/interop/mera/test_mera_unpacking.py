"""A zip from anyone: its faults are named, its size is bounded, and nothing of it touches the disk."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.interop.mera import archive
from benchwright.interop.mera.archive import ArchiveMember, read_members
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.task_sets import LOGS
from kit.examples import examples
from kit.mera_cases import NAME, encoded, pack, submission

DATA = b'{"data": {}}'


def _read(path: Path) -> tuple[dict[str, ArchiveMember], list[tuple[str, str]]]:
    found = Findings()
    members = read_members(path, found)
    return members, [(finding.kind, finding.file) for finding in found.kept]


def test_a_right_archive(tmp_path: Path) -> None:
    """The task sets' files come back under their names; the logs are let be."""
    members, faults = _read(pack(tmp_path, {NAME: DATA, LOGS: b"any", "ruCodeEval.json": b"[]"}))

    assert {name: member.data for name, member in members.items()} == {
        "ruHumanEval": DATA,
        "ruCodeEval": b"[]",
    }
    assert faults == []


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("ruhumaneval.json", "wrong-case"),
        ("RuHumanEval.json", "wrong-case"),
        ("ruHumanEval.jsonl", "wrong-extension"),
        ("ruHumanEval", "wrong-extension"),
        ("ruHumanEval.JSON", "wrong-extension"),
        ("submission/ruHumanEval.json", "not-at-root"),
        ("../ruHumanEval.json", "unsafe-name"),
        ("/ruHumanEval.json", "unsafe-name"),
        ("x\\ruHumanEval.json", "unsafe-name"),
        ("README.md", "extra-file"),
        ("__MACOSX/._ruHumanEval.json", "extra-file"),
        ("logs/logs_public.zip", "extra-file"),
    ],
)
def test_a_name_that_is_not_right(name: str, fault: str, tmp_path: Path) -> None:
    """Each kind of wrong name has a separate fault."""
    _, faults = _read(pack(tmp_path, {name: DATA}))

    assert fault in [kind for kind, _ in faults]


def test_a_file_in_another_case_or_place_is_still_read(tmp_path: Path) -> None:
    """All its faults are found at once, not one an upload."""
    members, faults = _read(pack(tmp_path, {"sub/RUHUMANEVAL.json": DATA}))

    assert (members["ruHumanEval"].data, [kind for kind, _ in faults]) == (
        DATA,
        ["not-at-root", "wrong-case"],
    )


def test_a_near_miss_gets_the_right_name_as_its_hint(tmp_path: Path) -> None:
    """The hint for a similar name is the name of the task set."""
    found = Findings()
    read_members(pack(tmp_path, {"ruHumanEvall.json": DATA}), found)

    assert [(finding.kind, "ruHumanEval.json" in finding.hint) for finding in found.kept] == [
        ("extra-file", True)
    ]


def test_the_same_file_twice(tmp_path: Path) -> None:
    """In two folders, or in one with the same name: which one counts is luck."""
    _, faults = _read(pack(tmp_path, {NAME: DATA, f"old/{NAME}": DATA}))

    assert ("doubled-file", f"old/{NAME}") in faults


def test_a_name_without_zip(tmp_path: Path) -> None:
    """The server goes by the end of the name, in small letters."""
    members, faults = _read(pack(tmp_path, name="submission.ZIP"))

    assert (list(members), faults) == (["ruHumanEval"], [("not-named-zip", "submission.ZIP")])


def test_no_file_is_a_usage_error(tmp_path: Path) -> None:
    """A path that names nothing is the command's fault, not the submission's."""
    with pytest.raises(UsageError, match="no file"):
        read_members(tmp_path / "absent.zip", Findings())


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip" * 99, b"PK\x05\x06", b"\x1f\x8b\x08" + b"0" * 50])
def test_what_is_no_zip(data: bytes, tmp_path: Path) -> None:
    """Any other file is one fault."""
    (tmp_path / "submission.zip").write_bytes(data)

    assert _read(tmp_path / "submission.zip") == ({}, [("unreadable-zip", "submission.zip")])


def test_a_cut_zip(tmp_path: Path) -> None:
    """A half of an upload has no directory."""
    path = pack(tmp_path)
    path.write_bytes(path.read_bytes()[:-30])

    assert _read(path) == ({}, [("unreadable-zip", "submission.zip")])


def test_damaged_content(tmp_path: Path) -> None:
    """One bit of one file: the server's unpacking fails, so the archive is unreadable."""
    path = pack(tmp_path)
    data = bytearray(path.read_bytes())
    data[60] ^= 0x40
    path.write_bytes(bytes(data))
    members, faults = _read(path)

    assert (members, [kind for kind, _ in faults]) == ({}, ["unreadable-zip"])


def test_an_encrypted_file(tmp_path: Path) -> None:
    """The flag alone says so; no password is asked for."""
    path = pack(tmp_path)
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))

    assert _read(path) == ({}, [("encrypted", NAME)])


def test_an_unknown_compression(tmp_path: Path) -> None:
    """A method that the standard library cannot unpack is one that the server cannot either."""
    path = pack(tmp_path)
    data = bytearray(path.read_bytes())
    for at in (8, data.rindex(b"PK\x01\x02") + 10):
        data[at : at + 2] = struct.pack("<H", 9)  # Deflate64
    path.write_bytes(bytes(data))
    members, faults = _read(path)

    assert (members, [kind for kind, _ in faults]) == ({}, ["unreadable-zip"])


def test_a_bomb(tmp_path: Path) -> None:
    """A file that swells a thousandfold is named and not unpacked; the others are read."""
    members, faults = _read(pack(tmp_path, {"ruCodeEval.json": b" " * (17 << 20), NAME: DATA}))

    assert (list(members), faults) == (["ruHumanEval"], [("too-large", "ruCodeEval.json")])


def test_files_share_one_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files of a bearable size are as bad as one that is too large."""
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1000)
    _, faults = _read(pack(tmp_path, {f"{number}.txt": b"x" * 400 for number in range(4)}))

    assert [kind for kind, _ in faults].count("too-large") == 2


def test_a_file_over_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of a task set has a separate limit, since it is held in memory."""
    monkeypatch.setattr(archive, "MAX_FILE", 100)

    assert _read(pack(tmp_path, {NAME: b"x" * 101})) == ({}, [("too-large", NAME)])


def test_too_many_files(tmp_path: Path) -> None:
    """A thousand files are no submission."""
    files = {f"{number}.txt": b"" for number in range(archive.MAX_ENTRIES + 1)}

    assert _read(pack(tmp_path, files)) == ({}, [("too-large", "submission.zip")])


def test_a_large_directory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size is looked at first: the standard library would make an object of each entry."""
    monkeypatch.setattr(archive, "MAX_DIRECTORY", 100)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    path = tmp_path / "submission.zip"
    path.write_bytes(b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 9, 9, 101, 0, 0))

    assert _read(path) == ({}, [("too-large", "submission.zip")])


def test_a_zip64_directory_is_refused(tmp_path: Path) -> None:
    """Its sizes stand elsewhere than those that were checked, and no submission needs one."""
    path = pack(tmp_path)
    data = path.read_bytes()
    at = data.rindex(b"PK\x05\x06")
    path.write_bytes(data[:at] + b"PK\x06\x07" + bytes(16) + data[at:])

    assert _read(path) == ({}, [("too-large", "submission.zip")])


def test_a_hostile_name_is_shown_escaped(tmp_path: Path) -> None:
    """A name with a terminal's control characters does nothing where it is shown."""
    _, faults = _read(pack(tmp_path, {"\x1b[2Jhello": DATA}))

    assert faults == [("extra-file", r"\x1b[2Jhello")]


def test_a_name_out_of_the_archive_writes_nothing(tmp_path: Path) -> None:
    """Files are read in memory, so a path that climbs out has nowhere to go."""
    folder = tmp_path / "inner"
    folder.mkdir()
    path = pack(folder, {"../outside.json": DATA})
    before = sorted(tmp_path.rglob("*"))
    _read(path)

    assert sorted(tmp_path.rglob("*")) == before


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(40)
)
@given(st.data())
def test_any_damage_is_a_finding_or_nothing(tmp_path: Path, data: st.DataObject) -> None:
    """Bytes changed anywhere raise nothing, and what is still read as whole is what was packed.

    An archive whose directory says that it is empty is read so: that the file is missing is said elsewhere.
    """
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(NAME, encoded(submission()))
    content = bytearray(target.getvalue())
    for at in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[at] = data.draw(st.integers(0, 255))
    (tmp_path / "submission.zip").write_bytes(bytes(content))
    members, faults = _read(tmp_path / "submission.zip")

    assert faults or not members or members["ruHumanEval"].data == encoded(submission())
