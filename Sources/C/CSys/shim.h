#ifndef DRAWBRIDGE_CSYS_H
#define DRAWBRIDGE_CSYS_H
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// GNU functions that the Glibc module does not show (it is built without _GNU_SOURCE).
int accept4(int, struct sockaddr *, socklen_t *, int);
int pipe2(int[2], int);
void *memmem(const void *, size_t, const void *, size_t);

int pthread_setname_np(pthread_t, const char *);
static inline int csys_set_thread_name(const char *name) { return pthread_setname_np(pthread_self(), name); }

static inline int csys_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags) { return accept4(fd, a, n, flags); }
static inline int csys_pipe2(int fds[2], int flags) { return pipe2(fds, flags); }
static inline const void *csys_memmem(const void *h, size_t n, const void *s, size_t m) { return memmem(h, n, s, m); }
static inline int csys_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int csys_fcntl(int fd, int cmd, int arg) { return fcntl(fd, cmd, arg); }
static inline int csys_inotify_init(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }
static inline int csys_inotify_watch(int fd, const char *path) {
    return inotify_add_watch(fd, path, IN_CLOSE_WRITE | IN_MOVED_TO);
}
#endif
