"""Kinds of comments that are empty or false for any code, and tasks with a weak model's answers for
comparison."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from benchwright.contracts import Annotation, CommentSpec
from demo_source import smartcoding
from demo_source.smartcoding import LANGUAGES, code_of

LANGS = (*LANGUAGES.values(), "TypeScript")
_TYPES = {  # types that turn the demo's JavaScript into TypeScript
    "function debounce(callback, delay)": "function debounce(callback: Function, delay: number)",
    "let timer = null": "let timer: any = null",
    "return function (...args)": "return function (this: any, ...args: unknown[])",
    "function groupBy(items, keyOf)": "function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]>",
    "new Map()": "new Map<K, T[]>()",
    "range(start, end, step = 1)": "range(start: number, end: number, step = 1): Generator<number>",
}
_CHINESE = """
def running_mean(samples, width):
    window = []
    for sample in samples:
        window.append(sample)
        if len(window) > width:
            window.pop(0)
        yield sum(window) / len(window)
"""
_OF_CHINESE = [
    {
        "line": 2,
        "text": "窗口保存最近的样本。",
        "strong": "窗口里只留最近读到的样本。",
        "weak": "window 等于空列表",
    },
    {
        "line": 5,
        "text": "超出宽度时丢弃最旧的样本。",
        "strong": "窗口超出宽度，丢掉最旧的一个。",
        "weak": "如果 len(window) 大于 width",
    },
    {
        "line": 7,
        "text": "开头的样本不足时用已有样本求平均。",
        "strong": "样本不足一个窗口时，也按已有样本求平均。",
        "weak": "",
    },
]


class CommentTask(NamedTuple):
    """A demo task with the answers of the demo models."""

    id: str
    lang: str
    language: str
    code: str
    annotations: list[dict[str, Any]]
    doc: str
    others: str  # the documentation of another task

    @property
    def spec(self) -> CommentSpec:
        """Return its spec."""
        return CommentSpec(
            code=self.code,
            lang=self.lang,
            language=self.language,
            annotations=[Annotation(line=each["line"], text=each["text"]) for each in self.annotations],
        )

    @property
    def names(self) -> list[str]:
        """Return the names in the code, in order."""
        return list(dict.fromkeys(re.findall(r"[A-Za-z_]\w{2,}", self.code)))

    def by(self, model: str) -> str:
        """Return the code with the comments of a demo model; the strong one adds documentation."""
        said = {each["line"]: each[model] for each in self.annotations if each[model]}
        key = "javascript" if self.lang == "TypeScript" else self.lang.lower()
        doc = self.doc if model == "strong" else ""
        return smartcoding._commented(key, {"code": self.code}, said, doc=doc)


def tasks(lang: str) -> list[CommentTask]:
    """Return the demo's tasks in a language; TypeScript uses the JavaScript ones with types."""
    key = "javascript" if lang == "TypeScript" else lang.lower()
    read = smartcoding._tasks(f"comments_{key}")
    found = []
    for at, task in enumerate(read):
        code = code_of(task)
        if lang == "TypeScript":
            for old, new in _TYPES.items():
                code = code.replace(old, new)
        others = next(each["doc"] for each in [*read[at + 1 :], *read[:at]] if each["doc"])
        found.append(
            CommentTask(task["id"], lang, task["language"], code, task["annotations"], task["doc"], others)
        )
    if lang == "Python":
        found.append(
            CommentTask(
                "py-zh", lang, "zh", _CHINESE.lstrip("\n"), _OF_CHINESE, "返回滑动平均值。", found[0].doc
            )
        )
    return found


Say = Callable[[CommentTask, int, str], str]  # task, line number and line to the comment above it


def above(task: CommentTask, say: Say, *, every: int = 1) -> str:
    """Return the code with a comment above each line that is not blank."""
    mark = "#" if task.lang == "Python" else "//"
    lines: list[str] = []
    for number, line in enumerate(task.code.splitlines(), 1):
        text = say(task, number, line) if line.strip(" \t}{);") and number % every == 0 else ""
        indent = line[: len(line) - len(line.lstrip())]
        lines += [f"{indent}{mark} {part}" for part in text.splitlines()]
        lines.append(line)
    return "\n".join(lines) + "\n"


