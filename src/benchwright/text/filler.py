"""Filler phrases in English, Russian and Chinese, which fit any code.

A sentence is filler if it consists of general words, if it asks, hedges or defers, or if it is a header line
of a tool or a licence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchwright.text.refusals import admits_ignorance
from benchwright.text.words import stems, words

# Words of praise, of order, of programming in general: true of any line of any program.
_GENERAL = """
important importance essential crucial critical key vital significant necessary needed need needs required
require matter matters main major useful helpful relevant interesting special simple simply easy complex clear
clearly obvious obviously basically just actually really very quite good great nice best better well clean
cleaner elegant efficient efficiently efficiency effective optimal optimized fast robust reliable safe secure
beautiful perfect excellent amazing wonderful awesome correct correctly proper properly appropriate accordingly
readable readability maintainable maintainability quality professional production enterprise modern powerful
step steps first next last then finally start begin end part section block piece line lines statement statements
expression expressions operator code program logic implementation function functions method methods procedure
routine class module file script snippet algorithm variable variables parameter parameters argument arguments
value values object objects item data thing things stuff something anything everything whatever result
results return returns returned returning output input operation operations action actions task tasks job process processing work works purpose
reason way manner approach case cases situation condition conditions behavior behaviour functionality feature
perform performs performed execute executes executed execution run runs handle handles handling process
processes do does done doing make makes made making use uses used using usage utilize get gets take takes give
gives provide provides contain contains include includes call calls called calling define defines defined
declare declares initialize initializes create creates compute computes calculate calculates evaluate
evaluates update updates check checks ensure ensures allow allows help helps know understand understanding see
note explain explains explanation describe describes description comment comments comments documentation
document documents todo fixme hack xxx tbd placeholder here above below following previous current given
specific certain various several different same other another overall general usual standard common typical
expected intended desired actual new old
add write please change changes changed unchanged detailed developer developers engineer reader readers team
software development programming language computer machine user users application system project
why how because therefore thus hence so since
важно важный важная важное важные нужно нужен нужна нужный необходимо необходимый следует главный основной
ключевой полезный простой просто хорошо хороший отличный прекрасный правильно корректно эффективно надежно
шаг шаги этап часть строка строки блок код кода программа программы логика реализация функция функции метод
класс модуль файл алгоритм переменная параметр параметры аргумент значение значения объект данные
результат операция действие задача работа процесс цель причина способ случай условие поведение выполняет
выполняется выполнение делает делаем сделать использует используется использование получает получить берет
дает содержит вызывает определяет объявляет создает вычисляет обновляет проверяет обеспечивает позволяет
возвращает возвращаем возвращать возврат вернуть принимает принимаем дело помогает здесь далее затем сначала потом наконец выше ниже текущий данный новый другой комментарий описание
документация объяснение зачем почему нужны добавьте
"""
_GENERAL_ZH = (
    "重要 关键 必要 需要 主要 有用 简单 复杂 清晰 明显 优秀 完美 高效 可靠 安全 正确 步骤 第一 第二 下一步 最后 首先 "
    "然后 部分 代码 代码行 这行代码 这一行 这段代码 语句 表达式 程序 逻辑 实现 函数 方法 模块 文件 算法 变量 参数 "
    "对象 数据 结果 操作 动作 任务 工作 过程 目的 原因 方式 情况 条件 行为 功能 执行 处理 使用 获取 提供 包含 "
    "调用 定义 声明 初始化 创建 计算 更新 检查 确保 允许 帮助 这里 这个 那个 一个 一步 当前 给定 注释 说明 描述 文档 "
    "解释 返回 返回值 请注意 非常重要 很重要 十分 很好"
)
GENERAL = frozenset(stems(words(_GENERAL + _GENERAL_ZH)))

_ASKS = re.compile(r"[?？][\"')» ]*$")
_DEFERS = re.compile(
    r"\b(?:todo|fixme|tbd|xxx|wip|lorem ipsum|to be (?:done|documented|written)|add (?:a )?comments?|"
    r"comment (?:goes )?here|see (?:above|below|the code|docs?|documentation)|self[- ]explanatory|"
    r"no comment|n/a|not applicable|дописать|см\. (?:выше|ниже|код))\b|待办|待补充|见上|见下|略",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:may|might|can|could|should|will|would) or (?:may|might|can|could|should|will|would) ?n[o']t\b"
    r"|\bor (?:maybe |perhaps )?(?:not|something|whatever|so)\b|\b(?:may|might)be\b|\b(?:perhaps|possibly|probably|presumably|somehow|"
    r"apparently|supposedly|allegedly)\b|\b(?:not sure|unsure|unclear|who knows|hard to say|some (?:kind|sort) of|"
    r"i (?:think|guess|believe|suppose)|it depends|seems? to|in some (?:way|cases|sense)|one way or another)\b"
    r"|\b(?:может быть|возможно|наверное|вероятно|видимо|кажется|похоже|то ли|или нет|не уверен\w*|"
    r"как-то|как-нибудь|что-то|зависит)\b|可能.{0,12}可能不|也许|大概|或许|不确定|好像|似乎|说不定|某种",
    re.IGNORECASE,
)
_HEADERS = re.compile(
    r"copyright|\(c\) *\d{4}|©|spdx-|all rights reserved|licen[sc]ed? (?:under|to)|warrant(?:y|ies)|"
    r"permission is hereby|redistribut|^\s*@?(?:author|since|version|created|modified|date|maintainer|email)\b|"
    r"\b(?:change ?log|changed by|reviewed by|written by|generated by|last (?:modified|updated))\b|"
    r"^\s*v?\d+\.\d+(?:\.\d+)?\s*[-:(]|^\s*\d{4}-\d\d-\d\d\b|авторск\w+ прав|лицензи[яию]|все права защищены|"
    r"版权|许可证|作者|保留所有权利|修订记录|更新日志",
    re.IGNORECASE,
)


def is_filler_sentence(text: str) -> bool:
    """Whether a sentence asks, hedges, refuses, defers, or heads a file instead of saying something."""
    if _ASKS.search(text) or admits_ignorance(text):
        return True
    return any(pattern.search(text) for pattern in (_DEFERS, _HEDGES, _HEADERS))


def specific_stems(word_stems: Iterable[str]) -> list[str]:
    """The stems that are not general."""
    return [each for each in word_stems if each not in GENERAL and not each.isdigit()]
