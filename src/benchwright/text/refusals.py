"""Refusals and replies without content: votes, thanks, reminders, and messages of bots."""

from __future__ import annotations

import re

SHORT = 240  # characters of a text that may be nothing but a refusal

_OPENERS = (
    r"(?:(?:(?:i'?m|i am|we are|we're) (?:very |really |so )?sorry|sorry|apologies|unfortunately|honestly|frankly"
    r"|to be honest|hm+|well|(?:i'?m|i am) afraid(?: that)?|as an ai[\w ]{0,30}"
    r"|к сожалению|извините|простите|прошу прощения|честно говоря|увы|боюсь|что|как [\w ]{0,20}модель"
    r"|很?抱歉|对不起|不好意思|很遗憾|作为[^，。]{0,12})[,，.!:。\s]*(?:but |но |但是?)?){0,2}"
)
_CANNOT = r"(?:can'?t|can ?not|could not|couldn'?t|am unable to|are unable to|am not able to|won'?t|will not)"
# By somebody who speaks of themselves: whatever follows, the sentence says what they do not know or do.
_PERSONAL = (
    r"(?:(?:i|we) (?:really |honestly |also |just )*(?:do not|don'?t|did not|didn'?t|dunno)"
    r" (?:really |even |quite |fully )?(?:know|understand|have (?:enough|an?y? (?:idea|clue|answer|opinion)))\b"
    r"|(?:(?:i'?m|i am|we are|we're) )(?:really |still )?(?:not (?:really |entirely |quite |so |too )?(?:sure|certain)|unsure|uncertain)\b"
    r"|(?:i have |i've |i )?(?:got |have )?(?:absolutely |really )?no (?:idea|clue)\b|not (?:a|the faintest) clue\b"
    rf"|(?:i|we) (?:really )?{_CANNOT} (?:really )?(?:help|assist|answer|comply|fulfil+|tell|say|explain|comment|judge)\b(?! but)"
    r"|i give up\b|dunno\b|idk\b|beats me\b"
    r"|(?:я |мы )?(?:правда |честно |тоже )?не (?:знаю|знаем|в курсе|понимаю|понимаем|уверена?|уверены)\b"
    r"|(?:я |мы )?не (?:могу|можем|буду|смогу|возьмусь) (?:\w+ )?(?:помочь|ответить|выполнить|сказать|объяснить|судить)\b"
    r"|(?:я )?ничего не могу (?:сказать|ответить|объяснить)\b|(?:я )?(?:даже )?понятия не имею\b|без понятия\b"
    r"|(?:я )?затрудняюсь(?: ответить| сказать)?\b|(?:я )?сдаюсь\b|мне нечего (?:сказать|добавить|ответить)\b"
    r"|(?:我|我们)(?:也|真的|实在|并|还|完全)?(?:不|不太|不是很|不大)(?:知道|清楚|了解|确定|明白|懂|理解|晓得)"
    r"|(?:我|我们)(?:也|真的|实在)?(?:没有|没|毫无)(?:头绪|想法|思路|答案|意见)"
    r"|(?:我|我们)(?:也|真的|实在)?(?:无法|不能|没办法|没法|难以)"
    r"(?:回答|帮助|协助|解答|提供|处理|完成|解释|说明|评论|确定|判断)|我放弃)"
)
# By nobody: a refusal where the sentence ends there.
_IMPERSONAL = (
    r"(?:(?:still )?not (?:really |entirely |quite )?sure|no (?:answer|comment|explanation|description)(?: available| found| given)?"
    r"|(?:it is |it's )?(?:hard|difficult|impossible) to (?:tell|say|know)|(?:it is |it's )?(?:unclear|anyone's guess)|who knows"
    r"|(?:there is |there's )?not enough (?:context|information|info|details?)|insufficient (?:context|information)"
    r"|(?:there is |there's )?nothing to (?:say|add|explain)|your guess is as good as mine"
    r"|нет (?:ответа|идей|комментариев|объяснений)|без комментариев|(?:трудно|сложно|тяжело|невозможно) (?:сказать|ответить|понять|судить)"
    r"|(?:мне |это )*неизвестно|(?:это )?(?:непонятно|неясно|не ясно|не понятно)|недостаточно (?:информации|контекста|сведений)"
    r"|нечего (?:сказать|добавить)|кто (?:его |это )?знает|бог (?:его )?знает"
    r"|(?:也|真的|实在|并|还|完全)?(?:不|不太|不是很|不大)(?:知道|清楚|了解|确定|明白|懂|理解|晓得)"
    r"|(?:没有|没|毫无)(?:头绪|想法|思路|答案|意见)|(?:很难说|难说|不好说|说不准|说不清|无可奉告)"
    r"|(?:无法|不能|没办法|没法|难以)(?:回答|帮助|协助|解答|提供|处理|完成|解释|说明|评论|确定|判断)"
    r"|(?:信息|上下文|资料|背景)(?:不足|不够))"
)
# Words that a refusal may contain without being an answer.
_TAIL = (
    r"(?:,? ?\b(?:the|this|that|it|its|these|those|why|how|what|which|where|whether|if|about|for|on|of|to|with|at|all|any|"
    r"anything|more|either|exactly|here|really|yet|you|your|one|is|are|was|does|do|doing|done|means?|tell|say|know|explain|answer|question|request|"
    r"issue|problem|task|line|lines|code|function|method|part|purpose|works?|good|supposed|enough|context|information|info|"
    r"что|как|зачем|почему|это|этот|эта|эту|этой|этого|этим|этом|ответа?|на|ваш\w*|данн\w+|вопрос\w*|здесь|тут|делает|делают|значит|"
    r"с|об?|по|строк\w+|код|коде|кода|функци\w+|для|чего|нужн\w+|вам|этому|поводу|работает|сказать|понять|ответить)\b"
    r"|这|那|该|此|您|你|个|行|段|里|是|在|做|干|的|了|任何|什么|怎么|为何|如何|代码|语句|问题|答案|函数|意思|用处|作用|原因|用途|内容|回事|帮助|信息|请求|任务|相关|具体)*"
)
_CLOSING = r"[,，\s]*(?:(?:i'?m |i am )?(?:so |very )?sorry|apologies|unfortunately|извините|простите|к сожалению|увы|抱歉|对不起|不好意思)?[.!。！…\s]*$"
_PERSONAL_SENTENCE = re.compile(_OPENERS + _PERSONAL, re.IGNORECASE)
_WHOLE_REFUSAL = re.compile(f"{_OPENERS}(?:{_PERSONAL}|{_IMPERSONAL}){_TAIL}{_CLOSING}", re.IGNORECASE)
_DECLINES = re.compile(
    rf"{_OPENERS}(?:(?:i|we) {_CANNOT} (?:help|assist|answer|comply|fulfil+)\b(?! but)"
    r"|(?:я|мы) не (?:могу|можем|буду|смогу) (?:\w+ )?(?:помочь|ответить|выполнить)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:without|unless|until|because|since|as long as|без(?! понятия| комментариев)|пока|потому|"
    r"так как|поскольку)\b|因为|由于|除非|没有(?!头绪|想法|思路|答案|意见)",
    re.IGNORECASE,
)
_SUBSTANCE = re.compile(r"`|https?://|#\d|[\w-]\.(?:py|go|js|java|md|toml|ya?ml)\b|\b\w+_\w+|\w\(|\d+\.\d+")


