# Containers whose elements hash and compare as they like.
class Key:
    def __hash__(self):
        return 3

    def __eq__(self, other):
        raise KeyboardInterrupt


def add(x, y):
    return {Key(): x + y}
