"""One statement of a model's text, a sentence or a line: which label it says, and how plainly.

Words are looked up, "not" is followed to what it negates, and statements that only name possibilities
("success or failed", "if the test passes, …") say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from benchwright.records import Record
from benchwright.text import label_words as words

REACH = 6  # words between a "not" and what it negates
LONGEST_BARE = 14
SHORT = 3  # words of an answer such as "runtime error": longer, it may be about anything
LONGEST = 1500  # characters of a statement
BOTH = "both"  # a statement that says both labels, neither of them taken back

_TOKEN = re.compile(r"\w+(?:[.'-]\w+)*%?|->|=>|[^\w\s]")
_NOISE = re.compile(r"""["`*~#>“”«»„‘\[\]{}\\$!.?…]""")
_STOP = re.compile(r"[.!?](?=\s)")
_COUNTED = re.compile(r"(?<![\w.])[1-9]\d* (?:tests? )?(?:failed|failures?|failing)\b")


class Statement(Record, frozen=True, kw_only=True):
    """The meaning of a statement: a label, "both", or None; and the rule that found it.

    rule "bare": only the label. "cue": after "answer:". "conclusion": "therefore the test …".
    "prose": somewhere in a sentence.
    """

    label: str | None
    rule: str = "prose"
    text: str = ""
    pure: bool = False  # only the label's words, or a separate line
    corrects: bool = False  # "wait", "actually", "final"
    options: bool = False  # names both labels to choose from

    @property
    def is_plain(self) -> bool:
        """Whether it is an answer by its form, and not only by what it says."""
        return self.rule != "prose"


class LabelWord(Record, frozen=True, kw_only=True):
    """A word that says a label, at its place in the statement; `label` has the negations in it."""

    at: int
    label: str
    said: str  # before negation


def tokens_of(text: str) -> list[str]:
    """The words and the punctuation that separates them, in lower case, without markup."""
    lowered = text.lower()
    for spelling, same in words.SAME.items():
        lowered = lowered.replace(spelling, same)
    return [
        token.strip("_")
        for token in _TOKEN.findall(lowered)
        if not _NOISE.fullmatch(token) and token.strip("_")
    ]


def read_statement(text: str) -> Statement:
    """Read one sentence or line; of a very long one, its end."""
    tokens = tokens_of(text[-LONGEST:])
    if not tokens or words.OTHERWISE.intersection(tokens):
        return Statement(label=None, text=text)
    label, rule = _cued_label(tokens), "cue"
    hits = find_hits(tokens, weak=True)
    if label is None and _names_options(tokens, hits):
        return Statement(label=None, text=text, options=True)
    if label is None:
        label, rule = _label_without_cue(text[-LONGEST:], tokens, hits)
    return Statement(
        label=label,
        rule=rule,
        text=text,
        pure=rule == "bare" and len(hits) == len(tokens) and not _asks(text),
        corrects=bool(words.CORRECTIONS.intersection(tokens)),
    )


def _cued_label(tokens: list[str]) -> str | None:
    """The label after "the answer is", "ответ:"."""
    rest = _after_cue(tokens)
    return _first_clause(rest) if rest is not None else None


def _label_without_cue(text: str, tokens: list[str], hits: list[LabelWord]) -> tuple[str | None, str]:
    """The label of a statement without a cue, and its rule. A condition, a doubt or a question says none."""
    if _counts_failures(text):
        return words.FAILED, "prose"
    if words.CONDITIONS.intersection(tokens) or _hedges(tokens) or (_asks(text) and len(tokens) > 1):
        return None, "prose"
    if hits and _is_bare(tokens):
        strong = find_hits(tokens, weak=False)
        return _agreed_label(strong or hits), "bare" if strong or len(tokens) <= SHORT else "prose"
    return _prose(tokens), _prose_rule(tokens)


def read_phrase(text: str) -> str | None:
    """Read the label of a short text that can only be an answer, such as the content of a box or field."""
    return _first_clause(tokens_of(_STOP.sub(" ;", text[-LONGEST:])))


