/* Makes one call of a program fail: a library to be loaded before all others (LD_PRELOAD).
 *
 * Counted are the calls that change what lies below a folder, in the order of the program: opening a file for writing, making
 * a temporary file or a folder, write, sync, truncate, change of rights, rename, unlink, close; and writes to standard output.
 *
 *   SOFTRADIAL_FAULT_FOLDER   the folder, as an absolute path without links in it
 *   SOFTRADIAL_FAULT_CALL     which call fails: 1, 2, ...; 0 counts only
 *   SOFTRADIAL_FAULT_KIND     how: "full" and "broken" fail with ENOSPC and EIO; "full-on" fails with ENOSPC, and so does every
 *                             later call that needs room; "short" writes a part of the bytes (calls that write no bytes are
 *                             not counted); "kill" ends the process before the call
 *   SOFTRADIAL_FAULT_LOG      a file elsewhere that gets a line when the call fails: its number, its name and the file
 *
 * A close that fails has closed, as Linux does it. Readers are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault { none, fails, shortened };

static const char* folder;
static size_t folder_length;
static const char* kind = "full";
static long fault_call;
static atomic_long calls;

static void read_settings(void) __attribute__((constructor));
static void read_settings(void) {
  folder = getenv("SOFTRADIAL_FAULT_FOLDER");
  folder_length = folder == NULL ? 0 : strlen(folder);
  const char* call = getenv("SOFTRADIAL_FAULT_CALL");
  fault_call = call == NULL ? 0 : atol(call);
  const char* given = getenv("SOFTRADIAL_FAULT_KIND");
  if (given != NULL) kind = given;
}

static int is_below(const char* path) {
  return folder != NULL && path != NULL && strncmp(path, folder, folder_length) == 0 &&
         (path[folder_length] == '/' || path[folder_length] == '\0');
}

/* Everything here goes straight to the kernel: the library must not count its own calls. */
static void write_log(long number, const char* name, const char* path) {
  const char* const log = getenv("SOFTRADIAL_FAULT_LOG");
  if (log == NULL) return;
  const long out = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  char line[PATH_MAX + 64];
  const int size = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
  if (out < 0 || size < 0) return;
  if (syscall(SYS_write, out, line, (size_t)size) != size) _exit(99);
  syscall(SYS_close, out);
}

static int needs_room(const char* name) {
  return strcmp(name, "close") != 0 && strcmp(name, "unlink") != 0 && strcmp(name, "chmod") != 0;
}

/* Whether this call, of which `path` is the file, fails now; errno is set. `bytes`: it writes some. */
static enum fault fault_now(const char* name, const char* path, int bytes) {
  const int is_short = strcmp(kind, "short") == 0;
  if (is_short && !bytes) return none;
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (fault_call == 0 || number < fault_call) return none;
  if (number > fault_call) {
    if (strcmp(kind, "full-on") != 0 || !needs_room(name)) return none;
    errno = ENOSPC;
    return fails;
  }
  write_log(number, name, path);
  if (strcmp(kind, "kill") == 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  if (is_short) return shortened;
  errno = strcmp(kind, "broken") == 0 ? EIO : ENOSPC;
  return fails;
}

/* The same for a descriptor: of a file below the folder, or standard output. */
static enum fault fault_of_descriptor(const char* name, int descriptor, int bytes) {
  if (folder == NULL) return none;
  if (descriptor == STDOUT_FILENO && bytes) return fault_now(name, "stdout", bytes);
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long size = syscall(SYS_readlink, link, path, sizeof path - 1);
  if (size <= 0) return none;
  path[size] = '\0';
  if (!is_below(path)) return none;
  const long flags = syscall(SYS_fcntl, descriptor, F_GETFL);
  const int is_folder_sync = strcmp(name, "sync") == 0;
  if ((flags & O_ACCMODE) == O_RDONLY && !is_folder_sync) return none;
  return fault_now(name, path, bytes);
}

static enum fault fault_of_path(const char* name, const char* path) {
  return is_below(path) ? fault_now(name, path, 0) : none;
}

// ISO C knows no conversion of object pointers to functions; POSIX does.
#define NEXT(function) (__extension__(__typeof__(&function)) dlsym(RTLD_NEXT, #function))

static int opens_for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0; }

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

