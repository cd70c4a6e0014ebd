"""Score a model behind an OpenAI-compatible server: python served_model.py http://localhost:8000/v1"""

import sys

import benchwright as bw

run = bw.run(
    "humaneval",
    data="HumanEval.jsonl.gz",
    model="openai:my-model",
    base_url=sys.argv[1],
    temperature=0.0,
    out="runs/my-model",
)
score = run.scores["pass@1"]
print(f"pass@1 {score.value:.3f} ({score.low:.3f} to {score.high:.3f}, {score.n} tasks)")
print(f"missing: {run.missing}; outcomes: {run.outcomes}")
