# A thousand bytes of source that the compiler turns into tens of megabytes, doubling with each level.
def add(x, y):
@FINALLY@
