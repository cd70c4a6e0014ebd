"""`bw.Judge`: verdicts in order, from threads and asyncio, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import benchwright as bw
from kit.small_data import gold_of, humaneval

pytestmark = pytest.mark.usefixtures("jail")
RIGHT, WRONG = f"    return {gold_of(0)}\n", "    return None\n"


def judging_threads() -> list[threading.Thread]:
    """The threads of open judges."""
    return [each for each in threading.enumerate() if each.name == "benchwright-judge"]


def test_verdicts_come_in_order_from_all_ways_of_calling(tmp_path: Path) -> None:
    """One call, an iterator, threads and asyncio give the same verdicts; a closed judge refuses."""
    pairs = [("Small/0", RIGHT if number % 2 else WRONG) for number in range(12)]
    expected = ["passed" if number % 2 else "wrong" for number in range(12)]

    async def gathered(judge: bw.Judge) -> list[bw.Verdict]:
        return await asyncio.gather(*(judge.ajudge(*each) for each in pairs))

    with bw.Judge(humaneval(tmp_path, 1), workers=1) as judge, ThreadPoolExecutor(3) as threads:
        ways = [
            [judge.judge(*each) for each in pairs],
            list(judge.judge_many(pairs)),
            list(threads.map(lambda each: judge.judge(*each), pairs)),
            asyncio.run(gathered(judge)),
        ]
        with pytest.raises(bw.UsageError, match="unknown task"):
            judge.judge("Small/7", RIGHT)
    with pytest.raises(bw.UsageError, match="closed"):
        judge.judge("Small/0", RIGHT)

    assert [[each.outcome.value for each in way] for way in ways] == [expected] * 4


def test_a_judge_ends_with_an_exception_and_with_its_last_reference(tmp_path: Path) -> None:
    """No thread, and so no worker, stays."""
    data = humaneval(tmp_path, 1)
    with pytest.raises(KeyboardInterrupt), bw.Judge(data, workers=1) as judge:
        raise KeyboardInterrupt
    del judge
    other = bw.Judge(data, workers=1)
    assert len(judging_threads()) == 1
    del other
    gc.collect()

    assert judging_threads() == []
