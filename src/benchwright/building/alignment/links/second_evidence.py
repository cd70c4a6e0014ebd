"""Changes of remarked lines that answer the remark only with a second piece of evidence.

That the lines of a remark changed is enough if the remark asks for a change and the change is small. In the
cases here it is not. A reply that claims a change, or a suggestion, is the second piece of evidence.
"""

from __future__ import annotations

import re
from collections import Counter

from benchwright.building.alignment.links.rewrites import NAME, OwnChange, own_change
from benchwright.building.alignment.links.spans import old_range
from benchwright.building.alignment.objects import Objects
from benchwright.building.alignment.records import Feedback, LineRange

PASSAGE = 8  # replaced lines of one hunk, without those of the remark; more may be a redesign
NOTHING_ASKED = ("unknown", "praise")  # categories of remarks in which no rule found a request
ASKS_NOTHING = re.compile(
    r"^\W*(not an issue|no (action|changes?) (is |are )?(needed|required|necessary)|((just|only) )?fyi\b"
    r"|for the record|for your information|(info|information)\W{0,3}:|general (comment|remark))",
    re.IGNORECASE,
)
SHORT = 5  # telling words of a remark that need no counterpart in the change
RARE = 4  # lines or fewer of the new file that have a word: a change of it says something
PART = 8  # lines of a remark; below that, a change of one of them may answer it
COVERED = 0.4  # share of the lines of a longer remark that must change
_AGREES = re.compile(
    r"^\W*(agreed?|yes|yep|good (point|catch|call|idea|suggestion)|will do|right|sure|makes sense|ack)\b",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\baddressed in commits? .{0,60}", re.IGNORECASE)
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
_PROPOSED = re.compile(r"```diff\r?\n(.*?)```", re.DOTALL)
_SHOULD_BE = re.compile(r"should be [`\"“]?(\w*[\d_]\w*)[`\"”]?\s*(?:[.,!]|$)", re.IGNORECASE)
_HIDDEN = re.compile(r"<details>.*?</details>|<!--.*?-->|<[^>]+>", re.DOTALL)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_ONE_QUOTE = re.compile(r"`([^`\n]+)`")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for this that are was were with have has had not but from can will you they should would"
        " could which when there their its then than also just only more one two all any each other into used"
        " use using does did what how why must may might been being our your them these those such same"
        " like some make made need needs think instead",
    )
)


def lacks_evidence(objects: Objects, before: LineRange, commit: str, item: Feedback, *, spaces: bool) -> str:
    """Return why a change of lines alone does not show that it answers a remark; "" if it does.

    "asks_nothing": the remark says that nothing has to change.
    "quote_kept": the remark is one quoted text, and the change keeps it.
    "only_added": the lines stay, and the added ones have no word of the remark.
    "part_of_passage": one hunk replaces the lines together with more than PASSAGE others.
    "part_of_place": the remark is on PART lines or more, and fewer than COVERED of them change.
    "no_shared_word": no rule found a request in the remark, and it shares no word with the change; or it has
    more than SHORT telling words, and none of them is changed that is rare in the file.
    """
    text = _HIDDEN.sub(" ", item.text)
    if ASKS_NOTHING.match(text):
        return "asks_nothing"
    own = own_change(objects, before, commit, spaces=spaces)
    if own is None or not own.hunks:
        return ""
    remark_words = _telling(_QUOTED_LINE.sub("", text))
    if gap := _unchanged_reason(item.text, remark_words, before, own):
        return gap
    if any(each.old_count > PASSAGE + before.last - before.first + 1 for each in own.hunks):
        return "part_of_passage"
    return _long_remark(item, remark_words & _changed(own), len(remark_words), before, own)


def _unchanged_reason(text: str, remark_words: set[str], before: LineRange, own: OwnChange) -> str:
    """Return "quote_kept" or "only_added" if the remarked text stays; "" if it does not."""
    if _keeps_quote(text, before, own):
        return "quote_kept"
    there = _telling("\n".join(own.old[before.first - 1 : before.last]))
    only_added = all(each.old_count == 0 for each in own.hunks)
    return "only_added" if only_added and not remark_words & (_changed(own) - there) else ""


