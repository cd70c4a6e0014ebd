# An entry point that gives a coroutine.
async def add(x, y):
    return x + y
