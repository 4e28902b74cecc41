#include "CFaults.h"

#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

enum kind {
  MEMORY,
  READ,
  WRITE,
  TORN_WRITE,
  SYNC,
  TRUNCATE,
  FILE_SIZE,
  OPEN,
  DELETE,
  ACCESS,
  LOCK,
  LOCK_BUSY,
  CHECK_LOCK,
  MAP_SHARED,
  LOCK_SHARED,
  LOCK_SHARED_BUSY,
  KIND_COUNT
};

static const struct {
  const char *name;
  int code;
} kinds[KIND_COUNT] = {
    [MEMORY] = {"memory", SQLITE_NOMEM},
    [READ] = {"read", SQLITE_IOERR_READ},
    [WRITE] = {"write", SQLITE_IOERR_WRITE},
    [TORN_WRITE] = {"full", SQLITE_FULL},
    [SYNC] = {"sync", SQLITE_IOERR_FSYNC},
    [TRUNCATE] = {"truncate", SQLITE_IOERR_TRUNCATE},
    [FILE_SIZE] = {"file-size", SQLITE_IOERR_FSTAT},
    [OPEN] = {"open", SQLITE_CANTOPEN},
    [DELETE] = {"delete", SQLITE_IOERR_DELETE},
    [ACCESS] = {"access", SQLITE_IOERR_ACCESS},
    [LOCK] = {"lock", SQLITE_IOERR_LOCK},
    [LOCK_BUSY] = {"lock-busy", SQLITE_BUSY},
    [CHECK_LOCK] = {"check-lock", SQLITE_IOERR_CHECKRESERVEDLOCK},
    [MAP_SHARED] = {"map-shared", SQLITE_IOERR_SHMMAP},
    [LOCK_SHARED] = {"lock-shared", SQLITE_IOERR_SHMLOCK},
    [LOCK_SHARED_BUSY] = {"lock-shared-busy", SQLITE_BUSY},
};

static atomic_int armed = -1;
static atomic_long first, calls, failures;
static atomic_int lasts, isLimited;
static _Thread_local int isHere;

const char *coffer_faults_name(int kind) {
  return kind >= 0 && kind < KIND_COUNT ? kinds[kind].name : NULL;
}

void coffer_faults_arm(int kind, long number, int persists) {
  atomic_store(&armed, -1);
  atomic_store(&first, number);
  atomic_store(&lasts, persists);
  atomic_store(&calls, 0);
  atomic_store(&failures, 0);
  atomic_store(&isLimited, 0);
  atomic_store(&armed, kind);
}

void coffer_faults_arm_thread(int kind, long number, int persists) {
  coffer_faults_arm(-1, number, persists);
  isHere = 1;
  atomic_store(&isLimited, 1);
  atomic_store(&armed, kind);
}

void coffer_faults_disarm(void) {
  atomic_store(&armed, -1);
  isHere = 0;
}

long coffer_faults_calls(void) { return atomic_load(&calls); }
long coffer_faults_failures(void) { return atomic_load(&failures); }

// Counts a call; returns the code with which it has to fail, or SQLITE_OK.
static int strike(enum kind kind) {
  if (atomic_load(&armed) != (int)kind) return SQLITE_OK;
  if (atomic_load(&isLimited) && !isHere) return SQLITE_OK;
  long number = atomic_fetch_add(&calls, 1) + 1;
  long failing = atomic_load(&first);
  if (number != failing && !(number > failing && atomic_load(&lasts))) return SQLITE_OK;
  atomic_fetch_add(&failures, 1);
  return kinds[kind].code;
}

// Memory

static sqlite3_mem_methods memory;

// A raw key with its salt, as SQLCipher copies it: 99 characters. If the first of two copies fails,
// SQLCipher 4.6 frees the second one twice, whoever calls it; so this size never fails.
static int isKeyCopy(int size) { return size == memory.xRoundup(99); }

static void *allocate(int size) {
  return !isKeyCopy(size) && strike(MEMORY) ? NULL : memory.xMalloc(size);
}

static void *reallocate(void *old, int size) {
  return strike(MEMORY) ? NULL : memory.xRealloc(old, size);
}