def find_hits(tokens: list[str], *, weak: bool) -> list[LabelWord]:
    """The words that say a label, "not" applied. What says it again is left out: "passes successfully"."""
    hits: list[LabelWord] = []
    for at, token in enumerate(tokens):
        plain_label = words.polarity(token, weak=weak)
        if (
            plain_label is None
            or words.is_movement(token, tokens[at + 1 : at + 3])
            or _is_assigned(tokens, at)
        ):
            continue
        if hits and _belongs_to(tokens, hits[-1].at, at):
            continue
        turns = _negations(tokens, at, hits) + _is_denied(tokens, at)
        label = _opposite(plain_label) if turns % 2 else plain_label
        hits.append(LabelWord(at=at, label=label, said=plain_label))
    return hits


def _opposite(label: str) -> str:
    return words.FAILED if label == words.SUCCESS else words.SUCCESS


def _is_assigned(tokens: list[str], at: int) -> bool:
    """Whether a word is given a value or a meaning: `success = 1`, "failed means …"."""
    return bool(words.DEFINES.intersection(tokens[at + 1 : at + 2]))


def _belongs_to(tokens: list[str], earlier: int, at: int) -> bool:
    """Return whether a hit continues the previous one, as in "fails to pass", "пройдёт успешно"."""
    between = tokens[earlier + 1 : at]
    if not between:
        return tokens[at] in ("successfully", "correctly", "успешно", "корректно", "удачно")
    if between[0] == "to":
        return words.polarity(tokens[earlier], weak=False) == words.FAILED and len(between) <= 2
    return between[0] in ("with", "с") and len(between) <= 3 and not any(map(words.is_negator, between))


def _negations(tokens: list[str], at: int, hits: list[LabelWord]) -> int:
    """Count the negations that apply to a word: a few words before it, separated only by fillers."""
    count = 0
    floor = max(hits[-1].at + 1 if hits else 0, at - REACH)
    for place in range(at - 1, floor - 1, -1):
        token = tokens[place]
        if words.is_negator(token):
            count += 1
        elif not (_joins(tokens, place) or _is_reached_over(token)):
            break
    return count


def _is_reached_over(token: str) -> bool:
    """Return whether a negation reaches over a word; others begin a new clause."""
    return token not in words.BOUNDARIES and (words.is_filler(token) or token in words.REACHED_OVER)


def _is_denied(tokens: list[str], at: int) -> bool:
    """Whether what follows a Russian noun says that there is none of it: "ошибок нет", "ошибок не будет"."""
    after = tokens[at + 1 : at + 3]
    return tokens[at] in ("ошибок", "ошибки", "исключений") and (
        after[:1] == ["нет"] or (len(after) == 2 and after[0] == "не" and after[1] in _CAUSES)
    )


def _joins(tokens: list[str], place: int) -> bool:
    """A comma before "что" separates nothing: "не думаю, что тест пройдёт"."""
    return tokens[place] == "," and tokens[place + 1 : place + 2] == ["что"]


def _agreed_label(hits: list[LabelWord]) -> str:
    labels = {hit.label for hit in hits}
    return labels.pop() if len(labels) == 1 else BOTH


def _names_options(tokens: list[str], hits: list[LabelWord]) -> bool:
    """Whether two opposite labels stand side by side to choose from, or each is explained.

    "Success or failed", "pass/fail"; "success if it passes, failed if not".
    """
    explained = {hit.said for hit in hits if words.EXPLAINS.intersection(tokens[hit.at + 1 : hit.at + 2])}
    if len(explained) > 1:
        return True
    for first, second in pairwise(hits):
        between = set(tokens[first.at + 1 : second.at]) - words.FILLER - {",", "-"}
        if first.said != second.said and between and between <= words.EITHER:
            return True
    return False


def _hedges(tokens: list[str]) -> bool:
    """ "I am not sure that …", "не уверен, что …", "maybe it passes, maybe not"."""
    unsure = any(words.is_negator(first) and second in _SURE for first, second in pairwise(tokens))
    weighs = sum(token in _MAYBE for token in tokens) > 1
    return unsure or weighs or _CANNOT.issubset(tokens)


_SURE = frozenset({"sure", "certain", "clear", "уверен", "уверена", "ясно", "знаю", "know"})
_MAYBE = frozenset({"maybe", "perhaps", "possibly", "may", "might", "может", "возможно"})
_CANNOT = frozenset({"невозможно", "определить"})


def _is_bare(tokens: list[str]) -> bool:
    """Return whether a statement consists only of the label."""
    if len(tokens) > LONGEST_BARE:
        return False
    return all(
        words.is_filler(token) or words.is_negator(token) or words.polarity(token, weak=True)
        for token in tokens
    )