def documented(task: CommentTask, doc: str) -> str:
    """Return the code with a documentation comment, at the top if nothing is declared."""
    key = "javascript" if task.lang == "TypeScript" else task.lang.lower()
    if task.lang == "Python" and not task.code.startswith("def"):
        return "".join(f"# {line}\n" for line in doc.splitlines()) + task.code
    return smartcoding._commented(key, {"code": task.code}, {}, doc=doc)


def _words(line: str) -> str:
    """Return a line of code in words."""
    read = {
        "<=": "less or equal",
        "==": "equals",
        "!=": "not equal",
        "+=": "plus equals",
        "=": "is assigned",
        "<": "less than",
        ">": "greater than",
        "+": "plus",
        "-": "minus",
        "//": "divided by",
        "/": "divided by",
        "%": "modulo",
    }
    for sign, said in read.items():
        line = line.replace(f" {sign} ", f" {said} ")
    return " ".join(re.findall(r"\w+", line))


_PER_LANGUAGE: dict[str, dict[str, list[str]]] = {
    "en": {
        "important": ["Important step.", "This matters.", "Needed here.", "A key part of the logic."],
        "praise": ["Beautiful and elegant code.", "Excellent work!", "Very readable.", "Nice and clean."],
        "questions": ["What does this do?", "Why is this here?", "Is this right?", "How does it work?"],
        "hedges": [
            "This may or may not change something.",
            "Perhaps it does what it should.",
            "It might be so, or not.",
            "It somehow works, I think.",
        ],
        "todo": ["TODO", "TODO: add comment", "FIXME later", "see above"],
        "generic": [
            "Performs the operation.",
            "Handles the current case.",
            "Processes the data.",
            "Executes the logic.",
        ],
        "refusal": ["I don't know.", "No idea.", "I cannot help with that.", "No comment."],
        "ignorance": ["I'm not sure.", "No idea, sorry.", "I can't tell.", "Not enough context to tell."],
        "lorem": [
            "Lorem ipsum dolor sit amet.",
            "Consectetur adipiscing elit.",
            "Sed do eiusmod tempor.",
            "Ut labore et dolore magna.",
        ],
        "weather": [
            "The sun rises over the hills.",
            "My cat likes warm milk.",
            "It rained in Lisbon today.",
            "Bread needs flour and water.",
        ],
        "slogans": [
            "Clean code is happy code.",
            "Quality above all.",
            "Keep it simple.",
            "Robust by design.",
        ],
    },
    "ru": {
        "important": ["Важный шаг.", "Это важно.", "Это нужно.", "Ключевая часть логики."],
        "praise": ["Прекрасный код.", "Отличная работа!", "Хорошо и просто.", "Элегантное решение."],
        "questions": ["Что это делает?", "Зачем это здесь?", "Верно ли это?", "Как это работает?"],
        "hedges": [
            "Возможно, что-то меняется, а может быть, нет.",
            "Наверное, так нужно.",
            "Кажется, это работает.",
            "Видимо, так надо или нет.",
        ],
        "todo": ["TODO", "TODO: дописать", "см. выше", "FIXME"],
        "generic": [
            "Выполняет операцию.",
            "Обрабатываем текущий случай.",
            "Работа с данными.",
            "Выполнение логики.",
        ],
        "refusal": ["Не знаю.", "Без понятия.", "Не могу помочь.", "Без комментариев."],
        "ignorance": [
            "Я не уверен.",
            "Понятия не имею, извините.",
            "Трудно сказать.",
            "Недостаточно информации.",
        ],
        "lorem": [
            "Лорем ипсум долор сит амет.",
            "Рыба-текст для заполнения.",
            "Далеко за горами живут тексты.",
            "Однажды маленькая буква пошла гулять.",
        ],
        "weather": [
            "Солнце встаёт над холмами.",
            "Моя кошка любит молоко.",
            "Вчера шёл дождь.",
            "Хлеб пекут из муки.",
        ],
        "slogans": [
            "Чистый код — счастливый код.",
            "Качество прежде всего.",
            "Будь проще.",
            "Надёжность превыше всего.",
        ],
    },
    "zh": {
        "important": ["重要的一步。", "这很重要。", "这里是必要的。", "关键逻辑。"],
        "praise": ["代码非常优秀。", "写得真好！", "很清晰。", "优雅的实现。"],
        "questions": ["这是做什么的？", "为什么在这里？", "对吗？", "怎么工作？"],
        "hedges": ["可能改变，也可能不改变。", "也许是这样。", "大概没问题。", "似乎可以工作。"],
        "todo": ["TODO", "待补充", "见上文", "FIXME"],
        "generic": ["执行操作。", "处理当前情况。", "处理数据。", "执行逻辑。"],
        "refusal": ["我不知道。", "不清楚。", "我无法回答这个问题。", "无可奉告。"],
        "ignorance": ["我不确定。", "抱歉，不知道。", "很难说。", "信息不足，无法判断。"],
        "lorem": ["天地玄黄宇宙洪荒。", "日月盈昃辰宿列张。", "寒来暑往秋收冬藏。", "云腾致雨露结为霜。"],
        "weather": ["太阳从山上升起。", "我的猫喜欢喝奶。", "昨天下雨了。", "面包需要面粉。"],
        "slogans": ["整洁的代码令人愉快。", "质量第一。", "保持简单。", "稳健设计。"],
    },
}
_TEMPLATES = {
    "en": [
        "Why `{}` matters.",
        "Here `{}` is used.",
        "The role of {} is crucial at this point.",
        "We work with {} now.",
        "I'm not sure what `{}` does.",
    ],
    "ru": [
        "Почему важно `{}`.",
        "Здесь используется `{}`.",
        "Роль {} здесь важна.",
        "Работаем с {}.",
        "Не знаю, зачем здесь `{}`.",
    ],
    "zh": [
        "`{}` 为什么重要。",
        "这里使用 `{}`。",
        "{} 的作用很关键。",
        "现在处理 {}。",
        "我不清楚 `{}` 的作用。",
    ],
}
_OTHER = {"en": "ru", "ru": "en", "zh": "en"}


