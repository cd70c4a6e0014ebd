/* The loop of a zygote and the set-up of an answer's process: what inside/zygote.py and inside/child.py do in
   Python, step by step in the same order, for zygotes whose answers share a user namespace.

   Freestanding: no libc, no data of its own, no state between two calls. It reads control messages, which the
   trusted side alone writes, and nothing that an answer wrote. It decides nothing: the first step that fails
   ends the answer's process, as there, and is named to Python, which says it. */

#include "system_calls.h"

enum { CONTROL = 3, ANSWER = 3, OUTPUT_COPIES = 2, MESSAGE = 64, REPORT = 128 };

/* What `serve_answers` returns: one of these, or a step in the higher bits with the error's number. */
enum { SERVE = 0, CLOSED = 1, OUT_OF_TURN = 2, MALFORMED = 3 };
enum { RECEIVE = 1, CLONE, REAP, SEND, SESSION, FOLDER, LIMIT, CAPABILITIES, NULL_DEVICE, DESCRIPTORS, MOUNT };

struct interpreter;
struct mount { const char *source, *target, *kind; unsigned long flags; const char *data; };
struct piece { char *place; unsigned long length; };
struct settings {
    unsigned long namespaces; /* flags of clone */
    unsigned long most_cpu_s; /* no limit of processor time may be above this */
    long last_file;           /* descriptors from 4 up to this one are closed */
    long mount_count;
    const struct mount *mounts;
    const struct interpreter *interpreter; /* serves answers here; none: Python serves them */
};

static long failed(long step, long result)
{
    return step << 16 | -result;
}

static long again(long number, long a, long b, long c)
{
    long result;
    do
        result = call(number, a, b, c, 0, 0);
    while (result == -EINTR);
    return result;
}

#include "answer.h"

/* A control message with up to two descriptors: its length; `found` says whether they came with it. */
static long receive(char *message, struct descriptors *with, int *found)
{
    struct iovec part = {message, MESSAGE};
    struct msghdr head = {0, 0, &part, 1, with, sizeof *with, 0};
    long length = again(NR_recvmsg, CONTROL, (long)&head, 0);
    *found = length > 0 && head.control_length == sizeof *with && !(head.flags & MSG_CTRUNC)
             && with->length == sizeof *with && with->level == SOL_SOCKET && with->kind == SCM_RIGHTS;
    return length;
}

/* The number after the first letter of a message, or -1. */
static long number_in(const char *message, long length)
{
    long value = 0;
    if (length < 2 || length > 19)
        return -1;
    for (long i = 1; i < length; i++) {
        if (message[i] < '0' || message[i] > '9')
            return -1;
        value = value * 10 + (message[i] - '0');
    }
    return value;
}

static char *put(char *end, unsigned long value, int digits)
{
    char reversed[20];
    int count = 0;
    while (value || count < digits) {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    }
    while (count)
        *end++ = reversed[--count];
    return end;
}

static char *put_time(char *end, long seconds, long microseconds)
{
    end = put(end, (unsigned long)seconds, 1);
    *end++ = '.';
    end = put(end, (unsigned long)microseconds, 6);
    *end++ = ' ';
    return end;
}

/* S<status> <user s> <system s> <peak KiB> */
static long report(int status, const struct rusage *used)
{
    char text[REPORT], *end = text;
    *end++ = 'S';
    end = put(end, (unsigned)status, 1);
    *end++ = ' ';
    end = put_time(end, used->user_s, used->user_us);
    end = put_time(end, used->system_s, used->system_us);
    end = put(end, (unsigned long)used->peak_kib, 1);
    return again(NR_write, CONTROL, (long)text, end - text);
}

/* Wait for the message that ends the answer, end it, and say what it used. 0, or what to return to Python. */
static long reap(long pid)
{
    char message[MESSAGE];
    int status = 0;
    struct rusage used;
    long length = again(NR_read, CONTROL, (long)message, MESSAGE);
    long result = call(NR_kill, pid, SIGKILL, 0, 0, 0);
    if (result < 0)
        return failed(REAP, result);
    do
        result = call(NR_wait4, pid, (long)&status, 0, (long)&used, 0);
    while (result == -EINTR);
    if (result != pid)
        return failed(REAP, result);
    if (length < 0)
        return failed(RECEIVE, length);
    if (length == 0)
        return CLOSED;
    if (length != 1 || message[0] != 'K')
        return OUT_OF_TURN; /* answering it would give one answer another's end */
    result = report(status, &used);
    return result < 0 ? failed(SEND, result) : 0;
}

