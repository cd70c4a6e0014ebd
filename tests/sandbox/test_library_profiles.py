"""The profiles sklearn and torch as they are installed: warm forks, one thread, seeds, the same as cold."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import msgspec
import pytest

from benchwright.sandbox import environments, jail
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.clock import tree_cpu_s
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.profiles import packages_folder
from kit.processes import HANG_S
from kit.profile_needs import need_profile

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("jail")]
LIMITS = Limits(cpu_s=20.0)
FIT = {
    "sklearn": """
import numpy, pandas, statsmodels.api
from sklearn.linear_model import LinearRegression
def f():
    table = pandas.DataFrame({"x": [1.0, 2.0, 3.0], "y": [2.0, 4.1, 5.9]})
    fitted = LinearRegression().fit(table[["x"]], table["y"])
    model = statsmodels.api.OLS(table["y"], statsmodels.api.add_constant(table["x"])).fit()
    return [float(fitted.coef_[0]), model.params.tolist(), numpy.random.rand(2).tolist()]
""",
    "torch": """
import torch
def f():
    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    best = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(2):
        best.zero_grad(); loss = (network(torch.ones(3, 4)) - 1).pow(2).mean(); loss.backward(); best.step()
    return [loss.item(), torch.ones(600, 600).mm(torch.ones(600, 600)).sum().item(), torch.get_num_threads()]
""",
}


@pytest.mark.parametrize("name", FIT)
def test_warm_gives_what_cold_gives(name: str) -> None:
    """Forks agree to the last digit, and with a fresh interpreter of the same seeds up to rounding: a
    kernel's order of summation may depend on addresses."""
    need_profile(name)
    with Sandbox(name, limits=LIMITS) as box:
        warm = [box.run(FIT[name], "f", [((), {})]) for _ in range(2)]
    values = [result.replies[0].value if result.replies else result.detail for result in warm]

    assert values[0] == values[1], values
    assert _flat(_cold(name)) == pytest.approx(_flat(values[0]), rel=1e-5)


def _flat(value: Any) -> list[float]:
    return [each for part in value for each in _flat(part)] if isinstance(value, list) else [value]


def _cold(name: str) -> Any:
    environment = environments.find_environment(name)
    paths = [str(packages_folder(name)), str(jail.INSIDE.parent)]
    program = f"import sys; sys.path[:0] = {paths}\n{FIT[name]}\nimport inside.library_seeds, json; print(json.dumps(f()))"
    done = subprocess.run(
        [str(environments.interpreter()), "-P", "-s", "-S", "-B", "-c", program],
        env={**jail.ENVIRONMENT, **dict(environment.variables), "PYTHONHASHSEED": "0"},
        capture_output=True, text=True, timeout=HANG_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-400:]
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "draw"),
    [("sklearn", "import numpy\ndef f(): return numpy.random.rand(3).tolist()"),
     ("torch", "import torch\ndef f(): return torch.rand(3).tolist()")],
)  # fmt: skip
def test_generators_follow_the_seed_of_the_hashes(name: str, draw: str) -> None:
    """Two interpreters with one seed draw the same, one with another seed does not: a task that depends on
    them is detected."""
    need_profile(name)
    drawn = []
    for seed in (0, 0, 7):
        environment = msgspec.structs.replace(environments.find_environment(name), hash_seed=seed)
        with Sandbox(environment, limits=LIMITS) as box:
            drawn += [box.run(draw, "f", [((), {})]).replies[0].value for _ in range(2)]

    assert [value == drawn[0] for value in drawn] == [True, True, True, True, False, False]


def test_a_fork_is_fifty_times_cheaper_than_a_start() -> None:
    """In processor time: the libraries are imported once."""
    need_profile("torch")
    with Sandbox("torch", limits=LIMITS) as box:
        forks = [box.run("def f(): return 1", "f", [((), {})]).usage.cpu_s for _ in range(5)]
        started = tree_cpu_s(box._zygotes["torch"]._process.pid)

    assert started > 50 * min(forks)
