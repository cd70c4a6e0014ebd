"""PPI++ against ppi-python itself, the reference of its authors.

sh tests/integration/setup_ppi.sh /tmp/benchwright-ppi
/tmp/benchwright-ppi/bin/python -m pytest -m integration tests/integration/test_ppi_python.py
"""

from __future__ import annotations

from random import Random

import pytest

from benchwright.stats.ppi import power_tuned
from kit.needs import need_module

# What the package itself is warned of is not for us to mend.
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_estimate_and_interval_are_those_of_the_reference(seed: int, kind: str) -> None:
    """On data of every seed, with lam tuned and given, to nine places."""
    ppi = need_module("ppi_py", reason="ppi-python is not installed: see setup_ppi.sh")
    numpy = need_module("numpy")
    rng = Random(seed)

    def drawn() -> tuple[float, float]:
        if kind == "graded":
            true = rng.choice((0, 0.25, 0.5, 0.75, 1))
            return true, min(1.0, max(0.0, true + rng.choice((-0.25, 0, 0, 0.25))))
        true = float(rng.random() < 0.6)
        return true, true if rng.random() < 0.8 else 1 - true

    labelled = [drawn() for _ in range(rng.randint(10, 120))]
    human, judge = ([pair[side] for pair in labelled] for side in range(2))
    unlabelled = [drawn()[1] for _ in range(rng.randint(20, 500))]
    given = [numpy.array(each) for each in (human, judge, unlabelled)]
    for lam in (None, 0.0, 0.4, 1.0):
        low, high = ppi.ppi_mean_ci(*given, alpha=0.05, lam=lam)
        value = ppi.ppi_mean_pointestimate(*given, lam=lam)
        found = power_tuned(human, judge, unlabelled, lam=lam)
        assert found.value == pytest.approx(float(numpy.ravel(value)[0]), abs=1e-9)
        assert found.interval() == pytest.approx((numpy.ravel(low)[0], numpy.ravel(high)[0]), abs=1e-9)
