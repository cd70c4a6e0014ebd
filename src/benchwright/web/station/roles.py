"""The roles and states of a station's projects, and the policies of its pages."""

from __future__ import annotations

from benchwright.web.core.policy import OWNER, EntryRole, ProjectRules, in_project

CURATOR, JUDGE, ADJUDICATOR, VIEWER = "curator", "judge", "adjudicator", "viewer"
DRAFT, OPEN, CLOSED = "draft", "open", "closed"

PROJECTS = ProjectRules(
    roles=(OWNER, CURATOR, JUDGE, ADJUDICATOR, VIEWER),
    states={DRAFT: "a draft", OPEN: "open", CLOSED: "closed"},
    seen_by={DRAFT: frozenset({OWNER, CURATOR})},
    entry_roles={
        JUDGE: EntryRole(
            "a member who has seen the project's results cannot judge it blind", "invite another account"
        )
    },
)
JUDGES = in_project(JUDGE, states=(OPEN,))
ADJUDICATORS = in_project(ADJUDICATOR, OWNER)
MAKERS = in_project(OWNER, CURATOR)
READERS = in_project(OWNER, CURATOR, VIEWER)