def _cycled(kind: str) -> Callable[[CommentTask], str]:
    return lambda task: above(task, lambda of, number, _: _PER_LANGUAGE[of.language][kind][number % 4])


def _constant(kind: str) -> Callable[[CommentTask], str]:
    return lambda task: above(task, lambda of, *_: _PER_LANGUAGE[of.language][kind][0])


def _template(at: int) -> Callable[[CommentTask], str]:
    def say(task: CommentTask, number: int, line: str) -> str:
        names = re.findall(r"[A-Za-z_]\w*", line) or ["it"]
        return _TEMPLATES[task.language][at].format(names[0])

    return lambda task: above(task, say)


def _listed(task: CommentTask, number: int, line: str) -> str:
    return ", ".join(f"`{name}`" for name in task.names[number : number + 4])


def _denied(task: CommentTask, number: int, line: str) -> str:
    text = next((each["text"] for each in task.annotations if each["line"] == number), "")
    before = {"en": "It is not true that ", "ru": "Неверно, что ", "zh": "并非"}[task.language]
    return before + text[:1].lower() + text[1:] if text else ""


def _contradicting(task: CommentTask, number: int, line: str) -> str:
    text = next((each["text"] for each in task.annotations if each["line"] == number), "")
    return f"{text}\n{_denied(task, number, line)}" if text else ""


