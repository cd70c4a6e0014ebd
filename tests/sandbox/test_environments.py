"""Dependency profiles show only what they name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError, UsageError
from benchwright.sandbox import environments
from benchwright.sandbox.environments import Environment
from kit.needs import need_module


def test_the_interpreter_is_the_base_one() -> None:
    """Answers use the interpreter behind this environment, without the environment's packages."""
    path = environments.interpreter()

    assert (os.access(path, os.X_OK), str(path).startswith(sys.prefix + "/") and _in_venv()) == (True, False)


def _in_venv() -> bool:
    return sys.prefix != sys.base_prefix


def test_binds_are_each_outermost() -> None:
    """No bind is inside another, and none is this project's folder or a home."""
    sources = [Path(source) for source, _ in environments.interpreter_binds()]
    inside = [path for path in sources if any(other in path.parents for other in sources)]
    project = Path(environments.__file__).parents[3]

    assert (inside, [path for path in sources if path in (project, *project.parents)]) == ([], [])


def test_binds_keep_their_place() -> None:
    """A library finds its parts by path, so each is bound at its own place."""
    moved = [(source, target) for source, target in environments.interpreter_binds() if source != target]

    assert moved == []


def test_packages_beside_the_standard_library_are_masked() -> None:
    """site-packages of the base interpreter looks empty, if there is one."""
    library = Path(os.__file__).parent
    masked = environments.interpreter_masks()
    there = [str(library / name) for name in ("site-packages", "dist-packages") if (library / name).is_dir()]

    assert set(there) <= set(masked)


def test_shared_memory_lies_in_the_private_folder() -> None:
    """/dev/shm leads into /tmp, which is private to every answer."""
    links = environments.root_links()

    assert ("/tmp", "/dev/shm") in links


def test_a_library_is_bound_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A second name next to it becomes a link again; a link that leads elsewhere is bound as its target."""
    library, elsewhere = tmp_path / "lib" / "libpython3.11.so.1.0", tmp_path / "other.so"
    library.parent.mkdir()
    library.touch()
    elsewhere.touch()
    (library.parent / "libpython3.11.so").symlink_to(library.name)
    (library.parent / "libpython3.so").symlink_to(elsewhere)
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    bound = {path.name for path in environments._bound_python()}
    links = [link for link in environments.root_links() if str(tmp_path) in link[1]]

    assert (bound, links) == (
        {"libpython3.11.so.1.0", "libpython3.so"},
        [("libpython3.11.so.1.0", str(library.parent / "libpython3.11.so"))],
    )


def test_a_bare_profile_binds_no_packages() -> None:
    """Without distributions there are no binds."""
    binds = environments.site_binds(environments.BUILT_IN["bare"])

    assert binds == []


def test_a_profile_binds_what_it_names() -> None:
    """The folders of the distribution and no others."""
    need_module("numpy")
    targets = [target for _, target in environments.site_binds(environments.BUILT_IN["numpy"])]

    assert ("/site/numpy" in targets, all("numpy" in target for target in targets)) == (True, True)


def test_requirements_come_along() -> None:
    """Required distributions are bound as well, without extras and metadata."""
    environment = Environment(name="x", distributions=("rich",))
    names = {Path(target).name for _, target in environments.site_binds(environment)}

    assert {"rich", "markdown_it", "mdurl", "pygments"} == names


def test_a_missing_package_says_what_to_install() -> None:
    """A profile that is not available is a missing prerequisite, with the command that installs it."""
    environment = Environment(name="x", distributions=("no-such-package-here",))
    with pytest.raises(PrerequisiteError) as caught:
        environments.site_binds(environment)

    assert caught.value.hint == "pip install no-such-package-here"


def test_an_unknown_profile_names_the_known_ones() -> None:
    """The hint lists the known profiles."""
    with pytest.raises(UsageError) as caught:
        environments.find_environment("nump")

    assert caught.value.hint == "one of: bare, flake8, numpy, pytest, sklearn, torch"


@pytest.mark.parametrize(
    ("text", "name"),
    [("numpy>=1.26", "numpy"), ("a.b_c-d ; python_version < '3'", "a.b_c-d"), ("x[extra]>1", "x"), ("", "")],
)
def test_names_of_requirements(text: str, name: str) -> None:
    """The name precedes any version, extra or marker."""
    assert name == environments._name_of(text)


def test_an_outer_folder_swallows_the_inner() -> None:
    """A path inside another bound one needs no bind."""
    paths = [Path("/usr/lib"), Path("/usr/lib/python3"), Path("/usr/libexec"), Path("/usr/lib")]

    assert [Path("/usr/lib"), Path("/usr/libexec")] == environments._outermost(paths)


def test_packages_are_looked_for_where_the_path_leads_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """A found path is cached, by the current search path."""
    pytest_profile = environments.BUILT_IN["pytest"]
    first, again = environments.site_binds(pytest_profile), environments.site_binds(pytest_profile)
    again.clear()
    monkeypatch.setattr(sys, "path", [])

    with pytest.raises(PrerequisiteError, match="needs the package 'pytest'"):
        environments.site_binds(pytest_profile)
    monkeypatch.undo()
    assert environments.site_binds(pytest_profile) == first != []
