"""Tracker replies without content: votes, thanks, "same here", reminders, refusals, and messages of bots."""

from __future__ import annotations

import re

from benchwright.text.refusals import is_refusal

SHORT = 160  # characters: longer replies have content
_EMOJI = re.compile(r":\w+:|[^\w\s.,!?'’+@#-]")
_VOTE = re.compile(
    r"(?:\+ ?1+|-1|same(?: (?:here|issue|problem|question|error|for me|thing|as (?:above|op)))?|me (?:too|2)|"
    r"i(?: also)? have (?:the|this) same (?:issue|problem|error)|(?:also )?(?:having|seeing|facing|getting) (?:the same|this)(?: (?:issue|problem|error|too))?|"
    r"any (?:updates?|news|progress|eta|solution|fix)(?: on this| here| yet)?|bump|up|ping|following|subscribed?|"
    r"\^+|this|watching|thank(?:s| you)(?: (?:so much|a lot|very much|you|all|everyone|for (?:the|your) (?:\w+ ?){1,4}))?|thx|ty|great|nice|cool|ok(?:ay)?|"
    r"lgtm|agreed?|i agree|good (?:point|question|catch)|interesting|done|"
    r"same question(?: here)?|interested(?: too)?|(?:i am |i'?m )?(?:also )?interested(?: in this)?|closing(?: this)?|"
    r"у меня (?:тоже|так же|то же самое|такая же (?:проблема|ошибка))|тоже|плюсую|\+|ап|спасибо(?: большое| за \w+)?|аналогично|есть (?:новости|решение)|присоединяюсь|"
    r"同问|同样的?问题|我也(?:是|一样|遇到了?|有)(?:同样的?|这个)?(?:问题)?|顶|谢谢|感谢|有(?:进展|解决办法|更新)吗|赞同?|收到|关注|mark)",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"(?:[\s,.!?…，。！？~-]|\band\b|\bhere\b|\bplease\b|\bguys\b|\ball\b|@[\w-]+|#\d+)*", re.IGNORECASE
)
_BOT = re.compile(
    r"this (?:issue|pull request|thread) (?:has been|was|is being) (?:automatically )?(?:marked as stale|closed|locked|labell?ed)|"
    r"automatically (?:closed|marked as stale|locked)|has not had recent activity|stale bot|\[bot\]",
    re.IGNORECASE,
)


def is_non_answer(text: str) -> bool:
    """Return whether a reply consists of votes and courtesies, a refusal, or a bot's notice.

    >>> is_non_answer("+1, same here"), is_non_answer("Same here: set `retries = 0`.")
    (True, False)
    """
    plain = text.strip()
    if _BOT.search(plain) or is_refusal(plain):
        return True
    if len(plain) > SHORT or "`" in plain or "://" in plain:
        return False
    rest, at = _EMOJI.sub(" ", plain), 0
    while (after := _JOINED.match(rest, at)) is not None and after.end() < len(rest):
        vote = _VOTE.match(rest, after.end())
        if vote is None or (vote.end() < len(rest) and rest[vote.end()].isalnum()):
            return False
        at = vote.end()
    return True
