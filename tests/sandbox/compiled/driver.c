/* Stands in for the interpreter around a zygote's object: loads it, calls its loop over descriptor 3, and in an
   answer says what was set up. So the file that is shipped runs without a Python of its machine, and under an
   emulator of programs alone.

   driver OBJECT CLONE_FLAGS MOST_CPU_S LAST_FILE [MOUNT_TARGET]
   driver OBJECT move */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ANSWER = 3, FIRST_FREE = 4, LOOKED_AT = 1024 };

struct mount { const char *source, *target, *kind; unsigned long flags; const char *data; };
struct piece { char *place; unsigned long length; };
struct settings {
    unsigned long namespaces, most_cpu_s;
    long last_file, mount_count;
    const struct mount *mounts;
};

static int say_capabilities(int socket)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        return 1;
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, "CapEff:", 7) || !strncmp(line, "CapPrm:", 7) || !strncmp(line, "CapInh:", 7))
            dprintf(socket, "%s", line);
    return fclose(status);
}

/* A line for each thing that the set-up is for, then an empty one. */
static int say_set_up(void)
{
    char folder[256];
    struct rlimit limit;
    if (!getcwd(folder, sizeof folder) || getrlimit(RLIMIT_CPU, &limit))
        return 1;
    dprintf(ANSWER, "leads:%d\nfolder:%s\nlimit:%ld %ld\n", getsid(0) == getpid() && getpgid(0) == getpid(), folder,
            (long)limit.rlim_cur, (long)limit.rlim_max);
    dprintf(ANSWER, "descriptors:");
    for (int fd = 0; fd < LOOKED_AT; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            dprintf(ANSWER, " %d", fd);
    dprintf(ANSWER, "\n");
    if (say_capabilities(ANSWER))
        return 1;
    printf("printed\n");
    fflush(stdout);
    fprintf(stderr, "complained\n");
    dprintf(ANSWER, "read:%zd\n\n", read(0, folder, sizeof folder));
    for (;;)
        pause();
}

static char *pages(long count, int content)
{
    size_t length = (size_t)(count * sysconf(_SC_PAGESIZE));
    char *made = mmap(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? abort(), made : memset(made, content, length);
}

static int all_are(const char *place, long page_count, int content)
{
    for (long i = 0; i < page_count * sysconf(_SC_PAGESIZE); i++)
        if (place[i] != content)
            return 0;
    return 1;
}

/* Two pieces are moved; then one whose address is no page's. */
static int say_moved(void *object)
{
    long (*move)(const struct piece *, long, char *);
    *(void **)&move = dlsym(object, "move_memory");
    unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
    char *between = pages(2, 9), *space = pages(4, 0);
    struct piece pieces[] = {{pages(3, 1), 3 * page}, {pages(1, 2), page}}, odd = {between + 1, page};
    long result = move(pieces, 2, space);
    int ends[2], kept = all_are(pieces[0].place, 3, 1) && all_are(pieces[1].place, 1, 2) && all_are(between, 2, 9);
    if (pipe(ends))
        return 1;
    int gone = write(ends[1], space, 1) < 0 && write(ends[1], space + 3 * page, 1) < 0;
    memset(pieces[0].place, 3, 4);
    fprintf(stderr, "moved %ld %d %d %ld\n", result, kept, gone, move(&odd, 1, pages(1, 0)));
    return 0;
}

int main(int count, char **arguments)
{
    int moves = count == 3 && !strcmp(arguments[2], "move");
    if (count < 5 && !moves)
        return 2;
    void *object = dlopen(arguments[1], RTLD_NOW);
    if (!object) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    if (moves)
        return say_moved(object);
    long (*serve)(const struct settings *);
    *(void **)&serve = dlsym(object, "serve_answers");
    struct mount mount = {"none", count > 5 ? arguments[5] : 0, "tmpfs", 0, 0};
    struct settings settings = {strtoul(arguments[2], 0, 0), strtoul(arguments[3], 0, 0), atol(arguments[4]),
                                count > 5, &mount};
    pid_t started = getpid();
    long result = serve(&settings);
    if (result == 0)
        return say_set_up();
    fprintf(stderr, "%s %ld %ld\n", getpid() == started ? "zygote" : "answer", result >> 16, result & 0xFFFF);
    return 1;
}
