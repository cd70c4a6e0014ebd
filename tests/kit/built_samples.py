"""Small repositories in three languages for whole builds, and the build command as a process that may be
killed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from benchwright.judges.suites import go_toolchain, java_toolchain
from kit.made_repositories import MIT, repository
from kit.needs import need_ready
from kit.processes import all_gone, descendants, wait_until

COMMAND = [sys.executable, "-m", "benchwright.cli.main"]
PRICES = '''"""Prices."""


def total(prices, rate):
    net = sum(prices)
    if net > 100:
        net = net - 5
    return net + net * rate // 100
'''
PRICES_TEST = """from shop.prices import total


def test_small():
    assert total([1, 2], 0) == 3


def test_large():
    got = total([60, 60], 10)
    assert got == 126
"""
PYTHON = {"shop/__init__.py": "", "shop/prices.py": PRICES, "tests/test_prices.py": PRICES_TEST}
CART = """package shop;

public class Cart {
    private int total;

    public void add(int price, int count) {
        total += price * count;
    }

    public int total() {
        return total > 100 ? total - 5 : total;
    }
}
"""
CART_TEST = """package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CartTest {
    @Test
    void large() {
        Cart cart = new Cart();
        cart.add(60, 2);
        assertEquals(115, cart.total());
    }
}
"""
JAVA = {"src/main/java/shop/Cart.java": CART, "src/test/java/shop/CartTest.java": CART_TEST}
SUM = """package shop

func Total(prices []int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	if sum > 100 {
		return sum - 5
	}
	return sum
}
"""
SUM_TEST = """package shop

import "testing"

func TestLarge(t *testing.T) {
	if got := Total([]int{60, 60}); got != 115 {
		t.Fatalf("total %d", got)
	}
}
"""
GO = {"go.mod": "module example.org/shop\n\ngo 1.20\n", "sum.go": SUM, "sum_test.go": SUM_TEST}
# Each of these tests passes or fails depending on its environment.
BY_HASH = "def place(name):\n    return hash(name)\n"
BY_CHANCE = "import random\n\n\ndef roll():\n    return random.random()\n"
BY_CHANCE_TEST = "from dice import roll\n\n\ndef test_roll():\n    got = roll()\n    assert got > 0.5\n"
BY_ZONE_JAVA = """package shop;

import java.time.ZoneId;

public class Clock {
    public String zone() {
        return ZoneId.systemDefault().getId();
    }
}
"""
BY_ZONE_JAVA_TEST = """package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ClockTest {
    @Test
    void zone() {
        String zone = new Clock().zone();
        assertEquals("UTC", zone);
    }
}
"""
BY_ZONE_GO = 'package shop\n\nimport "time"\n\nfunc Hour() int {\n\treturn time.Unix(0, 0).Hour()\n}\n'
BY_ZONE_GO_TEST = """package shop

import "testing"

func TestHour(t *testing.T) {
	if got := Hour(); got != 0 {
		t.Fatal(got)
	}
}
"""
_ORDERED = "LOG = []\n\n\ndef add(number):\n    LOG.append(number)\n    return list(LOG)\n"


@cache
def by_hash_test() -> str:
    """Return a test that passes only under the hash seed of the first execution."""
    asked = [sys.executable, "-c", "print(hash('shop'))"]
    said = subprocess.run(
        asked, env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True
    )
    return f"from hashed import place\n\n\ndef test_place():\n    got = place('shop')\n    assert got == {said.stdout.strip()}\n"


def by_order_test() -> str:
    """Return five cases that pass only in the order of the file."""
    cases = [
        f"def test_{number}():\n    assert add({number}) == {list(range(number + 1))}\n"
        for number in range(5)
    ]
    return "from ordered import add\n\n\n" + "\n\n".join(cases)


def need_toolchains() -> None:
    """Skip if Java or Go suites cannot be executed."""
    for find in (java_toolchain.find_toolchain, go_toolchain.find_toolchain):
        need_ready(find, "suites of three languages are executed")


def clones(folder: Path) -> Path:
    """Create a repository in each language, each with one unsteady test."""
    unsteady = {"hashed.py": BY_HASH, "test_hashed.py": by_hash_test()}
    unsteady |= {"dice.py": BY_CHANCE, "test_dice.py": BY_CHANCE_TEST}
    java = {
        "src/main/java/shop/Clock.java": BY_ZONE_JAVA,
        "src/test/java/shop/ClockTest.java": BY_ZONE_JAVA_TEST,
    }
    go = {"clock.go": BY_ZONE_GO, "clock_test.go": BY_ZONE_GO_TEST}
    repository(folder / "python", {"LICENSE": MIT, **PYTHON, **unsteady})
    repository(folder / "java", {"LICENSE": MIT, **JAVA, **java})
    repository(folder / "go", {"LICENSE": MIT, **GO, **go})
    return folder


def unsteady_rows() -> list[dict[str, Any]]:
    """Return rows whose label depends on the hash seed, random numbers, the order of the tests, or the time
    zone."""
    made = [
        ("hash", BY_HASH, by_hash_test(), "Python"),
        ("chance", BY_CHANCE, BY_CHANCE_TEST, "Python"),
        ("order", _ORDERED, by_order_test(), "Python"),
        ("zone-java", BY_ZONE_JAVA, BY_ZONE_JAVA_TEST, "Java"),
        ("zone-go", BY_ZONE_GO, BY_ZONE_GO_TEST, "Go"),
    ]
    return [
        {
            "instruction": "{lang}\n{focal_code}\n{test_code}",
            "inputs": {"focal_code": focal, "test_code": test, "lang": lang},
            "outputs": "success",
            "meta": {"id": name},
        }
        for name, focal, test, lang in made
    ]


def lines_of(path: Path) -> list[bytes]:
    """Return the complete lines of a file that may be missing or incomplete."""
    if not path.exists():
        return []
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def kill_at(*arguments: object, cwd: Path, watched: Path, lines: int) -> bool:
    """Start the command and kill it when a file has this number of lines; return False if it ended before."""
    line = [*COMMAND, *map(str, arguments)]
    process = subprocess.Popen(line, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    grown = wait_until(lambda: process.poll() is not None or len(lines_of(watched)) >= lines)
    ended, below = process.poll() is not None, descendants(process.pid)
    process.kill()
    process.communicate()

    assert grown
    assert all_gone(below)
    return not ended


class Seen:
    """Executions as first stored. A repeated execution has another duration and is detected."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first: dict[str, bytes] = {}

    def look(self) -> None:
        """Compare the stored executions with the earlier ones, and remember new ones."""
        for line in lines_of(self.path):
            assert self._first.setdefault(json.loads(line)["key"], line) == line

    @property
    def keys(self) -> list[str]:
        """Return the key of each stored execution, in order."""
        return [json.loads(line)["key"] for line in lines_of(self.path)]


def moments(seed: int, count: int, *, before: int) -> list[int]:
    """Return the numbers of executions at which to kill, in increasing order."""
    return sorted(random.Random(seed).sample(range(before), count))
