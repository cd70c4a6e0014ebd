"""Ten ways to ask for a function in English. `_prompts_ru` says the same in Russian, in the same order."""

from __future__ import annotations

CHAT = (
    "Complete the Python function. Give the whole function in your answer.\n\n{function}",
    """\
{fence}python
{function}
{fence}

Please complete this function so that it does what its description says. \
Return the finished function as one code block. Thank you!""",
    """\
This is the beginning of a Python function. Write its body only: indented, without the header, without the \
description and without explanations.

{function}""",
    """\
You are an experienced Python programmer, and your code goes straight into use. \
You were handed an unfinished function:

{fence}python
{function}
{fence}

Finish it. The answer is one code block with the whole function, without remarks on the solution.""",
    "finish this\n\n{function}",
    """\
Below is the beginning of a function: its header and a description of what it must do. Implement it in Python.

1. The function's name, and the order and names of its parameters, must not change.
2. The result has to be returned with return, not printed.
3. Mind the edge cases, empty input among them.
4. Only the standard library may be used; import the modules you need yourself.
5. The answer must hold one code block, and in it the whole function together with its header.

{fence}python
{function}
{fence}""",
    """\
{function}

That's the stub I have, and I can't get any further. Finish it for me, will you? Feel free to say in a few \
words how it works, but the answer should have the function in full.""",
    """\
## Task
Finish the function by its description.

## Code
{fence}python
{function}
{fence}

## Answer format
The whole function, in one {fence}python block, and nothing else.

## Solution""",
    """\
Finish the function. Hidden tests will check it: they call it by its name and compare the returned value \
with the expected one. So do not change the name or the parameters, do not read input, do not print anything \
and do not add example calls. Helper functions and imports are allowed. Return the full text of the module.

{function}""",
    """\
How would you implement the function that begins below?

{fence}python
{function}
{fence}

First describe the idea in one or two sentences, then give the whole function in one code block.""",
)

BASE = (
    "# Complete the function.\n\n{function}",
    '"""Please complete the function so that it does what its description says."""\n\n{function}',
    "# The beginning of a function is given. Only its body follows, without explanations.\n\n{function}",
    "# Author: an experienced Python programmer. The code goes straight into use.\n\n{function}",
    "# finish this\n{function}",
    """\
# An implementation of the function by its header and description.
#
# 1. The function's name, and the order and names of its parameters, do not change.
# 2. The result is returned with return, not printed.
# 3. The edge cases are minded, empty input among them.
# 4. Only the standard library is used.

{function}""",
    "There was a stub like this, and now the function is finished in full:\n\n{fence}python\n{function}",
    "## Task\nFinish the function by its description.\n\n## Solution\n{fence}python\n{function}",
    """\
# Hidden tests will check the function: they call it by its name and compare the returned value
# with the expected one. No input is read, nothing is printed, there are no example calls.

{function}""",
    "# Question: how to implement a function with this description?\n# Answer:\n\n{function}",
)
