#define _GNU_SOURCE
#include "CRecorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Called by threads that a sanitizer doesn't know yet, or no more.
#if __has_attribute(disable_sanitizer_instrumentation)
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static int is_recording;
static char *log_bytes;
static size_t log_count, log_capacity;

// The C library's own function of the same name.
#define REAL(result, name, ...) \
  static result (*real)(__VA_ARGS__); \
  if (real == NULL) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// MARK: Records

static void append(const void *bytes, size_t count) {
  if (log_count + count > log_capacity) {
    log_capacity = (log_count + count) * 2 + 65536;
    log_bytes = realloc(log_bytes, log_capacity);
    if (log_bytes == NULL) abort();
  }
  memcpy(log_bytes + log_count, bytes, count);
  log_count += count;
}

static void add(uint32_t kind, uint64_t file, uint64_t position, const void *bytes, size_t count) {
  coffer_recorder_record record = {kind, (uint32_t)count, file, position};
  append(&record, sizeof record);
  append(bytes, count);
}

void coffer_recorder_begin(const char *path) {
  pthread_mutex_lock(&lock);
  if (realpath(path, folder) == NULL) abort();
  log_count = 0;
  is_recording = 1;
  pthread_mutex_unlock(&lock);
}

void coffer_recorder_mark(const char *text) {
  pthread_mutex_lock(&lock);
  if (is_recording) add(COFFER_RECORDER_MARK, 0, 0, text, strlen(text));
  pthread_mutex_unlock(&lock);
}

const void *coffer_recorder_end(size_t *count) {
  pthread_mutex_lock(&lock);
  is_recording = 0;
  *count = log_count;
  pthread_mutex_unlock(&lock);
  return log_bytes;
}

// MARK: Which files

// The name in the folder, or NULL. The memory that the connections to a log share is no file after
// a power cut: SQLite makes it anew.
static const char *name_in_folder(const char *path) {
  char parent[PATH_MAX], resolved[PATH_MAX];
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  size_t count = strlen(name);
  if (count >= 4 && strcmp(name + count - 4, "-shm") == 0) return NULL;
  if (slash == NULL) {
    strcpy(parent, ".");
  } else {
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - path + 1), path);
  }
  if (realpath(parent, resolved) == NULL || strcmp(resolved, folder) != 0) return NULL;
  return name;
}

static int is_our_path(const char *path) {
  char resolved[PATH_MAX];
  return name_in_folder(path) != NULL ||
         (realpath(path, resolved) != NULL && strcmp(resolved, folder) == 0);
}

static int real_fstat(int descriptor, struct stat *status) {
  REAL(int, "fstat", int, struct stat *);
  return real(descriptor, status);
}

// Whether a descriptor is of the folder (2), of a file in it (1), or of neither.
static int place(int descriptor, uint64_t *file) {
  char link[64], path[PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count < 0 || real_fstat(descriptor, &status) != 0) return 0;
  path[count] = 0;
  *file = status.st_ino;
  if (S_ISDIR(status.st_mode)) return strcmp(path, folder) == 0 ? 2 : 0;
  return S_ISREG(status.st_mode) && name_in_folder(path) != NULL ? 1 : 0;
}

// MARK: Failing calls

static unsigned failing_kinds;
static long failing_call, seen_calls;
static int failing_code, failing_lasts;
static _Thread_local int is_halved;

void coffer_recorder_fail(unsigned kinds, long nth, int code, int lasts) {
  pthread_mutex_lock(&lock);
  failing_kinds = kinds;
  failing_call = nth;
  failing_code = code;
  failing_lasts = lasts;
  seen_calls = 0;
  pthread_mutex_unlock(&lock);
}

long coffer_recorder_count(void) { return seen_calls; }

static int fails(unsigned kind, int is_ours) {
  if (failing_call == 0 || (failing_kinds & kind) == 0 || !is_ours) return 0;
  seen_calls++;
  if (failing_lasts ? seen_calls < failing_call : seen_calls != failing_call) return 0;
  if (failing_code == COFFER_RECORDER_HALF) {
    is_halved = 1;
    return 0;
  }
  errno = failing_code;
  return 1;
}

// How many bytes the present call reads or writes: half of them, if it is to do that.
static size_t halved(size_t count) {
  if (!is_halved) return count;
  is_halved = 0;
  return (count + 1) / 2;
}

static int is_ours(int descriptor) {
  uint64_t file;
  return failing_call != 0 && place(descriptor, &file) != 0;
}

#define RECORDED(kind, ours, call, ...) \
  if (!is_recording) return call; \
  pthread_mutex_lock(&lock); \
  if (fails(kind, ours)) { \
    pthread_mutex_unlock(&lock); \
    return -1; \
  } \
  __typeof__(call) result = call; \
  int code = errno; \
  if (is_recording && result >= 0) __VA_ARGS__ \
  pthread_mutex_unlock(&lock); \
  errno = code; \
  return result