def _long_remark(item: Feedback, shared: set[str], word_count: int, before: LineRange, own: OwnChange) -> str:
    """Return why a remark with many words or lines is not answered by a change of some of them."""
    takes_proposal = _takes_proposal(item.text, own)
    if takes_proposal is None and _part_of_place(before, own):
        return "part_of_place"
    wordless = not shared and item.category in NOTHING_ASKED
    rarely = takes_proposal is None and word_count > SHORT and not _rare(shared, own)
    return "no_shared_word" if wordless or rarely else ""


def contradicted(objects: Objects, before: LineRange, commit: str, item: Feedback, *, spaces: bool) -> str:
    """Return why a remark itself speaks against a change of its lines, whatever a reply claims; "" if not.

    "addressed_elsewhere": a reviewing program added the note that another commit addressed the remark.
    "suggestion_not_taken": the remark shows a difference (or "should be NAME"), and the change has hardly a
    word of it.
    """
    commit_names = noted(item.text)
    if len(commit_names) == 1 and not commit.startswith(commit_names[0]):
        return "addressed_elsewhere"
    own = own_change(objects, before, commit, spaces=spaces)
    if own is None or not own.hunks or _names(commit, commit_names):
        return ""
    name = _SHOULD_BE.search(item.text)
    missing = name is not None and not name[1].isdigit() and name[1] not in _written(own)
    return "suggestion_not_taken" if missing or _takes_proposal(item.text, own) is False else ""


def noted(text: str) -> list[str]:
    """The commits that a reviewing program noted in its remark as those that address it."""
    note = _NOTE.search(text)
    return _SHA.findall(note[0]) if note else []


def noted_commit(text: str, commit: str) -> bool:
    """Whether a reviewing program noted a commit in its remark."""
    return _names(commit, noted(text))


def agrees_only(text: str) -> bool:
    """Whether a reply agrees and does not say that something was changed."""
    return _AGREES.match(text) is not None


def _names(commit: str, commit_names: list[str]) -> bool:
    return any(commit.startswith(each) for each in commit_names)


def _takes_proposal(text: str, own: OwnChange) -> bool | None:
    """Whether the change has words that a difference in the remark adds: two, or one of five or fewer.

    None if the remark shows no difference that adds words.
    """
    lines = "\n".join(_PROPOSED.findall(text)).splitlines()
    removed = {word for line in lines if line[:1] == "-" for word in NAME.findall(line)}
    added = {word for line in lines if line[:1] == "+" for word in NAME.findall(line)} - removed
    added = {each for each in added if len(each) > 2}
    if not added:
        return None
    found = {word for each in own.words() for word in each.added}
    return len(added & found) >= (1 if len(added) <= SHORT else 2)


def _part_of_place(before: LineRange, own: OwnChange) -> bool:
    many = before.last - before.first + 1
    ranges = [old_range(each) for each in own.hunks]
    changed = sum(max(0, min(end, before.last) - max(start, before.first) + 1) for start, end in ranges)
    return many >= PART and changed < COVERED * many


def _rare(words: set[str], own: OwnChange) -> set[str]:
    """Those words that RARE lines or fewer of the new file have."""
    counts = Counter(word.lower() for line in own.new for word in set(NAME.findall(line)))
    return {each for each in words if counts[each] <= RARE}


def _written(own: OwnChange) -> set[str]:
    return {
        word
        for each in own.hunks
        for line in own.new[each.new_start - 1 :][: each.new_count]
        for word in NAME.findall(line)
    }


def _changed(own: OwnChange) -> set[str]:
    """The telling words that the hunks add or remove."""
    return _telling(" ".join(word for each in own.words() for word in each.removed | each.added))


def _keeps_quote(text: str, before: LineRange, own: OwnChange) -> bool:
    """Whether a remark that is nothing but a quote names text that is still there."""
    quote = _ONE_QUOTE.fullmatch(text.strip())
    if quote is None:
        return False
    was = "\n".join(own.old[before.first - 1 : before.last]).count(quote[1])
    written = "\n".join(
        line for each in own.hunks for line in own.new[each.new_start - 1 :][: each.new_count]
    )
    return 0 < was <= written.count(quote[1])


def _telling(text: str) -> set[str]:
    """The words of three characters or more in lower case, without numbers and common ones."""
    words = {each.lower() for each in NAME.findall(text) if len(each) > 2 and not each.isdigit()}
    return words - _COMMON
