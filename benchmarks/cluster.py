"""How busy one driver keeps a cluster, by the number of its cores, and where 90 % ends.

Inputs are measured first, on this machine (`cluster_inputs`); then stored answers are judged by the real
driver on a simulated cluster (`simulated_cluster`), its processor time advancing the clock.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import environment
from benchmarks.cluster_check import Check, check
from benchmarks.cluster_inputs import (
    BATCH,
    SETUP,
    humaneval_jobs,
    measure_calls,
    measure_executions,
    two_nodes,
)
from benchmarks.dataset import REPOSITORY, load
from benchmarks.feeding import timed_plan
from benchmarks.simulated_cluster import CallCosts, Counts, SimulatedCluster, Trouble, simulated
from benchwright.cluster.probe import probe
from benchwright.errors import BenchwrightError
from benchwright.executing.executors import pack_jobs
from benchwright.progress import Silent
from benchwright.running.answering import ask_questions
from benchwright.running.judging import judge_answers
from benchwright.running.run_folders import open_folder

CORES = (10, 100, 1000, 10_000)
NODE_CORES = 32
SCALES = (1, 10, 100)
MOST = 200_000  # answers of a replay
SECONDS = 12.0  # of work for each core, if `MOST` answers are enough for it
LONGEST = 20
FIRST_CORES, STEPS = 16, 3
GOAL = 0.9
LIMIT_S = 3600.0


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured."""

    execution_s: list[float]
    costs: CallCosts
    account: str
    batch_bytes: int  # of BATCH answers


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster, a run on it, and what goes wrong."""

    nodes: list[int]
    answers: int
    n: int
    scale: float  # by which executions take longer than measured
    trouble: Trouble = Trouble()

    @property
    def cores(self) -> int:
        """The cores of all nodes."""
        return sum(self.nodes)


class ReplayResult(msgspec.Struct, frozen=True, kw_only=True):
    """A case, in simulated seconds."""

    case: Case
    answer_s: float  # mean time of a worker's core for an answer
    makespan_s: float
    driver_s: float  # processor time of the driver in it
    counts: Counts

    @property
    def busy(self) -> float:
        """Share of the cores' time in which they judged answers, each counted once."""
        return self.case.answers * self.answer_s / (self.case.cores * self.makespan_s)

    @property
    def driver_share(self) -> float:
        """Of one core."""
        return self.driver_s / self.makespan_s

    @property
    def twice(self) -> int:
        """Answers that were judged more than once."""
        return self.counts.jobs - self.case.answers


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of `./run bench cluster`."""

    machine: environment.Machine
    date: str
    n: int
    inputs: Inputs
    checked: Check
    cases: list[ReplayResult]
    troubled: list[ReplayResult]
    limit: list[ReplayResult]  # the search for the most cores that are busy


def measure_inputs(data: Path, n: int, *, rounds: int) -> tuple[Inputs, Check]:
    """Measure executions, the cost of a node, and calls through Ray; compare real runs with replays."""
    with TemporaryDirectory() as name:
        jobs = humaneval_jobs(load(data), n, Path(name))
        executions = measure_executions(jobs, Path(name))
    batch = pack_jobs(jobs[:BATCH])
    with two_nodes() as session:
        costs = msgspec.structs.replace(
            measure_calls(session, batch),
            node_job_s=executions.actor_job_s,
            worker_job_s=executions.worker_job_s,
        )
        checked = check(session, jobs, costs, rounds=rounds)
    inputs = Inputs(
        execution_s=executions.execution_s, costs=costs, account=executions.account, batch_bytes=len(batch)
    )
    return inputs, checked


def nodes_of(cores: int, node_cores: int = NODE_CORES) -> list[int]:
    """Return the cores of nodes of at most `node_cores`, as equal as possible."""
    count = -(-cores // node_cores)
    return [cores // count + (number < cores % count) for number in range(count)]


def replay(case: Case, inputs: Inputs, data: Path, facts: bytes) -> ReplayResult:
    """Judge stored answers on a simulated cluster, here and now."""
    times = [case.scale * each for each in inputs.execution_s]
    cluster = SimulatedCluster(case.nodes, times, costs=inputs.costs, trouble=case.trouble, facts=facts)
    watch = Silent()
    with TemporaryDirectory() as name:
        plan = timed_plan(load(data), case.answers, case.n, Path(name))
        with (
            open_folder(plan, Path(name) / "run", "new", watch) as folder,
            simulated(cluster, SETUP) as opened,
        ):
            ask_questions(plan, folder, watch)
            for task in plan.tasks.values():
                plan.spec(task, "strict")  # the self-check has made it by then
            began, cpu_s = cluster.monotonic(), cluster.cpu_s()
            judge_answers(plan, folder, opened, watch, profile="strict")
            makespan_s, driver_s = cluster.monotonic() - began, cluster.cpu_s() - cpu_s
            if (stored := sum(1 for _ in folder.verdicts())) != case.answers:
                raise BenchwrightError(f"{case.answers} answers, but {stored} verdicts")
    mean_s = fmean(times[number % len(times)] for number in range(case.answers))
    return ReplayResult(
        case=case,
        answer_s=mean_s + inputs.costs.worker_job_s,
        makespan_s=makespan_s,
        driver_s=driver_s,
        counts=cluster.counts,
    )


class _Order(msgspec.Struct, frozen=True, kw_only=True):
    case: Case
    inputs: Inputs
    data: str


def replay_apart(case: Case, inputs: Inputs, data: Path) -> ReplayResult:
    """Replay a case in a fresh process."""
    order = msgspec.json.encode(_Order(case=case, inputs=inputs, data=str(data)))
    command = [sys.executable, "-m", "benchmarks.cluster"]
    done = subprocess.run(
        command, cwd=REPOSITORY, input=order, stdout=subprocess.PIPE, check=False, timeout=LIMIT_S
    )
    if done.returncode:
        raise BenchwrightError(f"a replay ended with exit code {done.returncode}")
    return msgspec.json.decode(done.stdout, type=ReplayResult)


def main() -> None:
    """The process of a replay: the order on stdin, the result on stdout."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=_Order)
    facts = msgspec.msgpack.encode(probe())
    done = replay(order.case, order.inputs, Path(order.data), facts)
    sys.stdout.buffer.write(msgspec.json.encode(done))


