"""Records that the stages of the alignment recipe make: trajectories, feedback and evidence links."""

from __future__ import annotations

from benchwright.records import Record


class MinedRepository(Record, frozen=True, kw_only=True):
    """One repository of a build: where its clone and its events are, and what they contain."""

    name: str
    place: str  # folder of the clone; empty without one
    events: str  # folder of its events, relative to the build
    digest: str  # SHA-256 over the files of its events: equal digests, equal events
    licence: str = ""
    head: str = ""
    remote: str = ""
    kinds: dict[str, int] = {}  # events by kind
    gaps: dict[str, int] = {}  # unreadable objects by reason: "missing_object", "shallow", "lost_head"


class Iteration(Record, frozen=True, kw_only=True):
    """One state of a pull request: the head that reviewers saw."""

    head: str
    at: str = ""
    commits: list[str] = []  # new since the iteration before, the oldest first
    forced: bool = False  # it replaced the head before
    gap: str = ""  # "lost_head": the commits cannot be read


class DevelopmentTrajectory(Record, frozen=True, kw_only=True):
    """One unit of work: an issue, its branch, the iterations of a pull request, and how it ended."""

    id: str  # "pallets/click:pull:12"
    repo: str
    pull: str  # as in RepoEvent.pull
    issues: list[str] = []  # subjects that it closes or cites
    opened_at: str = ""
    author: str = ""
    base: str = ""  # the commit that it branched from
    iterations: list[Iteration] = []
    outcome: str = "unknown"  # merged, reverted, abandoned, open, unknown
    merge_commit: str = ""
    feedback: list[str] = []  # ids of Feedback
    events: list[str] = []  # ids of its events in time order
    licence: str = ""


class Feedback(Record, frozen=True, kw_only=True):
    """A remark, a suggestion, a test result or an error report, with its resolution."""

    id: str  # the id of its event
    repo: str
    trajectory: str = ""
    kind: str  # remark, suggestion, review, comment, test_result, check, error_report
    at: str = ""
    actor: str = ""
    role: str = ""
    bot: bool = False
    self_made: bool = False  # by the author of the change
    text: str
    category: str = "unknown"  # defect, request, question, praise, style, noise, unknown
    path: str = ""
    commit: str = ""
    first: int = 0
    last: int = 0
    side: str = "new"
    hunk: str = ""
    replacement: str | None = None
    thread: str = ""  # id of the first remark of the thread
    resolution: str = "unknown"  # addressed, unchanged, declined, unknown
    answer: str = ""  # the commit of the strongest link


RUNGS = {
    1: "suggestion_applied",
    2: "platform",
    3: "line_tracking",
    4: "citation",
    5: "check_turned_green",
    6: "closing_keyword",
    7: "blame",
    0: "shown_unchanged",
}


class LineRange(Record, frozen=True, kw_only=True):
    """Lines of a file at a commit, counted from 1, both ends included."""

    commit: str
    path: str
    first: int
    last: int


class EvidenceLink(Record, frozen=True, kw_only=True):
    """The link from feedback, or from an issue or commit, to the change that answers it, with its evidence.

    `state` is "answered", "unchanged" (rung 0), "unknown" (no rung holds) or "self_revision" (an author
    changed lines of the same pull request again without a remark).
    """

    id: str
    repo: str
    state: str
    rung: int | None = None  # a key of RUNGS; None for "unknown" and "self_revision"
    method: str = ""  # RUNGS[rung], or a finer name such as "platform.closing_reference"
    weak: bool = False  # rung 7
    confidence: float | None = None  # precision of the rung as it was measured; None: not measured
    source: str = ""  # id of the feedback or event, or the subject, that is answered
    target: str = ""  # "commit:SHA" or "pull:N" that answers it
    trajectory: str = ""
    before: LineRange | None = None  # the lines that were remarked or rewritten
    after: LineRange | None = None  # the lines that replaced them
    detail: str = ""  # the citing text, the name of the check, the keyword
