def add(x, y):
    raise GeneratorExit
