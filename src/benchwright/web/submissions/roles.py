"""The roles and states of spaces, and the policies of their routes."""

from __future__ import annotations

from benchwright.web.core.policy import OWNER, PUBLIC, ProjectRules, in_project

MAINTAINER, SUBMITTER, VIEWER = "maintainer", "submitter", "viewer"
PRIVATE_SPACE, PUBLIC_SPACE, CLOSED_SPACE = "private", "public", "closed"
MEMBERS = (OWNER, MAINTAINER, SUBMITTER, VIEWER)
_TAKES_RUNS = (PRIVATE_SPACE, PUBLIC_SPACE)

SPACES = ProjectRules(
    roles=MEMBERS,
    states={PRIVATE_SPACE: "private", PUBLIC_SPACE: "public", CLOSED_SPACE: "closed"},
    public=frozenset({PUBLIC_SPACE}),
)
READ = in_project(*MEMBERS, PUBLIC, scope="read")
READ_ROWS = in_project(*MEMBERS, scope="read")
SUBMIT = in_project(OWNER, MAINTAINER, SUBMITTER, states=_TAKES_RUNS, scope="submit")
HOLD_TOKENS = in_project(OWNER, MAINTAINER, SUBMITTER)
MAINTAIN = in_project(OWNER, MAINTAINER)
OWN = in_project(OWNER)
