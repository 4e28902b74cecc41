// The only import of SQLCipher's C API.
//
// Swift can import neither variadic functions nor function-like macros, and
// the two supported generations of SQLCipher (3.4.1 with SQLite 3.15.2, and
// 4.x) export different symbols. This header handles both at compile time;
// SQLiteFeatures handles differences at run time.

#ifndef COFFER_SHIM_H
#define COFFER_SHIM_H

// sqlite3.h declares sqlite3_key and related functions only with this macro,
// which Debian's pkg-config file doesn't define.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>

#include <stdint.h>
#include <stdlib.h>
#include <sys/vfs.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// A file layer that passes calls on to the usual one, the methods of its files, and what it keeps for each
// file behind what the usual one keeps: see FileLayer.swift.
struct coffer_file_layer {
  sqlite3_vfs layer;
  sqlite3_vfs *usual;
};
struct coffer_file_methods {
  sqlite3_io_methods methods;
  const sqlite3_io_methods *usual;
  int stateOffset;
};
struct coffer_file_state {
  // The first region of the shared memory; NULL if there is none.
  const void *index;
  // What that region begins with, as of the last lock for reading, and the number of that lock.
  unsigned char header[100];
  int readLock;
  // Whether a checkpoint runs that keeps others from committing, or that another connection protects.
  int isCheckpointing, isProtected;
  // Whether the log stays as it is when the connection closes.
  int keepsLog;
  // The path that the file was opened by, which SQLite keeps until it is closed; NULL for a temporary file.
  const char *path;
  // The watches of its name: 0 before there are any, -1 if there can be none; and when it was last seen.
  int watches;
  unsigned long long news;
  long second;
  // Who reads the file beside its connection, a retained object of Swift; NULL for nobody.
  void *reader;
};

// The number of the file system that a file is in; 0 if that can't be told.
static inline unsigned int coffer_file_system(const char *path) {
  struct statfs system;
  return statfs(path, &system) == 0 ? (unsigned int)system.f_type : 0;
}

// Compiles a statement. The persistent flag is ignored before SQLite 3.20.
static inline int coffer_prepare(sqlite3 *db, const char *sql, int byteCount, int persistent,
                                 sqlite3_stmt **statement, const char **tail) {
#if SQLITE_VERSION_NUMBER >= 3020000
  return sqlite3_prepare_v3(db, sql, byteCount, persistent ? SQLITE_PREPARE_PERSISTENT : 0,
                            statement, tail);
#else
  (void)persistent;
  return sqlite3_prepare_v2(db, sql, byteCount, statement, tail);
#endif
}

// Returns how often SQLite has recompiled the statement automatically; -1 if
// this version of SQLite doesn't count it.
static inline int coffer_reprepare_count(sqlite3_stmt *statement) {
#ifdef SQLITE_STMTSTATUS_REPREPARE
  return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
#else
  (void)statement;
  return -1;
#endif
}

// Array arguments are typed pointers in SQLite 3.20 and later, which SQL text
// can't forge. In earlier versions, they are addresses as integers, which the
// virtual table looks up among the arrays that are currently bound.
#if SQLITE_VERSION_NUMBER >= 3020000
#define COFFER_HAS_BIND_POINTER 1
#else
#define COFFER_HAS_BIND_POINTER 0
#endif

static inline int coffer_bind_array(sqlite3_stmt *statement, int index, void *array) {
#if COFFER_HAS_BIND_POINTER
  return sqlite3_bind_pointer(statement, index, array, "coffer_array", 0);
#else
  return sqlite3_bind_int64(statement, index, (sqlite3_int64)(intptr_t)array);
#endif
}

static inline void *coffer_value_array(sqlite3_value *value) {
#if COFFER_HAS_BIND_POINTER
  return sqlite3_value_pointer(value, "coffer_array");
#else
  return (void *)(intptr_t)sqlite3_value_int64(value);
#endif
}

// Finds FTS5's extension API, valid until the connection closes; null if FTS5
// is missing. It also requires typed pointers. Returns SQLITE_OK or SQLITE_NOMEM.
// <https://sqlite.org/fts5.html#extending_fts5>
static inline int coffer_fts5_api(sqlite3 *db, const fts5_api **result) {
  *result = 0;
#if COFFER_HAS_BIND_POINTER
  fts5_api *api = 0;
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  if (code == SQLITE_OK) {
    code = sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", 0);
    if (code == SQLITE_OK) {
      sqlite3_step(statement);
      code = sqlite3_reset(statement);
    }
  }
  sqlite3_finalize(statement);
  *result = api;
  return (code & 0xff) == SQLITE_NOMEM ? code : SQLITE_OK;
#else
  (void)db;
  return SQLITE_OK;
#endif
}

