"""Read the failed answers of a run as a DataFrame, and write the programs for review."""

import benchwright as bw

run = bw.open_run("runs/my-model")
failures = run.to_pandas(failures=True)
print(failures["outcome"].value_counts())
print(failures[["task_id", "sample", "outcome", "detail"]].to_string(index=False))
failures[["task_id", "outcome", "detail", "program"]].to_csv("failures.csv", index=False)