#define DEFINE_OPEN(function)                                                              \
  int function(const char* path, int flags, ...) {                                         \
    va_list arguments;                                                                     \
    va_start(arguments, flags);                                                            \
    const mode_t mode = mode_of(flags, arguments);                                         \
    va_end(arguments);                                                                     \
    if (opens_for_writing(flags) && fault_of_path("open", path) == fails) return -1;       \
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);                          \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(function)                                                            \
  int function(int where, const char* path, int flags, ...) {                              \
    va_list arguments;                                                                     \
    va_start(arguments, flags);                                                            \
    const mode_t mode = mode_of(flags, arguments);                                         \
    va_end(arguments);                                                                     \
    if (opens_for_writing(flags) && fault_of_path("open", path) == fails) return -1;       \
    return (int)syscall(SYS_openat, where, path, flags, mode);                             \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

#define DEFINE_FOPEN(function)                                                                            \
  FILE* function(const char* path, const char* mode) {                                                    \
    if (strpbrk(mode, "wa+") != NULL && fault_of_path("open", path) == fails) return NULL;                \
    return NEXT(function)(path, mode);                                                                    \
  }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

#define DEFINE_MKOSTEMP(function)                                        \
  int function(char* pattern, int flags) {                               \
    if (fault_of_path("open", pattern) == fails) return -1;              \
    return NEXT(function)(pattern, flags);                               \
  }
DEFINE_MKOSTEMP(mkostemp)
DEFINE_MKOSTEMP(mkostemp64)

int mkdir(const char* path, mode_t mode) {
  return fault_of_path("mkdir", path) == fails ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static size_t part_of(size_t size, enum fault fault) { return fault == shortened && size > 1 ? size / 2 : size; }

ssize_t write(int descriptor, const void* bytes, size_t size) {
  const enum fault fault = fault_of_descriptor("write", descriptor, 1);
  return fault == fails ? -1 : syscall(SYS_write, descriptor, bytes, part_of(size, fault));
}

ssize_t writev(int descriptor, const struct iovec* pieces, int count) {
  const enum fault fault = fault_of_descriptor("write", descriptor, 1);
  if (fault == fails) return -1;
  return syscall(SYS_writev, descriptor, pieces, fault == shortened && count > 1 ? 1 : count);
}

#define DEFINE_PWRITE(function)                                                                      \
  ssize_t function(int descriptor, const void* bytes, size_t size, off_t at) {                       \
    const enum fault fault = fault_of_descriptor("write", descriptor, 1);                            \
    return fault == fails ? -1 : syscall(SYS_pwrite64, descriptor, bytes, part_of(size, fault), at); \
  }
DEFINE_PWRITE(pwrite)
DEFINE_PWRITE(pwrite64)

#define DEFINE_SYNC(function)                                                                                  \
  int function(int descriptor) {                                                                               \
    return fault_of_descriptor("sync", descriptor, 0) == fails ? -1 : (int)syscall(SYS_##function, descriptor); \
  }
DEFINE_SYNC(fsync)
DEFINE_SYNC(fdatasync)

#define DEFINE_TRUNCATE(function)                                                    \
  int function(int descriptor, off_t size) {                                         \
    return fault_of_descriptor("truncate", descriptor, 0) == fails ? -1 : (int)syscall(SYS_ftruncate, descriptor, size); \
  }
DEFINE_TRUNCATE(ftruncate)
DEFINE_TRUNCATE(ftruncate64)

int fchmod(int descriptor, mode_t mode) {
  return fault_of_descriptor("chmod", descriptor, 0) == fails ? -1 : (int)syscall(SYS_fchmod, descriptor, mode);
}

int close(int descriptor) {
  const int failed = fault_of_descriptor("close", descriptor, 0) == fails;
  const int error = errno;
  const int result = (int)syscall(SYS_close, descriptor);
  if (!failed) return result;
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) {
  return fault_of_path("rename", to) == fails ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char* path) {
  return fault_of_path("unlink", path) == fails ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
