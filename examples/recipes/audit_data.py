"""Find tasks whose verdicts cannot be trusted, before a model is scored on them."""

import benchwright as bw

report = bw.audit("HumanEval.jsonl.gz", out="runs/audit", tasks=["HumanEval/0", "HumanEval/1"])
print(report)
for task in report.ranked:
    for finding in task.findings:
        print(f"{task.task}: {finding.code}: {finding.detail}")
print(report.page)
