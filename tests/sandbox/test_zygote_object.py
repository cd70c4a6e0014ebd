"""The compiled zygote is used where it is whole, and Python in its place elsewhere, with the reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.running import self_check
from benchwright.sandbox import machine_probes, zygote_object
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux
from benchwright.sandbox.machine_identity import files_identity
from benchwright.sandbox.machine_probes import probe_jails
from benchwright.sandbox.zygote_object import MACHINE, OBJECT, SUMS, VARIABLE, find_object, sum_line
from kit.needs import need_that

SHIPPED = zygote_object.FOLDER
NAME = OBJECT
need_that(linux.MACHINE == MACHINE, "no compiled zygote is shipped for it")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what is shipped, which the test may damage."""
    monkeypatch.setenv(VARIABLE, "compiled")
    copy = tmp_path / "compiled"
    shutil.copytree(SHIPPED, copy)
    monkeypatch.setattr(zygote_object, "FOLDER", copy)
    return copy


def _choose(monkeypatch: pytest.MonkeyPatch, choice: str | None) -> None:
    if choice is None:
        monkeypatch.delenv(VARIABLE, raising=False)
    else:
        monkeypatch.setenv(VARIABLE, choice)


def adds(box: Sandbox) -> bool:
    """Whether a known answer gives its value."""
    result = box.run("def add(x, y): return x + y", "add", [((1, 2), {})])
    return [reply.value for reply in result.replies] == [3]


def test_what_is_shipped_is_used(folder: Path) -> None:
    """It is whole, and small."""
    found = find_object()

    assert found == (folder / NAME, "", "")
    assert (folder / NAME).stat().st_size < 8192


@pytest.mark.parametrize("choice", [None, "", "compiled"])
def test_it_is_the_default_on_x86(choice: str | None, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The variable may ask for what happens anyway."""
    monkeypatch.setattr(linux, "MACHINE", "x86_64")
    _choose(monkeypatch, choice)

    assert find_object() == (folder / "zygote-x86_64.so", "", "")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_variable_turns_it_off(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the reason is the variable."""
    monkeypatch.setattr(linux, "MACHINE", machine)
    monkeypatch.setenv(VARIABLE, "python")

    assert find_object() == (None, "BENCHWRIGHT_ZYGOTE=python turns it off", "unset BENCHWRIGHT_ZYGOTE")


def test_a_choice_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused by name, not taken for one of the two."""
    monkeypatch.setenv(VARIABLE, "Python")
    with pytest.raises(UsageError, match=r"BENCHWRIGHT_ZYGOTE must be .*, not 'Python'") as caught:
        find_object()

    assert caught.value.hint == "unset BENCHWRIGHT_ZYGOTE"


def test_a_machine_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is no fault."""
    monkeypatch.setattr(linux, "MACHINE", "riscv64")

    assert find_object() == (None, "none is shipped for riscv64", "")


def test_a_kept_self_check_ends_with_another_file(folder: Path) -> None:
    """The state of the file is in what a self-check holds for: it lies with the code that counts."""
    before = files_identity(folder)
    _flip(folder)

    assert files_identity(folder) != before
    assert "sandbox" not in self_check._APART


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_changed_byte_changes_the_sum(content: bytes, data: st.DataObject) -> None:
    """Any one of them, to any other value; so does a byte more or less."""
    place = data.draw(st.integers(0, len(content) - 1))
    other = bytes([content[place] ^ data.draw(st.integers(1, 255))])
    changed = content[:place] + other + content[place + 1 :]
    lines = {sum_line("a", each) for each in (content, changed, content[:-1], content + b"\0")}

    assert len(lines) == 4


def _flip(folder: Path) -> None:
    content = bytearray((folder / NAME).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / NAME).write_bytes(content)


def _cut(folder: Path) -> None:
    (folder / NAME).write_bytes((folder / NAME).read_bytes()[:2000])


def _empty(folder: Path) -> None:
    (folder / NAME).write_bytes(b"")


def _of_another_build(folder: Path) -> None:
    (folder / SUMS).write_text(sum_line(NAME, b"another") + "\n")


def _no_text(folder: Path) -> None:
    (folder / SUMS).write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize("damage", [_flip, _cut, _empty, _of_another_build, _no_text])
def test_a_damaged_file_is_refused(damage: object, folder: Path) -> None:
    """Whatever happened to it or to the sums, and what helps is said."""
    assert callable(damage)
    damage(folder)
    found = find_object()

    assert (found.path, found.why) == (None, f"{folder / NAME} is damaged: its sum is not in sums.txt")
    assert found.hint.startswith("pip install --force-reinstall")


def test_sums_that_are_not_there(folder: Path) -> None:
    """What cannot be checked is not used."""
    (folder / SUMS).unlink()
    found = find_object()

    assert (found.path, "cannot be checked" in found.why, "No such file" in found.why) == (None, True, True)


@pytest.mark.usefixtures("jail")
def test_a_damaged_file_costs_no_answer(folder: Path) -> None:
    """Python takes its place, and the sandbox knows why."""
    _flip(folder)
    with Sandbox() as box:
        assert (adds(box), "is damaged" in box.why_python(), box.trouble) == (True, True, [])


@pytest.mark.usefixtures("jail")
def test_a_file_that_cannot_be_loaded_costs_no_answer(folder: Path) -> None:
    """As on a file system whose files may not be executed: the jail says why and goes on."""
    (folder / NAME).write_bytes(b"no machine code")
    (folder / SUMS).write_text(sum_line(NAME, b"no machine code") + "\n")
    with Sandbox() as box:
        assert (adds(box), box.trouble) == (True, [])
        assert "/bw/zygote-object" in box.why_python()


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
def test_doctor_names_the_damage(folder: Path) -> None:
    """The layers hold all the same, and the row has the command that helps."""
    _flip(folder)
    for _, tried in probe_jails():
        (row,) = [probe for probe in tried if probe.layer == "machine code"]

        assert (row.holds, row.needed, "is damaged" in row.seen) == (False, False, True)
        assert "Python takes its place" in row.seen
        assert row.hint.startswith("pip install")
        assert all(probe.holds for probe in tried if probe.needed)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("choice", "holds"), [("compiled", True), ("python", False)])
def test_doctor_says_what_forks(choice: str, holds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is not a needed layer, so the sandbox can be used either way."""
    monkeypatch.setenv(VARIABLE, choice)
    with Sandbox() as box:
        row = machine_probes._probe_loop(box)
        assert adds(box)

    assert (row.layer, row.holds, row.needed) == ("machine code", holds, False)
