"""Labels by plain tools: made rows of three languages, each executed in the jail by its own tool."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import plain_labels, plain_tools
from benchmarks.plain_labels import Checked, Report, check, drawn, page
from benchmarks.plain_layouts import Pair
from benchmarks.plain_tools import Ended, Tools
from benchwright.building.codecorrectness.row_records import load_rows
from benchwright.errors import PrerequisiteError
from kit.built_samples import CART, CART_TEST, PRICES, PRICES_TEST, SUM, SUM_TEST
from kit.examples import SCALE
from kit.go_needs import need_go
from kit.made_repositories import lines
from kit.needs import need, need_ready

PYTHON = Pair("Python", "src/shop/prices.py", PRICES, "tests/test_prices.py", PRICES_TEST)
JAVA = Pair("Java", "src/main/java/shop/Cart.java", CART, "src/test/java/shop/CartTest.java", CART_TEST)
GO = Pair("Go", "shop/sum.go", SUM, "shop/sum_test.go", SUM_TEST)


@pytest.fixture(scope="module")
def tools() -> Iterator[Tools]:
    """The plain tools of this machine; the cache of Go is empty."""
    need("bwrap", "rows of others are executed in")
    with Tools() as opened:
        yield opened


def ended(tools: Tools, pair: Pair) -> Ended:
    """What the tool says, or a skip that says what is absent."""
    return need_ready(lambda: tools.execute(pair), f"plain {pair.lang} tools are executed")


def with_five(pair: Pair, other: str) -> Pair:
    """The pair with another number in the focal file, which its test notices."""
    return pair._replace(focal=pair.focal.replace("- 5", f"- {other}"))


LANGUAGES = [
    pytest.param(PYTHON, "assert 127 == 126", id="Python"),
    pytest.param(JAVA, "expected: <115> but was: <116>", id="Java", marks=pytest.mark.slow),
]
if SCALE > 1:  # the weekly check: Go compiles its standard library first, which takes 15 CPU seconds
    LANGUAGES.append(pytest.param(GO, "total 116", id="Go", marks=pytest.mark.slow))


@pytest.mark.parametrize(("pair", "words"), LANGUAGES)
def test_each_tool_tells_a_pass_from_a_failure(tools: Tools, pair: Pair, words: str) -> None:
    """The same test passes on the file and fails on a changed one."""
    found = [ended(tools, each) for each in (pair, with_five(pair, "4"))]

    assert [each.state for each in found] == ["success", "failed"]
    assert found[1].lines[-1] == "exit status 1"
    assert any(words in line for line in found[1].lines), found[1].lines


@pytest.mark.parametrize(
    ("pair", "flags"),
    [
        pytest.param(GO, ["-test.paniconexit0", "-test.timeout=100s"], id="pair"),
        pytest.param(
            GO._replace(beside={"go.mod": b"module example.org/shop\n"}),
            ["-test.run", "^(?:TestLarge)$", "-test.paniconexit0", "-test.timeout=100s"],
            id="project",
        ),
    ],
)
def test_go_is_compiled_with_the_cache_and_run_without_it(
    tools: Tools, tmp_path: Path, pair: Pair, flags: list[str]
) -> None:
    """The code of a row never writes the build cache; of a project, only the tests of the row run."""
    need_go()
    given = plain_tools.Given(tmp_path / "cache")
    *creating, compiling, running = plain_tools._go_steps(tmp_path, pair, given)

    assert [step.argv[1:3] for step in creating] == ([] if pair.beside else [["mod", "init"]])
    assert compiling.argv[4:8] == ["test", "-vet=off", "-c", "-o"]
    assert all(step.kept == [str(given.cache)] for step in (*creating, compiling))
    assert (running.kept, running.argv[3:]) == ([], ["./pair.test", *flags])


def test_a_file_that_does_not_parse_fails(tools: Tools) -> None:
    """As every broken row must."""
    assert ended(tools, with_five(PYTHON, "")).state == "failed"


PROBE = """import os, socket, pathlib


def test_the_jail():
    assert os.getuid() != 0 and not os.environ.get("BENCHWRIGHT_TEST_DATA")
    for place in ("/usr/probe", "/etc/probe"):
        try:
            pathlib.Path(place).write_text("x")
        except OSError:
            continue
        raise AssertionError(place)
    with socket.socket() as probe:
        probe.settimeout(2)
        assert probe.connect_ex(("127.0.0.1", 9)) != 0
    assert [name for _, name in socket.if_nameindex()] == ["lo"]
    assert not any("benchwright" in path for path in __import__("sys").path)
    try:
        import benchwright
    except ImportError:
        return
    raise AssertionError("Benchwright can be imported")