// Bindings of text and blobs: `copy` for bytes that SQLite copies, `static` for
// bytes that outlive the binding. Swift can't import SQLITE_TRANSIENT, a cast.
static inline int coffer_bind_text_copy(sqlite3_stmt *statement, int index, const char *text,
                                        uint64_t byteCount) {
  return sqlite3_bind_text64(statement, index, text, byteCount, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int coffer_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes,
                                        uint64_t byteCount) {
  if (byteCount == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, byteCount, SQLITE_TRANSIENT);
}

static inline int coffer_bind_text_static(sqlite3_stmt *statement, int index, const char *text,
                                          uint64_t byteCount) {
  return sqlite3_bind_text64(statement, index, text, byteCount, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int coffer_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes,
                                          uint64_t byteCount) {
  if (byteCount == 0) return sqlite3_bind_zeroblob(statement, index, 0);
  return sqlite3_bind_blob64(statement, index, bytes, byteCount, SQLITE_STATIC);
}

static inline void coffer_result_text(sqlite3_context *context, const char *text,
                                      uint64_t byteCount) {
  sqlite3_result_text64(context, text, byteCount, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void coffer_result_blob(sqlite3_context *context, const void *bytes,
                                      uint64_t byteCount) {
  if (byteCount == 0)
    sqlite3_result_zeroblob(context, 0);
  else
    sqlite3_result_blob64(context, bytes, byteCount, SQLITE_TRANSIENT);
}

#if SQLITE_VERSION_NUMBER < 3037000
#define sqlite3_total_changes64 sqlite3_total_changes
#define sqlite3_changes64 sqlite3_changes
#endif

static inline int64_t coffer_total_changes(sqlite3 *db) { return sqlite3_total_changes64(db); }

static inline int64_t coffer_changes(sqlite3 *db) { return sqlite3_changes64(db); }

// SQLITE_FCNTL_DATA_VERSION, which headers before SQLite 3.22 lack.
#define COFFER_FCNTL_DATA_VERSION 35

// Returns the byte offset of the error in the SQL, or -1 if it is unknown.
static inline int coffer_error_offset(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(db);
#else
  (void)db;
  return -1;
#endif
}

// Sets a flag by sqlite3_db_config, a variadic function. Returns SQLITE_OK, or
// SQLITE_ERROR if this version of SQLite doesn't know the flag.
static inline int coffer_db_config_flag(sqlite3 *db, int option, int onoff) {
  int now = 0;
  return sqlite3_db_config(db, option, onoff, &now);
}

#ifndef SQLITE_DBCONFIG_ENABLE_FKEY
#define SQLITE_DBCONFIG_ENABLE_FKEY 1002
#endif
#ifndef SQLITE_DBCONFIG_ENABLE_TRIGGER
#define SQLITE_DBCONFIG_ENABLE_TRIGGER 1003
#endif

// Leaves the log as it is when the connection closes. Returns SQLITE_ERROR if this version of SQLite
// can't: see FileLayer.swift.
static inline int coffer_keep_log_at_close(sqlite3 *db) {
#ifdef SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE
  return coffer_db_config_flag(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
#else
  (void)db;
  return SQLITE_ERROR;
#endif
}

// Sets whether foreign keys are enforced; unlike the pragma, without memory.
static inline int coffer_set_foreign_keys(sqlite3 *db, int onoff) {
  return coffer_db_config_flag(db, SQLITE_DBCONFIG_ENABLE_FKEY, onoff);
}

// Makes the schema's table read-only again; without memory from SQLite 3.26 on.
static inline int coffer_protect_schema(sqlite3 *db) {
#ifdef SQLITE_DBCONFIG_WRITABLE_SCHEMA
  return coffer_db_config_flag(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0);
#else
  return sqlite3_exec(db, "PRAGMA writable_schema = OFF", 0, 0, 0);
#endif
}

static inline int coffer_set_triggers_enabled(sqlite3 *db, int onoff) {
  return coffer_db_config_flag(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, onoff);
}

// Enables or disables double-quoted strings. Needs SQLite 3.29.
static inline int coffer_set_double_quoted_strings(sqlite3 *db, int onoff) {
#ifdef SQLITE_DBCONFIG_DQS_DML
  int code = coffer_db_config_flag(db, SQLITE_DBCONFIG_DQS_DML, onoff);
  if (code != SQLITE_OK) return code;
  return coffer_db_config_flag(db, SQLITE_DBCONFIG_DQS_DDL, onoff);
#else
  (void)db;
  (void)onoff;
  return SQLITE_ERROR;
#endif
}

// Sets the error log of the process. It fails once SQLite is initialized;
// sqlite3_config is variadic.
static inline int coffer_config_log(void (*log)(void *, int, const char *)) {
  return sqlite3_config(SQLITE_CONFIG_LOG, log, (void *)0);
}

// Sets the functions for memory of the process, and returns the former ones. It
// fails once SQLite is initialized. With statistics, SQLite calls the functions
// inside of a mutex.
static inline int coffer_config_memory(sqlite3_mem_methods *former,
                                       const sqlite3_mem_methods *methods) {
  int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
  if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, former);
  if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_MALLOC, methods);
  return code;
}

// Returns free memory to the system. SQLite's pages are small allocations,
// which the GNU C library keeps when they are freed.
static inline void coffer_return_free_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// The kernel's keyrings; syscall is variadic. See man 2 keyctl.
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Returns the number of a key of the type user; -1 with errno set if there is none.
static inline long coffer_keyring_search(int inSession, const char *description) {
  int keyring = inSession ? KEY_SPEC_SESSION_KEYRING : KEY_SPEC_USER_KEYRING;
  return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", description, 0);
}

// Copies a key to the buffer; returns its length, or -1 with errno set.
static inline long coffer_keyring_read(long key, void *buffer, long capacity) {
  return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, capacity, 0);
}

// Adds a key to the user's keyring; returns its number, or -1 with errno set.
static inline long coffer_keyring_add(const char *description, const void *key, long length) {
  return syscall(SYS_add_key, "user", description, key, length, KEY_SPEC_USER_KEYRING);
}

// Removes a key from the user's keyring.
static inline long coffer_keyring_unlink(long key) {
  return syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING, 0, 0);
}

// Copies the process, with this thread alone; Swift doesn't import fork.
static inline int coffer_fork(void) { return (int)fork(); }

// Makes a pipe that programs started from here don't have.
static inline int coffer_pipe(int ends[2]) {
  return (int)syscall(SYS_pipe2, ends, 02000000 /* O_CLOEXEC */);
}

// Writes memory that may be none, which is an error then. Not by write, which the address sanitizer
// watches: it takes what is behind a block for a mistake, even if nothing looks at it.
static inline long coffer_write_memory(int descriptor, const void *start, size_t count) {
  return syscall(SYS_write, descriptor, start, count);
}

// What glibc declares for GNU's dialect alone.
#include <fcntl.h>

// Renames a file, unless the other name is taken; returns 0, or -1 with errno set.
static inline int coffer_rename_to_new(const char *path, const char *target) {
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, 1 /* RENAME_NOREPLACE */);
}

// Syncs the file system of a file; returns 0, or -1 with errno set.
static inline int coffer_sync_file_system(int descriptor) {
  return (int)syscall(SYS_syncfs, descriptor);
}

// Begins to write a file to the disk, without waiting for it. A failure shows when the file is synced.
static inline void coffer_begin_sync(int descriptor) {
  syscall(SYS_sync_file_range, descriptor, 0LL, 0LL, 2u /* SYNC_FILE_RANGE_WRITE */);
}

// When a file was made, in nanoseconds since 1970; 0 where its file system doesn't know it. The kernel's
// structure has the mask first, and the time at byte 80: seconds, and then nanoseconds.
static inline long long coffer_birth_time(const char *path) {
  long long fields[32] = {0};
  const unsigned birth = 0x800u;  // STATX_BTIME
  if (syscall(SYS_statx, -100 /* AT_FDCWD */, path, 0, birth, fields) != 0) return 0;
  if (!((unsigned)fields[0] & birth)) return 0;
  return fields[10] * 1000000000LL + (long long)(unsigned)fields[11];
}

#ifndef SQLITE_DETERMINISTIC
#define SQLITE_DETERMINISTIC 0x000000800
#endif

#endif
