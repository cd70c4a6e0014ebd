"""A folder of libraries: listed with hashes, shown to suites, never in the place of what runs them."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from benchwright.contracts import Variation
from benchwright.errors import UsageError
from benchwright.executing.suite_runners import Libraries
from benchwright.judges.suites.libraries import digest_of, entries, list_libraries
from benchwright.judges.suites.python import PythonSuites
from benchwright.sandbox.limits import Limits
from kit.honest_python import Honest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package, a module, a jar, and what is none."""
    made = {
        "python/lent/__init__.py": "def lend():\n    return 7\n",
        "python/alone.py": "",
        "java/notes.txt": "",
    }
    made |= {"python/_pytest/__init__.py": "raise SystemExit", "python/.hidden/x.py": ""}
    for name, text in made.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with ZipFile(tmp_path / "java/truth.jar", "w") as jar:
        jar.writestr("com/google/common/truth/Truth.class", b"")
    (tmp_path / "python/link").symlink_to("/etc")
    return tmp_path


def test_what_a_folder_holds(folder: Path) -> None:
    """Packages and jars by name, without links and hidden files."""
    assert [(each.lang, each.name) for each in list_libraries(folder)] == [
        ("Python", "alone.py"),
        ("Python", "lent"),
        ("Java", "truth.jar"),
    ]


def test_a_hash_is_of_all_that_there_is(folder: Path) -> None:
    """Another byte is another library, compiled files are none of it."""
    first = list_libraries(folder)
    (folder / "python/lent/__pycache__").mkdir()
    (folder / "python/lent/__pycache__/x.pyc").write_bytes(b"1")
    list_libraries.cache_clear()
    same = list_libraries(folder)
    (folder / "python/lent/__init__.py").write_text("def lend():\n    return 8\n")
    list_libraries.cache_clear()

    assert (same == first, list_libraries(folder) == first, digest_of(folder, "Go")) == (True, False, "")


def test_what_can_be_imported(folder: Path) -> None:
    """Classes by their packages; what runs the suites is there without any folder."""
    with_folder, without = Libraries(str(folder)), Libraries()

    assert with_folder.has("Python", "lent.inner")
    assert not without.has("Python", "lent")
    assert without.has("Python", "pytest")
    assert with_folder.has("Java", "com.google.common.truth.Truth")
    assert not without.has("Java", "com.google.common.truth.Truth")
    assert without.has("Java", "org.junit.jupiter.api.Test")
    assert not with_folder.has("Go", "github.com/frankban/quicktest")


def test_a_folder_without_libraries(tmp_path: Path) -> None:
    """The error says what it should hold, with a command."""
    with pytest.raises(UsageError, match="no folder python and no folder java") as caught:
        Libraries(str(tmp_path))

    assert "pip install --target" in (caught.value.hint or "")


@pytest.mark.usefixtures("jail")
def test_a_suite_imports_it(folder: Path) -> None:
    """In the sandbox it is there, beside pytest, whose own package the folder cannot replace."""
    assert [path.name for path in entries(folder, "Python")] == ["alone.py", "lent"]
    focal = "from lent import lend\n\n\ndef twice():\n    return 2 * lend()\n"
    test = "from focal import twice\n\n\ndef test_a():\n    assert twice() == 14\n"
    suite = Honest(focal, test, ["test_a"], "", {}).suite()
    states = []
    for libraries in (folder, None):
        runner = PythonSuites(limits=Limits(cpu_s=4.0), libraries=libraries)
        report = dict(runner.run([(0, suite)], variation=Variation()))[0]
        states.append((report.state, "libraries" in report.versions))
        runner.close()

    assert states == [("success", True), ("failed", False)]