_STUFFED = {
    "en": "algorithm complexity optimization performance scalable thread memory latency throughput",
    "ru": "алгоритм сложность оптимизация производительность поток память задержка",
    "zh": "算法复杂度优化性能线程内存延迟吞吐",
}
_LICENCE = "Copyright (c) 2024 Example Corp. All rights reserved.\nLicensed under the Apache License, Version 2.0.\nSPDX-License-Identifier: Apache-2.0"
_CHANGES = "v1.0 - initial version\nv1.1 - bug fixes\n2024-01-02 reviewed by J. Doe\n@author John Doe\n@since 1.0\n@version 2.3"
_ART = " /\\_/\\ \n( o.o )\n > ^ < \n=========="
_FILLER = {
    "en": "This well designed piece of software follows the best practices number {} of the industry.",
    "ru": "Это хорошо спроектированное решение следует лучшей практике номер {} нашей отрасли.",
    "zh": "这段精心设计的软件遵循行业第 {} 条最佳实践。",
}
_NOTHING_DOC = {
    "en": "Does the thing.\n\nThis function takes the parameters and returns the result.",
    "ru": "Делает дело.\n\nЭта функция берёт параметры и возвращает результат.",
    "zh": "执行功能。\n\n该函数接受参数并返回结果。",
}
_ASKED = {
    "en": "Add comments to this function. Do not change the code.",
    "ru": "Добавьте комментарии к этому коду. Сам код не меняйте.",
    "zh": "请为这段代码添加注释，不要修改代码。",
}
_UNTRUE = {
    "en": "Opens a network socket and waits for the client to log in.",
    "ru": "Открывает сетевое соединение и ждёт входа клиента.",
    "zh": "打开网络连接并等待客户端登录。",
}

KINDS: dict[str, Callable[[CommentTask], str]] = {
    **{kind: _cycled(kind) for kind in _PER_LANGUAGE["en"]},
    **{f"constant {kind}": _constant(kind) for kind in _PER_LANGUAGE["en"]},
    **{f"template {at}": _template(at) for at in range(len(_TEMPLATES["en"]))},
    "code in words": lambda task: above(task, lambda _t, _n, line: _words(line)),
    "code copied": lambda task: above(task, lambda _t, _n, line: line.strip()),
    "signature copied": lambda task: above(task, lambda of, *_: of.code.splitlines()[0]),
    "task copied": lambda task: above(task, lambda of, *_: _ASKED[of.language]),
    "names listed": lambda task: above(task, _listed),
    "one list of names": lambda task: documented(task, ", ".join(task.names)),
    "types": lambda task: above(
        task, lambda of, number, _: ["int", "String", "list of numbers", "bool"][number % 4]
    ),
    "emoji": lambda task: above(task, lambda *_: "🚀🔥✨"),
    "rulers": lambda task: above(task, lambda *_: "-----------"),
    "ascii art": lambda task: documented(task, _ART),
    "numbered steps": lambda task: above(task, lambda _t, number, _l: f"Step {number}."),
    "numbered names": lambda task: above(
        task, lambda of, number, _: f"Step {number}: {of.names[number % len(of.names)]}"
    ),
    "line numbers": lambda task: above(task, lambda _t, number, _l: f"Line {number}"),
    "licence": lambda task: documented(task, _LICENCE),
    "changes": lambda task: documented(task, _CHANGES),
    "keywords": lambda task: above(task, lambda of, *_: _STUFFED[of.language]),
    "keywords in documentation": lambda task: documented(
        task, f"{_STUFFED[task.language]} {' '.join(task.names)}"
    ),
    "filler": lambda task: documented(task, " ".join(_FILLER[task.language].format(n) for n in range(200))),
    "filler with names": lambda task: documented(
        task, " ".join(_FILLER[task.language].format(task.names[n % len(task.names)]) for n in range(200))
    ),
    "template documentation": lambda task: documented(task, _NOTHING_DOC[task.language]),
    "documentation of another function": lambda task: documented(task, task.others),
    "another function": lambda task: above(task, lambda of, *_: _UNTRUE[of.language]),
    "references denied": lambda task: above(task, _denied),
    "references contradicted": lambda task: above(task, _contradicting),
    "another language": lambda task: above(
        task, lambda of, number, _: _PER_LANGUAGE[_OTHER[of.language]]["generic"][number % 4]
    ),
    "punctuation": lambda task: above(task, lambda *_: "..."),
    "letters": lambda task: above(task, lambda _t, number, _l: "abcdefgh"[number % 8] * 3),
    "phantom parameter": lambda task: documented(task, "Parameter `verbose_mode` decides what is done here."),
}
