"""The object behind the fixture `benchwright_model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchwright.display.escape import escaped, escaped_path
from benchwright.display.wording import short_spec
from benchwright.errors import BenchwrightError
from benchwright.pytest_plugin.session_runs import SessionRuns
from benchwright.pytest_plugin.thresholds import MeasuredRun, figure_text
from benchwright.running.run_data import measures_of


class ModelUnderTest:
    """A model that tests ask. `spec` is its spec, such as "openai:NAME"."""

    def __init__(
        self, spec: str, *, base_url: str | None, runs: SessionRuns, note: Callable[[str], None]
    ) -> None:
        self.spec, self.base_url = spec, base_url
        self._runs, self._note = runs, note

    def run(self, *args: Any, **arguments: Any) -> MeasuredRun:
        """Score the model on a data set: `run("humaneval", data="rows.jsonl", limit=20)`.

        Takes the arguments of `benchwright.run`; `model` and `base_url` are those of the fixture by default.
        The same call in another test of the session returns the same run. Raises a BenchwrightError.
        """
        __tracebackhide__ = True
        own = {"model": self.spec} | ({"base_url": self.base_url} if self.base_url else {})
        try:
            found = MeasuredRun.of(self._runs.run(*args, **{**own, **arguments}))
        except BenchwrightError as error:
            raise error.with_traceback(None)  # noqa: B904 (the same error; its frames are not the user's)
        self._note(_line(found))
        return found

    def __repr__(self) -> str:
        return f"ModelUnderTest({self.spec!r})"


def _line(run: MeasuredRun) -> str:
    """Return the line on a run below the results of pytest."""
    figure = "not scored"
    if (run.path / "scores.json").exists() and run.scores:
        name = measures_of(run.track).in_order(run.scores)[0]
        figure = figure_text(name, run.scores[name])
    return escaped(f"{run.track}, {short_spec(run.model)}: {figure}; {escaped_path(run.path)}")
