"""Gate a model in pytest: pytest test_threshold.py --benchwright-model openai:my-model"""

import pytest

from benchwright.pytest_plugin.thresholds import MeasuredRun


@pytest.mark.benchwright("humaneval", data="HumanEval.jsonl.gz", temperature=0.0)
def test_pass_rate(benchwright_run: MeasuredRun) -> None:
    benchwright_run.at_least("pass@1", 0.4)  # the lower bound of the 95 % interval