def _asks(text: str) -> bool:
    return text.rstrip("*_\"'` )»”").endswith("?")


def _after_cue(tokens: list[str]) -> list[str] | None:
    """Read the text after the last "the answer is" or "ответ:"; None if there is none."""
    for at in range(len(tokens) - 1, -1, -1):
        if tokens[at] not in words.CUES and not (tokens[at] in words.SOFT_CUES and _opens(tokens, at)):
            continue
        if words.CONDITIONS.intersection(tokens[:at]):
            return None
        rest = tokens[at + 1 :]
        links = next((n for n, token in enumerate(rest) if token not in words.LINKS), len(rest))
        linked = links > 0 or (bool(rest) and _is_bare(rest) and words.polarity(rest[0], weak=False))
        if linked and rest[links:]:
            return rest[links:]
    return None


def _opens(tokens: list[str], at: int) -> bool:
    """Whether only an article or an adjective is before a cue, and a link after it."""
    return at <= 3 and all(map(words.is_filler, tokens[:at])) and tokens[at + 1 : at + 2] != []


def _first_clause(tokens: list[str]) -> str | None:
    """The label that a text says at once, before its reasons; else that of its last clause.

    None for options, and where the label is under a condition.
    """
    hits = find_hits(tokens, weak=True)
    if not hits or _names_options(tokens, hits) or words.CONDITIONS.intersection(tokens[: hits[0].at]):
        return None
    if not all(words.is_filler(token) or words.is_negator(token) for token in tokens[: hits[0].at]):
        return _prose(tokens)
    cuts = [
        at
        for at, token in enumerate(tokens)
        if at > hits[0].at and (token in words.REASONS or token in words.CONDITIONS)
    ]
    end = cuts[0] if cuts else len(tokens)
    return _agreed_label([hit for hit in hits if hit.at < end])


def _counts_failures(text: str) -> bool:
    """A test runner's summary: "1 failed, 3 passed"."""
    return bool(_COUNTED.search(text.lower()))


def _prose(tokens: list[str]) -> str | None:
    """The label of a sentence: that of its last clause that says one."""
    for clause in reversed(list(_clauses(tokens))):
        hits = [hit for hit in find_hits(clause, weak=False) if not _is_value(clause, hit.at)]
        if hits := hits or _error_phrases(clause):
            return _agreed_label(hits)
    return None


def _is_value(tokens: list[str], at: int) -> bool:
    """Whether the word is what some code gives: "returns 'failed'"."""
    return any(token in words.RETURNS for token in tokens[max(0, at - 2) : at])


def _error_phrases(tokens: list[str]) -> list[LabelWord]:
    """ "Without errors" says success in any sentence; so does "завершится с ошибкой" its opposite."""
    found = []
    for at, token in enumerate(tokens):
        if words.polarity(token, weak=True) != words.FAILED or words.polarity(token, weak=False):
            continue
        before = tokens[max(0, at - 3) : at]
        if before and (before[-1] in ("no", "without", "any", "без") or _negated_verb(before)):
            found.append(LabelWord(at=at, label=words.SUCCESS, said=words.FAILED))
        elif token.startswith("ошибк") and _ENDS.intersection(before):
            found.append(LabelWord(at=at, label=words.FAILED, said=words.FAILED))
    return found


_CAUSES = frozenset(
    {"вызовет", "вызывает", "вызовут", "возникнет", "возникает", "выдаст", "приведет", "будет"}
)
_ENDS = _CAUSES | {"завершится", "завершатся", "завершается", "закончится", "завершился"}


def _negated_verb(before: list[str]) -> bool:
    return any(first == "не" and second in _CAUSES for first, second in pairwise(before))


def _clauses(tokens: list[str]) -> Iterator[list[str]]:
    """The parts between "but" and its like, without what "although" concedes."""
    clause: list[str] = []
    conceding = False
    for token in tokens:
        if token in words.CONTRASTS:
            yield clause
            clause, conceding = [], False
        elif token in words.CONCESSIONS:
            conceding = True
        elif token == "," and conceding:
            conceding = False
        elif not conceding:
            clause.append(token)
    yield clause


def _prose_rule(tokens: list[str]) -> str:
    """A sentence that concludes about the test is an answer by its form; one about an assertion is not."""
    concludes = words.CONCLUSIONS.intersection(tokens) and words.SUBJECTS.intersection(tokens)
    return "conclusion" if concludes else "prose"
