# Opens terminals and memory, makes devices, pushes keys into a terminal.
import fcntl
import os
import stat
import termios


def add(x, y):
    paths = ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/kmsg", "/dev/mem", "/dev/port", "/dev/kvm", "/dev/fuse")
    for path in (*paths, "/dev/net/tun", "/dev/vda", "/dev/sda", "/dev/loop-control"):
        try:
            os.open(path, os.O_RDWR)
            return x + y
        except OSError:
            continue
    for kind, numbers in ((stat.S_IFCHR, (1, 1)), (stat.S_IFCHR, (5, 0)), (stat.S_IFBLK, (8, 0))):
        try:
            os.mknod("/tmp/device", kind | 0o666, os.makedev(*numbers))
            return x + y
        except OSError:
            continue
    for number in range(4):
        try:
            fcntl.ioctl(number, termios.TIOCSTI, b"x")
            return x + y
        except OSError:
            continue
    return None
