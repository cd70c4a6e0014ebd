/* The few system calls of zygote.c: numbers, values and structures as the kernel has them, and nothing of a libc.

   Numbers: arch/x86/entry/syscalls/syscall_64.tbl of Linux, which never change. Structures are those of a machine
   with longs of 64 bits. */

#if !defined(__x86_64__)
#error "system call numbers of this machine are not known here"
#endif

enum {
    NR_read = 0, NR_write = 1, NR_close = 3, NR_writev = 20, NR_mremap = 25, NR_getpid = 39, NR_recvmsg = 47, NR_clone = 56,
    NR_wait4 = 61, NR_kill = 62, NR_chdir = 80, NR_setsid = 112, NR_capset = 126, NR_mount = 165, NR_exit_group = 231, NR_openat = 257,
    NR_dup3 = 292, NR_prlimit64 = 302, NR_close_range = 436
};

enum { EINTR = 4, AT_FDCWD = -100, SIGKILL = 9, SIGCHLD = 17, RLIMIT_CPU = 0 };
enum { SOL_SOCKET = 1, SCM_RIGHTS = 1, MSG_CTRUNC = 8 };
enum { MREMAP_MAYMOVE = 1, MREMAP_FIXED = 2 };

struct iovec { void *base; unsigned long length; };
struct msghdr {
    void *name; unsigned name_length;
    struct iovec *parts; unsigned long part_count;
    void *control; unsigned long control_length;
    int flags;
};
struct descriptors { unsigned long length; int level, kind, fds[2]; }; /* a cmsghdr and what it carries */
struct rlimit { unsigned long soft, hard; };
struct rusage { long user_s, user_us, system_s, system_us, peak_kib, rest[13]; };
struct cap_header { unsigned version; int pid; };
struct cap_data { unsigned sets[6]; };

/* A system call: its result, or the error's number below zero. */
static inline long call(long number, long a, long b, long c, long d, long e)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}
