"""The Java toolchain is found where it is, and named where it is not."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites import java_toolchain, java_tools
from benchwright.judges.suites.java_toolchain import JavaToolchain, find_toolchain

JARS = (
    *("junit-jupiter-api", "junit-jupiter-params", "junit-jupiter-engine", "junit-platform-commons"),
    *("junit-platform-engine", "junit-platform-launcher", "opentest4j", "junit4", "hamcrest"),
)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a JDK 21 in JAVA_HOME, nothing elsewhere, and all jars in a folder of their own."""
    make_jdk(tmp_path / "jdk", "21.0.4")
    jars = tmp_path / "jars"
    jars.mkdir()
    for name in JARS:
        make_jar(jars / f"{name}-1.2.jar", "Implementation-Version: 7.7")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(java_toolchain, "_JVMS", tmp_path / "jvms")
    monkeypatch.setenv("BENCHWRIGHT_JUNIT", str(jars))
    return tmp_path


def make_jdk(folder: Path, version: str) -> None:
    """A folder that looks like a JDK."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/javac").write_text("")
    (folder / "bin/javac").chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\n')


def make_jar(path: Path, manifest: str) -> None:
    """A jar with nothing but a manifest."""
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\n{manifest}\n")


def test_paths_and_versions(machine: Path) -> None:
    """The JDK's version is that of its file `release`, a jar's that of its name."""
    found = find_toolchain()

    assert ("21.0.4", "1.2", "1.2", str(machine / "jdk"), 9) == (
        found.java,
        found.junit5,
        found.junit4,
        found.jdk,
        len(found.jars),
    )


def test_the_newest_of_several_versions(machine: Path) -> None:
    """Versions are compared number by number."""
    for version in ("1.10", "1.9"):
        make_jar(machine / f"jars/junit4-{version}.jar", "")

    assert find_toolchain().junit4 == "1.10"


def test_a_link_has_the_version_and_the_real_file_is_shown(machine: Path) -> None:
    """A jail has no links to outside: the path is the real one."""
    jars = machine / "jars"
    (jars / "junit4-1.2.jar").rename(jars / "junit4.jar")
    (jars / "junit4-4.13.jar").symlink_to(jars / "junit4.jar")
    found = find_toolchain()

    assert (found.junit4, str(jars / "junit4.jar") in found.jars) == ("4.13", True)


def test_a_version_from_the_manifest(machine: Path) -> None:
    """Where the name says nothing, the manifest does."""
    (machine / "jars/junit4-1.2.jar").rename(machine / "jars/junit4.jar")

    assert find_toolchain().junit4 == "7.7"


@pytest.mark.parametrize("name", JARS)
def test_a_missing_jar(machine: Path, name: str) -> None:
    """Named, with the command that installs it."""
    (machine / f"jars/{name}-1.2.jar").unlink()

    with pytest.raises(PrerequisiteError, match=name) as caught:
        find_toolchain()
    assert caught.value.hint == "apt-get install openjdk-17-jdk-headless junit5 junit4"


def test_a_jar_that_is_none(machine: Path) -> None:
    """A file that is no jar is a missing prerequisite too, not a crash."""
    (machine / "jars/junit4-1.2.jar").unlink()
    (machine / "jars/junit4.jar").write_text("x")

    with pytest.raises(PrerequisiteError, match="not a jar"):
        find_toolchain()


def test_no_jdk(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any JDK the hint says what to install."""
    monkeypatch.setenv("JAVA_HOME", str(machine / "nowhere"))

    with pytest.raises(PrerequisiteError, match="no Java development kit"):
        find_toolchain()


def test_a_jdk_that_is_too_old(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old one is named and passed over for a newer one."""
    make_jdk(machine / "old", "1.8.0_402")
    monkeypatch.setenv("JAVA_HOME", str(machine / "old"))
    with pytest.raises(PrerequisiteError, match=r"old is version 1\.8"):
        find_toolchain()
    make_jdk(machine / "jvms/a", "17.0.9")
    make_jdk(machine / "jvms/b", "25")

    assert find_toolchain().java == "25"


def test_the_compiler_on_the_path(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link on PATH leads to its JDK."""
    monkeypatch.delenv("JAVA_HOME")
    (machine / "javac").symlink_to(machine / "jdk/bin/javac")

    assert find_toolchain().jdk == str(machine / "jdk")


def test_a_folder_of_jars_that_is_not_there(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All jars are missing then."""
    monkeypatch.setenv("BENCHWRIGHT_JUNIT", str(machine / "gone"))

    with pytest.raises(PrerequisiteError, match="gone has no jar named junit-jupiter-api"):
        find_toolchain()


def test_the_cache_knows_its_toolchain(machine: Path) -> None:
    """Another version of a jar has other tools."""
    (machine / "jdk/lib").mkdir()
    (machine / "jdk/lib/modules").write_text("x")
    before = java_tools._key(find_toolchain())
    same = java_tools._key(find_toolchain())
    make_jar(machine / "jars/junit4-1.3.jar", "")

    assert (before, True) == (same, before != java_tools._key(find_toolchain()))


def test_a_cache_that_cannot_be_written(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said with its place and what to set."""
    (machine / "jdk/lib").mkdir()
    (machine / "jdk/lib/modules").write_text("x")
    (machine / "file").write_text("")
    monkeypatch.setattr(java_tools, "cache_folder", lambda: machine / "file" / "cache")

    with pytest.raises(PrerequisiteError, match="file/cache: Not a directory") as caught:
        java_tools.prepare_tools(find_toolchain())
    assert "BENCHWRIGHT_CACHE" in (caught.value.hint or "")


def test_jars_are_shown_where_no_mount_of_the_jail_hides_them() -> None:
    """Whatever their paths are: below /tmp, or with what ends an entry of a class path."""
    jars = ("/tmp/libs/java/truth.jar", "/home/anna/a:b c.jar")
    found = JavaToolchain(jdk="/usr/lib/jvm/none", jars=jars, java="17.0.15", junit5="5.9.2", junit4="4.13.2")
    binds = dict(found.binds)

    assert [binds[jar] for jar in jars] == list(found.shown)
    assert not any(place.startswith(("/tmp", "/proc", "/dev")) or ":" in place for place in found.shown)