static int installMemory(void) {
  int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
  if (code != SQLITE_OK) return code;
  sqlite3_mem_methods faulty = memory;
  faulty.xMalloc = allocate;
  faulty.xRealloc = reallocate;
  code = sqlite3_config(SQLITE_CONFIG_MALLOC, &faulty);
  if (code != SQLITE_OK) return code;
  // Small allocations would be served from a block of the connection, and never fail.
  return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

// Files: the default VFS's file follows the shim's own.

static sqlite3_vfs *files;

struct file {
  sqlite3_file base;
  // The system's code of the last failure, as SQLite keeps it.
  int errorNumber;
  const sqlite3_io_methods *methods;
};

static sqlite3_file *real(sqlite3_file *file) {
  return (sqlite3_file *)((struct file *)file + 1);
}

#define METHODS(file) ((struct file *)(file))->methods
#define FAIL(kind)            \
  do {                        \
    int code = strike(kind);  \
    if (code) return code;    \
  } while (0)

static int closeFile(sqlite3_file *file) { return METHODS(file)->xClose(real(file)); }

static int readFile(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  // No file is that long, so that no disk is asked.
  int code = offset < 1LL << 40 ? strike(READ) : SQLITE_OK;
  if (code) {
    ((struct file *)file)->errorNumber = EIO;
    return code;
  }
  code = METHODS(file)->xRead(real(file), bytes, count, offset);
  if (code == SQLITE_IOERR_SHORT_READ) ((struct file *)file)->errorNumber = 0;
  return code;
}

static int writeFile(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  FAIL(WRITE);
  int code = strike(TORN_WRITE);
  if (code) {
    METHODS(file)->xWrite(real(file), bytes, count / 2, offset);
    return code;
  }
  return METHODS(file)->xWrite(real(file), bytes, count, offset);
}

static int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
  FAIL(TRUNCATE);
  return METHODS(file)->xTruncate(real(file), size);
}

static int syncFile(sqlite3_file *file, int flags) {
  FAIL(SYNC);
  return METHODS(file)->xSync(real(file), flags);
}

static int fileSize(sqlite3_file *file, sqlite3_int64 *size) {
  FAIL(FILE_SIZE);
  return METHODS(file)->xFileSize(real(file), size);
}

static int lockFile(sqlite3_file *file, int level) {
  FAIL(LOCK);
  FAIL(LOCK_BUSY);
  return METHODS(file)->xLock(real(file), level);
}

static int unlockFile(sqlite3_file *file, int level) {
  return METHODS(file)->xUnlock(real(file), level);
}

static int checkReservedLock(sqlite3_file *file, int *isReserved) {
  FAIL(CHECK_LOCK);
  return METHODS(file)->xCheckReservedLock(real(file), isReserved);
}

static int fileControl(sqlite3_file *file, int operation, void *argument) {
  if (operation == SQLITE_FCNTL_LAST_ERRNO && ((struct file *)file)->errorNumber != 0) {
    *(int *)argument = ((struct file *)file)->errorNumber;
    return SQLITE_OK;
  }
  return METHODS(file)->xFileControl(real(file), operation, argument);
}

static int sectorSize(sqlite3_file *file) { return METHODS(file)->xSectorSize(real(file)); }

static int characteristics(sqlite3_file *file) {
  return METHODS(file)->xDeviceCharacteristics(real(file));
}

static int mapShared(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  FAIL(MAP_SHARED);
  return METHODS(file)->xShmMap(real(file), page, size, extend, memory);
}

static int lockShared(sqlite3_file *file, int offset, int count, int flags) {
  // Unlocking never fails, as with files.
  if (flags & SQLITE_SHM_LOCK) {
    FAIL(LOCK_SHARED);
    FAIL(LOCK_SHARED_BUSY);
  }
  return METHODS(file)->xShmLock(real(file), offset, count, flags);
}

static void shareBarrier(sqlite3_file *file) { METHODS(file)->xShmBarrier(real(file)); }

static int unmapShared(sqlite3_file *file, int deletes) {
  return METHODS(file)->xShmUnmap(real(file), deletes);
}

// Version 2 has no mapped files, which would bypass reads.
static const sqlite3_io_methods methods = {
    2,           closeFile,   readFile,   writeFile,         truncateFile, syncFile,
    fileSize,    lockFile,    unlockFile, checkReservedLock, fileControl,  sectorSize,
    characteristics, mapShared, lockShared, shareBarrier,    unmapShared,  NULL, NULL,
};

static int openFile(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  file->pMethods = NULL;
  FAIL(OPEN);
  sqlite3_file *inner = real(file);
  inner->pMethods = NULL;
  int code = files->xOpen(files, name, inner, flags, out);
  if (inner->pMethods) {
    ((struct file *)file)->methods = inner->pMethods;
    ((struct file *)file)->errorNumber = 0;
    file->pMethods = &methods;
  }
  return code;
}

static int deleteFile(sqlite3_vfs *vfs, const char *name, int syncs) {
  (void)vfs;
  FAIL(DELETE);
  return files->xDelete(files, name, syncs);
}

static int accessFile(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs;
  FAIL(ACCESS);
  return files->xAccess(files, name, flags, result);
}

// SQLite waits some seconds before it gives up a lock that is always busy.
static int waitBriefly(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return atomic_load(&armed) >= 0 ? microseconds : files->xSleep(files, microseconds);
}

int coffer_faults_install(void) {
  static sqlite3_vfs vfs;
  int code = installMemory();
  if (code != SQLITE_OK) return code;
  files = sqlite3_vfs_find(NULL);
  if (!files) return SQLITE_ERROR;
  vfs = *files;
  vfs.zName = "coffer-faults";
  vfs.szOsFile = (int)sizeof(struct file) + files->szOsFile;
  vfs.xOpen = openFile;
  vfs.xDelete = deleteFile;
  vfs.xAccess = accessFile;
  vfs.xSleep = waitBriefly;
  return sqlite3_vfs_register(&vfs, 1);
}
