"""Rewards from executed tests, as in reinforcement learning: samples.jsonl stands for the policy's output."""

import json
from pathlib import Path

import benchwright as bw

STEP = 1_000  # completions that are rewarded together


def reward(verdict: bw.Verdict) -> float:
    return 1.0 if verdict.outcome is bw.Outcome.passed else 0.0


rows = [json.loads(line) for line in Path("samples.jsonl").read_text().splitlines()]
with bw.Judge("HumanEval.jsonl.gz") as judge:
    for start in range(0, len(rows), STEP):
        batch = [(row["task_id"], row["completion"]) for row in rows[start : start + STEP]]
        rewards = [reward(verdict) for verdict in judge.judge_many(batch)]
        print(f"step {start // STEP}: mean reward {sum(rewards) / len(rewards):.3f} of {len(rewards)}")
