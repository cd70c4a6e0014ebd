"""What judging costs, measured against public peers on the same programs, and whether the verdicts agree.

`python -m benchmarks` measures cost; `python -m benchmarks verdicts` compares verdicts.
Only HumanEval's canonical solutions reach a peer outside a jail, never model-written code.
"""