def bench(
    cores: Sequence[int],
    scales: Sequence[float],
    *,
    inputs: Inputs,
    checked: Check,
    data: Path,
    n: int,
    most: int,
    trouble: Trouble,
) -> Report:
    """Replay all cases, those with trouble, and the search for the limit at the first scale."""

    def replayed(count: int, scale: float, went_wrong: Trouble = _NONE) -> ReplayResult:
        answers = enough_answers(count, scale, inputs, n=n, most=most)
        nodes = nodes_of(count)
        return replay_apart(
            Case(nodes=nodes, answers=answers, n=n, scale=scale, trouble=went_wrong), inputs, data
        )

    return Report(
        machine=environment.describe(),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        n=n,
        inputs=inputs,
        checked=checked,
        cases=[replayed(count, scale) for scale in scales for count in cores],
        troubled=[replayed(count, scales[-1], trouble) for count in cores if count > NODE_CORES],
        limit=search_limit(lambda count: replayed(count, scales[0])),
    )


_NONE = Trouble()


def enough_answers(cores: int, scale: float, inputs: Inputs, *, n: int, most: int) -> int:
    """Return the answers that give each core `SECONDS` of work, and `LONGEST` times its longest execution.

    At most `most`; a multiple of `n`.
    """
    longest_s = scale * max(inputs.execution_s)
    work_s = max(SECONDS, LONGEST * longest_s)
    answers = min(most, int(cores * work_s / answer_s(inputs, scale)))
    return max(n, answers // n * n)


def answer_s(inputs: Inputs, scale: float) -> float:
    """Return the mean time of a core for an answer."""
    return scale * fmean(inputs.execution_s) + inputs.costs.worker_job_s


def search_limit(replayed: Callable[[int], ReplayResult]) -> list[ReplayResult]:
    """Replay with more cores until less than `GOAL` of their time is used, then between the last two."""
    cores, found = FIRST_CORES, list[ReplayResult]()
    while not found or found[-1].busy >= GOAL:
        found.append(replayed(cores))
        cores *= 2
    low, high = cores // 4, cores // 2
    for _ in range(STEPS):
        middle = (low + high) // 2
        found.append(replayed(middle))
        low, high = (middle, high) if found[-1].busy >= GOAL else (low, middle)
    return found


if __name__ == "__main__":
    main()
