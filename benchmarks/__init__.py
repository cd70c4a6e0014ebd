"""Cost of judging, compared with public peers on the same programs, and agreement of the verdicts.

`python -m benchmarks` measures cost; `python -m benchmarks verdicts` compares verdicts. Only HumanEval's
canonical solutions are executed by a peer outside a jail, never model-written code.
"""
