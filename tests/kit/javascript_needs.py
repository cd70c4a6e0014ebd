"""The JavaScript runner for tests, and small files of JavaScript; skips if Node.js is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.judges.suites.javascript import JavaScriptSuites, NodeToolchain, find_node
from benchwright.lang.source import lay_out
from benchwright.sandbox.limits import Limits
from kit.needs import need_ready

SHORT = Limits(cpu_s=2.0, wall_s=30.0, memory_mb=1024, processes=128, tmp_mb=64, output_bytes=64 << 20)
TOTAL = """\
export function total(prices, most = 10) {
  let sum = 0;
  for (const price of prices) {
    if (price < 0) {
      throw new RangeError("negative");
    }
    sum += price;
  }
  return sum > most ? most : sum;
}
"""
TOTAL_TEST = """\
import { describe, it, test } from "node:test";
import assert from "node:assert/strict";
import { total } from "../src/total.js";

const SMALL = [1, 2];
const LARGE = [9, 2];

// sums
test("adds", () => {
  assert.equal(total(SMALL), 3);
});

test("stops at the limit", () => {
  assert.equal(total(LARGE), 10);
});

describe("bad input", () => {
  it("is refused", () => {
    assert.throws(() => total([-1]), RangeError);
  });
  it("is empty", () => {
    assert.equal(total([]), 0);
  });
});
"""
CASES = ["adds", "stops at the limit", "bad input > is refused", "bad input > is empty"]


def need_node() -> NodeToolchain:
    """Return the executable, or skip with a hint how to specify one."""
    return need_ready(find_node, "no JavaScript suite can be run")


@contextmanager
def javascript_runner() -> Iterator[JavaScriptSuites]:
    """Return a runner with short limits."""
    need_node()
    with JavaScriptSuites(limits=SHORT) as runner:
        yield runner


def total_suite(focal: str = TOTAL, test: str = TOTAL_TEST) -> Suite:
    """Return both files as a project."""
    return lay_out(focal, test, "JavaScript", focal_name="src/total.js", test_name="test/total.test.js")


def executed(runner: JavaScriptSuites, suite: Suite, variation: Variation | None = None) -> SuiteReport:
    """Return the report on one suite."""
    ((_, report),) = runner.run([(0, suite)], variation=variation or Variation())
    return report
