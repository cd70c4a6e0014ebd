# One block that the compiler writes again for each of a thousand ways out of it.
def add(x, y):
@WAYS@
