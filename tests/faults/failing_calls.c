/* A disk that fails on command: preloaded, it counts the calls that a program makes to files under
 * one folder, and answers one of them, or all from one on, with an I/O error. What it lets through
 * goes to the real file system. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define MOST_FILES 4096

static char folder[4096];
static char ours[MOST_FILES];
static long calls, first, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* From call number `from` to `to`, counted from now on, everything fails; 0 and 0: nothing. */
void fail_calls(const char *under, long from, long to) {
    pthread_mutex_lock(&lock);
    snprintf(folder, sizeof folder, "%s", under);
    calls = 0;
    first = from;
    last = to;
    pthread_mutex_unlock(&lock);
}

long calls_counted(void) { return calls; }

static int fails(void) {
    pthread_mutex_lock(&lock);
    calls++;
    int now = calls >= first && calls <= last;
    pthread_mutex_unlock(&lock);
    if (now) errno = EIO;
    return now;
}

static int lies_there(const char *path) {
    return folder[0] && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_ours(int fd) { return folder[0] && fd >= 0 && fd < MOST_FILES && ours[fd]; }

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

static int kept(int fd, int there) {
    if (fd >= 0 && fd < MOST_FILES) ours[fd] = (char)there;
    return fd;
}

#define OPENS(name)                                                                                \
    int name(const char *path, int flags, ...) {                                                   \
        REAL(name);                                                                                \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;                    \
        va_end(more);                                                                              \
        int there = lies_there(path);                                                              \
        if (there && fails()) return -1;                                                           \
        return kept(real(path, flags, mode), there);                                               \
    }
OPENS(open)
OPENS(open64)

int close(int fd) {
    REAL(close);
    kept(fd, 0);
    return real(fd);
}

#define ON_FILE(type, name, told, passed)                                                          \
    type name told {                                                                               \
        REAL(name);                                                                                \
        if (is_ours(fd) && fails()) return -1;                                                     \
        return real passed;                                                                        \
    }
ON_FILE(ssize_t, read, (int fd, void *to, size_t many), (fd, to, many))
ON_FILE(ssize_t, pread, (int fd, void *to, size_t many, off_t at), (fd, to, many, at))
ON_FILE(ssize_t, pread64, (int fd, void *to, size_t many, off64_t at), (fd, to, many, at))
ON_FILE(ssize_t, write, (int fd, const void *of, size_t many), (fd, of, many))
ON_FILE(ssize_t, pwrite, (int fd, const void *of, size_t many, off_t at), (fd, of, many, at))
ON_FILE(ssize_t, pwrite64, (int fd, const void *of, size_t many, off64_t at), (fd, of, many, at))
ON_FILE(int, ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(int, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(int, fsync, (int fd), (fd))
ON_FILE(int, fdatasync, (int fd), (fd))

int rename(const char *from, const char *to) {
    REAL(rename);
    if (lies_there(from) && fails()) return -1;
    return real(from, to);
}

int unlink(const char *path) {
    REAL(unlink);
    if (lies_there(path) && fails()) return -1;
    return real(path);
}