static long place(const int fds[2], long last_file)
{
    /* An own descriptor: flags and locks of one shared with the zygote would outlive the answer. */
    long null = call(NR_openat, AT_FDCWD, (long)"/dev/null", 0, 0, 0);
    long result = null;
    if (null >= 0)
        result = call(NR_dup3, null, 0, 0, 0, 0);
    if (result < 0)
        return failed(NULL_DEVICE, result);
    for (long copy = 1; copy <= OUTPUT_COPIES; copy++)
        if ((result = call(NR_dup3, fds[1], copy, 0, 0, 0)) < 0)
            return failed(DESCRIPTORS, result);
    if ((result = call(NR_dup3, fds[0], ANSWER, 0, 0, 0)) < 0) /* takes the control socket's place */
        return failed(DESCRIPTORS, result);
    if (call(NR_close_range, ANSWER + 1, last_file - 1, 0, 0, 0) < 0) /* Linux before 5.9 has no such call */
        for (long fd = ANSWER + 1; fd < last_file; fd++)
            call(NR_close, fd, 0, 0, 0, 0);
    return SERVE;
}

/* Leave the zygote: own session, mounts, folder, limit; no capability; the answer's descriptors alone. */
static long enter(const struct settings *its, const int fds[2], unsigned long cpu_s)
{
    long result = call(NR_setsid, 0, 0, 0, 0, 0);
    if (result < 0)
        return failed(SESSION, result);
    for (long i = 0; i < its->mount_count; i++) {
        const struct mount *each = its->mounts + i;
        result = call(NR_mount, (long)each->source, (long)each->target, (long)each->kind, (long)each->flags,
                      (long)each->data);
        if (result < 0)
            return failed(MOUNT + i, result);
    }
    if ((result = call(NR_chdir, (long)"/tmp", 0, 0, 0, 0)) < 0)
        return failed(FOLDER, result);
    struct rlimit limit = {cpu_s, cpu_s + 1};
    if (limit.hard > its->most_cpu_s)
        limit.hard = its->most_cpu_s;
    if (limit.soft > limit.hard)
        limit.soft = limit.hard;
    if ((result = call(NR_prlimit64, 0, RLIMIT_CPU, (long)&limit, 0, 0)) < 0)
        return failed(LIMIT, result);
    struct cap_header header = {0x20080522, 0}; /* _LINUX_CAPABILITY_VERSION_3 */
    struct cap_data none = {{0, 0, 0, 0, 0, 0}};
    if ((result = call(NR_capset, (long)&header, (long)&none, 0, 0, 0)) < 0)
        return failed(CAPABILITIES, result);
    return place(fds, its->last_file);
}

/* Put a copy of each piece of memory into `space` and then in its place: same address, same content. Nothing but
   the stack may be in use meanwhile. 0, or the number of an error below zero. */
long move_memory(const struct piece *pieces, long count, char *space)
{
    for (long i = 0; i < count; i++) {
        const struct piece *each = pieces + i;
        unsigned long length = each->length, *from = (unsigned long *)each->place, *to = (unsigned long *)space;
        for (unsigned long word = 0; word < length / sizeof *to; word++)
            to[word] = from[word];
        long result = call(NR_mremap, (long)space, (long)length, (long)length, MREMAP_MAYMOVE | MREMAP_FIXED,
                           (long)from);
        if (result != (long)from)
            return result;
        space += length;
    }
    return 0;
}

/* Whether pieces of memory, of whole words, have the known content. Nothing after the first difference is read. */
long is_same_memory(const struct piece *pieces, long count, const unsigned long *known)
{
    for (long i = 0; i < count; i++) {
        const unsigned long *at = (const unsigned long *)pieces[i].place;
        for (unsigned long words = pieces[i].length / sizeof *at; words; words--)
            if (*at++ != *known++)
                return 0;
    }
    return 1;
}

/* Serve an answer without a fork, as the rehearsal does. */
long serve_answer(const struct interpreter *py)
{
    serve(py);
    return SERVE;
}

/* Fork answers until one of them is this process, or none can be any more. */
long serve_answers(const struct settings *its)
{
    for (;;) {
        char message[MESSAGE];
        struct descriptors with;
        int found;
        long length = receive(message, &with, &found);
        if (length < 0)
            return failed(RECEIVE, length);
        if (length == 0)
            return CLOSED;
        if (message[0] == 'K')
            continue; /* nothing runs */
        long cpu_s = number_in(message, length);
        if (message[0] != 'F' || !found || cpu_s < 0)
            return MALFORMED;
        long pid = call(NR_clone, (long)(its->namespaces | SIGCHLD), 0, 0, 0, 0);
        if (pid == 0) {
            long result = enter(its, with.fds, (unsigned long)cpu_s);
            if (result != SERVE || !its->interpreter)
                return result;
            serve(its->interpreter);
            leave();
        }
        call(NR_close, with.fds[0], 0, 0, 0, 0);
        call(NR_close, with.fds[1], 0, 0, 0, 0);
        if (pid < 0)
            return failed(CLONE, pid);
        long result = reap(pid);
        if (result)
            return result;
    }
}
