"""A build of suites on real Ray nodes: the files of a local build. Mined histories: test_ray_executor.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.building.alignment import pipeline
from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.codecorrectness.pipeline import build
from benchwright.building.codecorrectness.verification import verify
from benchwright.building.engine import process_map as on_cores
from benchwright.cluster import process_map as on_nodes
from benchwright.executing.executors import LOCAL, work_on
from kit.go_needs import need_go
from kit.made_repositories import MIT, repository
from kit.ray_nodes import two_nodes

DEMO = Path(pipeline.__file__).parents[2] / "demo/alignment"
GO = "module example.org/gamma\n\ngo 1.21\n"
# Tests at the bound: a changed bound fails in each of them, or in none.
PYTHON = "def alpha(a, b):\n    if b > 2:\n        return b * 10\n    return a + b\n"
PYTHON_TEST = "from alpha import alpha\n" + "".join(
    f"\n\ndef test_{name}():\n    assert alpha(1, {given}) == {wanted}\n"
    for name, given, wanted in (("bound", 2, 3), ("large", 5, 50), ("next", 3, 30))
)
GO_SUM = (
    "package gamma\n\nfunc Sum(a, b int) int {\n\tif b > 2 {\n\t\treturn b * 10\n\t}\n\treturn a + b\n}\n"
)
GO_TEST = 'package gamma\n\nimport "testing"\n' + "".join(
    f"\nfunc Test{name}(t *testing.T) {{\n\tif got := Sum(1, {given}); got != {wanted} {{\n"
    f'\t\tt.Errorf("got %d, want {wanted}", got)\n\t}}\n}}\n'
    for name, given, wanted in (("Bound", 2, 3), ("Large", 5, 50), ("Next", 3, 30))
)


@pytest.fixture
def place() -> Iterator[str]:
    """Two nodes."""
    need_go()
    with two_nodes() as made:
        yield f"ray://{made.address}?trust"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are spread from the first one on."""
    monkeypatch.setattr(on_nodes, "WORTH_S", 0.0)
    monkeypatch.setattr(on_cores, "WORTH_S", 1e9)


def files(folder: Path) -> dict[str, bytes]:
    """All files of a build but those that say what executions took."""
    found = (path for path in folder.rglob("*") if path.is_file() and "executions" not in path.name)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.usefixtures("jail")
@pytest.mark.filterwarnings("default")
def test_suites_are_built_and_verified_on_nodes(place: str, tmp_path: Path) -> None:
    """Python and Go; every row is confirmed."""
    python = {"alpha.py": PYTHON, "test_alpha.py": PYTHON_TEST}
    sums, test = GO_SUM, GO_TEST
    repository(tmp_path / "clones/alpha", {"LICENSE": MIT, **python})
    repository(tmp_path / "clones/gamma", {"LICENSE": MIT, "go.mod": GO, "sum.go": sums, "sum_test.go": test})
    options = BuildOptions(sources=(str(tmp_path / "clones"),), repeat=2, history=5, shots=0)
    for on in (LOCAL, place):
        name = "local" if on == LOCAL else "spread"
        with work_on(on):
            build(options, tmp_path / name)
            found = verify(tmp_path / name / "test.json", out=tmp_path / f"{name}-verified", repeat=2)
        assert found.counts["agrees"] == found.rows > 0
        assert set(found.languages) == {"Python", "Go"}

    assert files(tmp_path / "spread") == files(tmp_path / "local")
    findings = (tmp_path / "spread-verified/findings.jsonl").read_text("utf-8")
    assert findings.replace("/spread/", "/local/") == (tmp_path / "local-verified/findings.jsonl").read_text(
        "utf-8"
    )