def is_refusal(text: str) -> bool:
    """Return whether a text is only a refusal: short, with a typical start, and without content.

    Conservative: an answer that explains why something is impossible, or asks for missing facts, is not one.

    >>> is_refusal("No idea, sorry."), is_refusal("I don't know why, but retries help.")
    (True, False)
    """
    plain = _plain_text(text)
    if len(plain) > SHORT or _SUBSTANCE.search(plain) or _REASON.search(plain) or "?" in plain:
        return False
    return _DECLINES.match(plain) is not None or _WHOLE_REFUSAL.match(plain) is not None


def admits_ignorance(sentence: str) -> bool:
    """Return whether a sentence of a comment refuses or admits ignorance, whatever it mentions.

    >>> admits_ignorance("I'm not sure what `left` does."), admits_ignorance("Not sure of the encoding: try both.")
    (True, False)
    """
    plain = _plain_text(sentence)
    return _PERSONAL_SENTENCE.match(plain) is not None or _WHOLE_REFUSAL.match(plain) is not None


def _plain_text(text: str) -> str:
    return text.strip().replace("\u2019", "'")


SHORT_REPLY = 160  # characters: longer replies have content
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
    if len(plain) > SHORT_REPLY or "`" in plain or "://" in plain:
        return False
    rest, at = _EMOJI.sub(" ", plain), 0
    while (after := _JOINED.match(rest, at)) is not None and after.end() < len(rest):
        vote = _VOTE.match(rest, after.end())
        if vote is None or (vote.end() < len(rest) and rest[vote.end()].isalnum()):
            return False
        at = vote.end()
    return True