"""


def test_the_jail_has_no_network_no_rights_and_nothing_of_benchwright(tools: Tools) -> None:
    """The probe would notice each of them."""
    found = ended(tools, PYTHON._replace(test=f"import shop.prices\n{PROBE}"))

    assert (found.state, found.lines[-1][:8]) == ("success", "1 passed")


def test_a_test_that_does_not_end_is_ended(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, with all that it has begun."""
    monkeypatch.setattr(plain_tools, "WALL_S", 0.5)
    found = ended(tools, PYTHON._replace(test="import shop.prices\nwhile True: pass\n"))

    assert (found.state, found.lines[-1]) == ("failed", "exit status none within 0 s")


def row(number: int, pair: Pair, label: str, subset: str = "original") -> dict[str, Any]:
    """A row as a build writes it."""
    return {
        "instruction": "{lang}\n{focal_code}\n{test_code}",
        "inputs": {"focal_code": pair.focal, "test_code": pair.test, "lang": pair.lang},
        "outputs": label,
        "meta": {"id": number, "subset": subset, "focal_path": pair.focal_path, "test_path": pair.test_path},
    }


class StubTools(Tools):
    """Says that all pass but what lacks a five; a tool for Java is not there."""

    def execute(self, pair: Pair) -> Ended:
        if pair.lang == "Java":
            raise PrerequisiteError("no Java here")
        return Ended("success" if "- 5" in pair.focal else "failed", ["said \x1b[31m so"])


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build's folder: a right label, a wrong one, a broken row that passes, one without its tool."""
    monkeypatch.setattr(plain_labels, "Tools", StubTools)
    made = [
        row(1, PYTHON, "success"),
        row(2, with_five(PYTHON, "4"), "success"),
        row(3, GO, "success", "broken"),
        row(4, JAVA, "success"),
    ]
    lines(tmp_path / "codecorrectness.jsonl", made)
    return tmp_path


def test_each_row_that_differs_is_told(rows: Path) -> None:
    """A wrong label, and a broken row that passes: no broken file may, whatever its label says."""
    report = check(rows, most=10, seed=1)
    told = {each.id: each.state for each in report.rows}
    text = page(report)

    assert told == {"1": "agrees", "2": "differs", "3": "differs", "4": "not executed"}
    assert "broken: 0 of 1 fail" in text
    assert "row 2 (Python, original): label success, the tool says failed" in text
    assert ("no Java here" in text, "\x1b" in text) == (True, False)


def test_the_command_says_by_its_status_what_was_found(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 for a difference, 3 for want of a tool, 0 else; --json gives all."""
    assert plain_labels.main([str(rows), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["counts"] == {"agrees": 1, "differs": 2, "not executed": 1}
    lines(rows / "java.jsonl", [row(4, JAVA, "success")])
    lines(rows / "good.jsonl", [row(1, PYTHON, "success")])

    assert [plain_labels.main([str(rows / name)]) for name in ("java.jsonl", "good.jsonl")] == [3, 0]
    assert plain_labels.main([str(rows), "--rows", "0"]) == 2
    assert plain_labels.main([str(rows / "none.jsonl")]) != 0


def test_rows_are_drawn_by_their_text(rows: Path) -> None:
    """The seed draws others; order and labels of the file do not count."""
    loaded = [each for each, _ in load_rows(rows / "codecorrectness.jsonl")]
    shutil.copy(rows / "codecorrectness.jsonl", rows / "turned.jsonl")
    lines(rows / "turned.jsonl", [row(9, GO, "failed"), row(8, PYTHON, "failed")])
    turned = {each.revision for each, _ in load_rows(rows / "turned.jsonl")}
    orders = {tuple(sorted(drawn(each, seed) for each in loaded)) for seed in range(5)}

    assert len(orders) == 5
    assert turned <= {each.revision for each in loaded}
    assert [each.id for each in check(rows, most=2, seed=1).rows] == [
        each.id for each in check(rows, most=4, seed=1).rows
    ][:2]


def test_counts_are_by_language() -> None:
    """A language that has no rows counts none."""
    made = Checked(id="1", lang="Go", subset="", label="success", said="success", lines=[])
    report = Report(data="x", seed=1, offered=1, rows=[made])

    assert (report.counts(), report.counts("Go"), report.counts("Java")) == ({"agrees": 1}, {"agrees": 1}, {})
