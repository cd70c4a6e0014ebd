"""A server with a full disk: pushes are refused with the reason, nothing is lost, and it recovers."""

from __future__ import annotations

import json
from pathlib import Path

from kit.mounted import mounted

FULL = """
import json, sys
from pathlib import Path
from kit.team_site import LEAK, TeamSite
from benchwright.web.submissions.judging_process import JudgingSetup, has_room

place = Path(sys.argv[1])
site = TeamSite(str(place / "site.db"), place)
setup = JudgingSetup(site.database, site.parts.catalog, site.folders)
runs = "/api/spaces/" + site.own["private"].id + "/runs"
rows = [{"task_id": f"Small/{n}", "solution": LEAK + "# " + "x" * 100_000} for n in range(3)]
content = "".join(json.dumps(row) + chr(10) for row in rows).encode()

def push(more):
    reply = site.ask("token to submit", "POST", f"{runs}?data=secret&model=mine", body=content + more)
    return reply.status, json.loads(reply.body).get("reason")

def state():
    listed = json.loads(site.ask("owner", "GET", runs).body)["runs"]
    files = [path.name for path in (place / "state").rglob("*") if path.is_file()]
    return len(listed), len(files)

said = [push(b""), state(), has_room(setup)]
filler = place / "filler"
with filler.open("wb", buffering=0) as file:
    try:
        while file.write(b"x" * 4096):
            pass
    except OSError:
        file.truncate(file.tell() - 200_000)
said += [push(b" "), state(), has_room(setup), site.ask("owner", "GET", "/").status]
filler.unlink()
said += [push(b" "), state()[0], has_room(setup)]
site.close()
print(json.dumps(said))
"""


def test_a_push_to_a_full_disk_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    """Earlier claims stay, pages work, no claim is judged, and the same push succeeds when there is space."""
    said = mounted(f"mount -t tmpfs -o size=24m none {tmp_path}", FULL, tmp_path)
    before, (listed, files), *rest = json.loads(said.splitlines()[-1])

    assert (before, listed, files > 0) == ([202, ""], 1, True)
    assert rest == [True, [503, "disk-full"], [1, files], False, 200, [202, ""], 2, True]
