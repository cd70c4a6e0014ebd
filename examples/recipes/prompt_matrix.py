"""Compare prompts and models in one table: python prompt_matrix.py http://localhost:8000/v1"""

import sys
from pathlib import Path

import benchwright as bw

PROMPTS = {"short": "{prompt}\nOne word.", "long": "{prompt}\nThink first. Then answer one of: {labels}."}
runs: list[bw.Run] = []
for name, text in PROMPTS.items():
    prompt = Path(f"{name}.txt")
    prompt.write_text(text)
    for model in ("small", "large"):
        spec, out = f"openai:{model}", f"runs/{model}-{name}"
        run = bw.run("own", data="tasks.jsonl", model=spec, base_url=sys.argv[1], prompt=prompt, out=out)
        runs.append(run)
print(bw.rank(runs))
print(bw.report(runs, out="prompts.html").page)