// MARK: Files

static int record_open(
    int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  if (!is_recording) return real(path, flags, mode);
  pthread_mutex_lock(&lock);
  if (fails(COFFER_RECORDER_OPEN, failing_call != 0 && is_our_path(path))) {
    pthread_mutex_unlock(&lock);
    return -1;
  }
  struct stat status;
  int was_there = lstat(path, &status) == 0;
  int result = real(path, flags, mode);
  int code = errno;
  uint64_t file;
  const char *name = name_in_folder(path);
  if (result >= 0 && name != NULL && place(result, &file) == 1) {
    if (!was_there && flags & O_CREAT) {
      add(COFFER_RECORDER_CREATE, file, 0, name, strlen(name));
    } else if (flags & O_TRUNC) {
      add(COFFER_RECORDER_TRUNCATE, file, 0, NULL, 0);
    }
  }
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

int open(const char *path, int flags, ...) {
  REAL(int, "open", const char *, int, ...);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return record_open(real, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(int, "open64", const char *, int, ...);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return record_open(real, path, flags, mode);
}

static void record_write(int descriptor, const void *bytes, ssize_t count, off_t position) {
  uint64_t file;
  if (count > 0 && place(descriptor, &file) == 1)
    add(COFFER_RECORDER_WRITE, file, (uint64_t)position, bytes, (size_t)count);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  RECORDED(COFFER_RECORDER_WRITES, is_ours(descriptor), real(descriptor, bytes, halved(count)), {
    record_write(descriptor, bytes, result, lseek(descriptor, 0, SEEK_CUR) - result);
  });
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t position) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  RECORDED(COFFER_RECORDER_WRITES, is_ours(descriptor), real(descriptor, bytes, halved(count), position), {
    record_write(descriptor, bytes, result, position);
  });
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t position) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  RECORDED(COFFER_RECORDER_WRITES, is_ours(descriptor), real(descriptor, bytes, halved(count), position), {
    record_write(descriptor, bytes, result, position);
  });
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  REAL(ssize_t, "read", int, void *, size_t);
  RECORDED(COFFER_RECORDER_READ, is_ours(descriptor), real(descriptor, bytes, halved(count)), {});
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t position) {
  REAL(ssize_t, "pread", int, void *, size_t, off_t);
  RECORDED(COFFER_RECORDER_READ, is_ours(descriptor), real(descriptor, bytes, halved(count), position), {});
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t position) {
  REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
  RECORDED(COFFER_RECORDER_READ, is_ours(descriptor), real(descriptor, bytes, halved(count), position), {});
}

// Nobody may change a file unseen.
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  uint64_t file;
  if (is_recording && place(descriptor, &file) == 1) abort();
  return real(descriptor, parts, count);
}

static void record_size(int descriptor, off_t size) {
  uint64_t file;
  if (place(descriptor, &file) == 1)
    add(COFFER_RECORDER_TRUNCATE, file, (uint64_t)size, NULL, 0);
}

int ftruncate(int descriptor, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  RECORDED(COFFER_RECORDER_SIZES, is_ours(descriptor), real(descriptor, size), { record_size(descriptor, size); });
}

int ftruncate64(int descriptor, off64_t size) {
  REAL(int, "ftruncate64", int, off64_t);
  RECORDED(COFFER_RECORDER_SIZES, is_ours(descriptor), real(descriptor, size), { record_size(descriptor, size); });
}

static void record_sync(int descriptor) {
  uint64_t file;
  int kind = place(descriptor, &file);
  if (kind == 1) add(COFFER_RECORDER_SYNC, file, 0, NULL, 0);
  if (kind == 2) add(COFFER_RECORDER_SYNC_FOLDER, 0, 0, NULL, 0);
}

// SQLite ignores a failing sync of a folder, and goes on: it doesn't fail.
static int is_ignored(int descriptor, const void *caller) {
  uint64_t file;
  Dl_info info;
  return place(descriptor, &file) == 2 && dladdr(caller, &info) != 0 &&
         strstr(info.dli_fname, "sqlcipher") != NULL;
}

// What a sync returns that waits for no disk.
static int sync_nothing(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0 ? 0 : -1; }

static int sync_file(int descriptor, const void *caller) {
  RECORDED(
      COFFER_RECORDER_SYNCS, is_ours(descriptor) && !is_ignored(descriptor, caller),
      sync_nothing(descriptor), { record_sync(descriptor); });
}

int fsync(int descriptor) { return sync_file(descriptor, __builtin_return_address(0)); }
int fdatasync(int descriptor) { return sync_file(descriptor, __builtin_return_address(0)); }

static int sync_file_system(int descriptor) {
  RECORDED(
      COFFER_RECORDER_SYNCS, is_ours(descriptor), sync_nothing(descriptor),
      { add(COFFER_RECORDER_SYNC_ALL, 0, 0, NULL, 0); });
}

