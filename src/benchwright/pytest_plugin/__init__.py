"""The pytest plugin: the fixtures `benchwright_model` and `benchwright_run`, the marker `benchwright`.

    @pytest.mark.benchwright("humaneval", data="HumanEval.jsonl.gz", temperature=0)
    def test_pass_rate(benchwright_run):
        benchwright_run.at_least("pass@1", 0.6)

pytest imports this module in each of its runs, so it imports nothing but pytest itself. The rest of
Benchwright is loaded when a test uses a fixture or the marker. docs/pytest.md is the guide.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from benchwright.pytest_plugin.model_fixture import ModelUnderTest
    from benchwright.pytest_plugin.session_runs import SessionRuns
    from benchwright.pytest_plugin.thresholds import MeasuredRun

MARKER = "benchwright"
MODEL_FIXTURE, RUN_FIXTURE = "benchwright_model", "benchwright_run"
PROPERTY = "benchwright"  # of a test's report: a line on a run, which xdist and JUnit files carry along
_RUNS: pytest.StashKey[Any] = pytest.StashKey()
_ABOUT = (
    "benchwright(track, *, data=..., **arguments): the call of benchwright.run that the fixture "
    "`benchwright_run` makes. Without arguments, a label of tests that ask a model."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and their settings in the configuration file."""
    group = parser.getgroup("benchwright", "scores of models (benchwright)")
    group.addoption(
        "--benchwright-model",
        action="append",
        metavar="SPEC",
        help="Model that tests ask, such as openai:NAME; repeat it to run each test with several models.",
    )
    group.addoption("--benchwright-base-url", metavar="URL", help="Address of the server of these models.")
    group.addoption(
        "--benchwright-runs",
        metavar="FOLDER",
        help="Folder for run folders, which later sessions resume.  [default: in pytest's cache]",
    )
    group.addoption(
        "--benchwright-fresh",
        action="store_true",
        help="Ask again: use no runs and no cached answers of earlier sessions.",
    )
    parser.addini("benchwright_model", "Models that tests ask, one a line.", type="linelist", default=[])
    parser.addini("benchwright_base_url", "Address of the server of these models.", default="")
    parser.addini("benchwright_runs", "Folder for run folders, relative to this file.", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _ABOUT)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat each test for each model, and check the arguments of its marker."""
    names = metafunc.fixturenames
    if MODEL_FIXTURE not in names:
        return
    marker = metafunc.definition.get_closest_marker(MARKER)
    given = {} if marker is None else dict(marker.kwargs)
    specs = [given["model"]] if "model" in given else _models(metafunc.config)
    if RUN_FIXTURE in names:
        _check_marker(metafunc, marker, specs)
    if specs and not _is_parametrized(metafunc):
        metafunc.parametrize(MODEL_FIXTURE, specs, indirect=True, ids=[str(each) for each in specs])


def _check_marker(metafunc: pytest.Metafunc, marker: pytest.Mark | None, specs: list[Any]) -> None:
    """Raise CollectError for an invalid call of `run`. It reads no file and asks no model."""
    from benchwright.api.running import checked_arguments  # noqa: PLC0415 (only these tests need it)
    from benchwright.errors import BenchwrightError  # noqa: PLC0415

    place = f"{metafunc.definition.nodeid}: "
    if marker is None or not (marker.args or marker.kwargs):
        hint = '@pytest.mark.benchwright("humaneval", data="HumanEval.jsonl.gz")'
        raise _collect_error(f"{place}{RUN_FIXTURE} needs a marker with a track and data\nhint: {hint}")
    try:
        checked_arguments(*marker.args, **{"model": specs[0] if specs else "", **marker.kwargs})
    except BenchwrightError as error:
        raise _collect_error(f"{place}{error}") from None


def _collect_error(message: str) -> Exception:
    return pytest.Collector.CollectError(message)


def _models(config: pytest.Config) -> list[str]:
    """Return the models of the command line, else those of the configuration file."""
    return list(dict.fromkeys(config.getoption("--benchwright-model") or config.getini("benchwright_model")))


def _is_parametrized(metafunc: pytest.Metafunc) -> bool:
    """Return whether the test itself names its models."""
    marks = metafunc.definition.iter_markers("parametrize")
    return any(MODEL_FIXTURE in str(mark.args[0]) for mark in marks if mark.args)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that use a model, so that `-m "not benchwright"` leaves them out."""
    for item in items:
        if MODEL_FIXTURE in getattr(item, "fixturenames", ()) and not item.get_closest_marker(MARKER):
            item.add_marker(MARKER)


