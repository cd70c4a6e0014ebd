"""Jars beside JUnit's: found where those are, kept as a folder of their own, and told how to get."""

from __future__ import annotations

import stat
from pathlib import Path
from zipfile import ZipFile

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites import java_toolchain
from benchwright.judges.suites.java_toolchain import library_folder
from benchwright.judges.suites.libraries import entries, packages


def made_jar(path: Path, content: str = "1") -> Path:
    """A jar with one class."""
    with ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Implementation-Version: {content}\n")
        jar.writestr("org/tuples/Two.class", content)
    return path


@pytest.fixture
def jar_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of jars that the user names, and a cache of the test's own."""
    folder = tmp_path / "jars"
    folder.mkdir()
    monkeypatch.setenv("BENCHWRIGHT_JUNIT", str(folder))
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path / "cache" / "own"))
    monkeypatch.setattr(java_toolchain, "_JARS", tmp_path / "nothing")
    monkeypatch.setattr(
        "benchwright.judges.suites.toolchain_cache.SYSTEM_CACHE", tmp_path / "system" / "cache"
    )
    return folder


def test_no_library_needs_no_folder() -> None:
    """As Go has it."""
    assert library_folder(()) == ""


def test_a_jar_becomes_a_folder_of_libraries(jar_place: Path) -> None:
    """Of its content, so another version is another folder; a second time it is there."""
    jar = made_jar(jar_place / "tuples-1.2.jar")
    folder = Path(library_folder(("tuples",)))
    (kept,) = entries(folder, "Java")

    assert (kept.name, kept.read_bytes()) == ("tuples.jar", jar.read_bytes())
    assert packages(folder, "Java") >= {"org.tuples"}
    assert stat.S_IMODE(kept.stat().st_mode) == 0o644
    before = kept.stat().st_mtime_ns
    assert (library_folder(("tuples",)), kept.stat().st_mtime_ns) == (str(folder), before)
    made_jar(jar_place / "tuples-1.3.jar", "2")
    assert library_folder(("tuples",)) != str(folder)


def test_a_damaged_copy_is_put_right(jar_place: Path) -> None:
    """It is compared with the jar at each use."""
    jar = made_jar(jar_place / "tuples.jar")
    (kept,) = entries(Path(library_folder(("tuples",))), "Java")
    kept.write_bytes(b"damaged")

    assert library_folder(("tuples",))
    assert kept.read_bytes() == jar.read_bytes()


def test_what_is_not_there_is_told_with_its_package(
    jar_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With both places, and the package of the system; in a clone with the script's own command."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "benchwright")
    with pytest.raises(PrerequisiteError, match="no jar named javatuples") as caught:
        library_folder(("javatuples",))

    assert str(jar_place) in caught.value.message
    assert str(tmp_path / "nothing") in caught.value.message
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("apt-get install libjavatuples-java ")
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    with pytest.raises(PrerequisiteError) as caught:
        library_folder(("javatuples",))
    assert str(caught.value.hint).startswith("./run setup java ")


def test_the_system_has_what_the_named_folder_lacks(
    jar_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JUnit may be elsewhere than what a distribution installs."""
    (tmp_path / "nothing").mkdir()
    jar = made_jar(tmp_path / "nothing" / "tuples.jar")
    (kept,) = entries(Path(library_folder(("tuples",))), "Java")

    assert kept.read_bytes() == jar.read_bytes()