// MARK: Names

static void record_unlink(const char *path) {
  const char *name = name_in_folder(path);
  if (name != NULL) add(COFFER_RECORDER_UNLINK, 0, 0, name, strlen(name));
}

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  RECORDED(COFFER_RECORDER_NAMES, name_in_folder(path) != NULL, real(path), { record_unlink(path); });
}

// Foundation removes files by their parent's descriptor.
int unlinkat(int parent, const char *path, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  if (!is_recording) return real(parent, path, flags);
  char link[64], base[PATH_MAX], whole[PATH_MAX * 2];
  ssize_t count = -1;
  if (path[0] != '/' && parent != AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", parent);
    count = readlink(link, base, sizeof base - 1);
  }
  snprintf(
      whole, sizeof whole, "%.*s%s%s", count < 0 ? 0 : (int)count, base, count < 0 ? "" : "/", path);
  RECORDED(
      COFFER_RECORDER_NAMES, name_in_folder(whole) != NULL, real(parent, path, flags),
      { record_unlink(whole); });
}

int remove(const char *path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
}

static void record_names(uint32_t kind, const char *from, const char *to) {
  const char *old = name_in_folder(from), *new = name_in_folder(to);
  // What crosses the folder's border would be lost on the way.
  if ((old == NULL) != (new == NULL)) abort();
  if (old == NULL) return;
  char names[PATH_MAX * 2];
  size_t count = strlen(old) + 1;
  memcpy(names, old, count);
  strcpy(names + count, new);
  add(kind, 0, 0, names, count + strlen(new));
}

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  RECORDED(COFFER_RECORDER_NAMES, name_in_folder(to) != NULL, real(from, to), { record_names(COFFER_RECORDER_RENAME, from, to); });
}

// Nobody may change a name unseen.
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
  if (is_recording && from == AT_FDCWD && to == AT_FDCWD && flags == 0) return rename(old, new);
  if (is_recording) abort();
  return real(from, old, to, new, flags);
}

static int rename_to_new(const char *from, const char *to, unsigned flags) {
  REAL(long, "syscall", long, ...);
  RECORDED(
      COFFER_RECORDER_NAMES, name_in_folder(to) != NULL,
      (int)real(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags),
      { record_names(COFFER_RECORDER_RENAME, from, to); });
}

// Coffer makes some calls by their numbers.
long syscall(long number, ...) {
  REAL(long, "syscall", long, ...);
  va_list rest;
  va_start(rest, number);
  long values[6];
  for (int index = 0; index < 6; index++) values[index] = va_arg(rest, long);
  va_end(rest);
  if (is_recording && number == SYS_renameat2 && (int)values[0] == AT_FDCWD &&
      (int)values[2] == AT_FDCWD)
    return rename_to_new((const char *)values[1], (const char *)values[3], (unsigned)values[4]);
  if (is_recording && number == SYS_syncfs) return sync_file_system((int)values[0]);
  return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *);
  RECORDED(COFFER_RECORDER_NAMES, name_in_folder(to) != NULL, real(from, to), { record_names(COFFER_RECORDER_LINK, from, to); });
}

// MARK: Locks and attributes

static int set_lock(int (*real)(int, int, ...), int descriptor, int command, void *argument) {
  int takes = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
              command == F_OFD_SETLKW;
  if (!takes || ((struct flock *)argument)->l_type == F_UNLCK)
    return real(descriptor, command, argument);
  RECORDED(COFFER_RECORDER_LOCKS, is_ours(descriptor), real(descriptor, command, argument), {});
}

int fcntl(int descriptor, int command, ...) {
  REAL(int, "fcntl", int, int, ...);
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return set_lock(real, descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
  REAL(int, "fcntl64", int, int, ...);
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return set_lock(real, descriptor, command, argument);
}

int flock(int descriptor, int operation) {
  REAL(int, "flock", int, int);
  if (operation & LOCK_UN) return real(descriptor, operation);
  RECORDED(COFFER_RECORDER_LOCKS, is_ours(descriptor), real(descriptor, operation), {});
}

int fstat(int descriptor, struct stat *status) {
  RECORDED(
      COFFER_RECORDER_ATTRIBUTES, is_ours(descriptor), real_fstat(descriptor, status), {});
}

int fstat64(int descriptor, struct stat64 *status) {
  return fstat(descriptor, (struct stat *)status);
}

int fchmod(int descriptor, mode_t mode) {
  REAL(int, "fchmod", int, mode_t);
  RECORDED(COFFER_RECORDER_MODES, is_ours(descriptor), real(descriptor, mode), {});
}

// MARK: Memory

size_t coffer_allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

#if __has_attribute(disable_sanitizer_instrumentation)
#pragma clang attribute pop
#endif