@pytest.fixture
def benchwright_model(request: pytest.FixtureRequest) -> ModelUnderTest:
    """A model to test: `benchwright_model.run(track, data=…)` takes the arguments of `benchwright.run`."""
    from benchwright.pytest_plugin.model_fixture import ModelUnderTest  # noqa: PLC0415 (only its tests need it)

    config = request.config
    spec = getattr(request, "param", None)
    if not spec:
        hint = "pytest --benchwright-model openai:NAME, or benchwright_model = openai:NAME in pytest.ini"
        pytest.fail(f"no model is given\nhint: {hint}", pytrace=False)
    base_url = config.getoption("--benchwright-base-url") or config.getini("benchwright_base_url")

    def note(line: str) -> None:
        request.node.user_properties.append((PROPERTY, line))

    return ModelUnderTest(spec, base_url=base_url or None, runs=_session_runs(request), note=note)


@pytest.fixture
def benchwright_run(request: pytest.FixtureRequest, benchwright_model: ModelUnderTest) -> MeasuredRun:
    """The run that the test's marker describes."""
    from benchwright.errors import BenchwrightError  # noqa: PLC0415 (only its tests need it)

    marker = request.node.get_closest_marker(MARKER)
    try:
        return benchwright_model.run(*marker.args, **marker.kwargs)
    except BenchwrightError as error:
        message = str(error)
    pytest.fail(message, pytrace=False)


def _session_runs(request: pytest.FixtureRequest) -> SessionRuns:
    """Return the runs of this session, which its tests share."""
    from benchwright.pytest_plugin.session_runs import SessionRuns  # noqa: PLC0415 (only its tests need it)

    stash = request.config.stash
    if _RUNS not in stash:
        fresh = bool(request.config.getoption("--benchwright-fresh"))
        stash[_RUNS] = SessionRuns(_folder(request, fresh=fresh), fresh=fresh)
    runs: SessionRuns = stash[_RUNS]
    return runs


def _folder(request: pytest.FixtureRequest, *, fresh: bool) -> Path:
    """Return the parent of run folders. The processes of pytest-xdist share it."""
    config = request.config
    parent: Path
    if given := config.getoption("--benchwright-runs"):
        parent = config.invocation_params.dir / str(given)
    elif stated := config.getini("benchwright_runs"):
        parent = (config.inipath.parent if config.inipath else config.rootpath) / stated
    elif not fresh and (cache := getattr(config, "cache", None)) is not None:
        return Path(cache.mkdir("benchwright"))
    else:
        return _session_folder(request) / "benchwright"
    return parent / _session_folder(request).name if fresh else parent


def _session_folder(request: pytest.FixtureRequest) -> Path:
    """Return the temporary folder of the whole session."""
    folder: Path = request.getfixturevalue("tmp_path_factory").getbasetemp()
    return folder.parent if hasattr(request.config, "workerinput") else folder


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print one line for each run that tests used."""
    lines = list(dict.fromkeys(_noted(terminalreporter)))
    if lines:
        terminalreporter.section("benchwright", sep="-")
        for line in lines:
            terminalreporter.line(line)


def _noted(terminalreporter: Any) -> Iterator[str]:
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, line in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    yield str(line)
