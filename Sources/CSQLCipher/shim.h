// The one door to SQLCipher's C API.
//
// Swift can import neither variadic functions nor function-like macros, and
// the two supported generations of SQLCipher (3.4.1 over SQLite 3.15.2, and
// 4.x) differ in the symbols that they export. Both are settled here, at
// compile time; what differs at run time is SQLiteFeatures' business.

#ifndef COFFER_SHIM_H
#define COFFER_SHIM_H

// The header declares sqlite3_key and its family under this macro only, and
// Debian's pkg-config file doesn't define it.
#ifndef SQLITE_HAS_CODEC
#define SQLITE_HAS_CODEC 1
#endif
#include <sqlite3.h>

#include <stdint.h>

// Prepares a statement; a persistent one is told to SQLite where it can be.
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

// How often SQLite has compiled the statement anew by itself, since it was
// made; -1 where this SQLite doesn't count.
static inline int coffer_reprepare_count(sqlite3_stmt *statement) {
#ifdef SQLITE_STMTSTATUS_REPREPARE
  return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
#else
  (void)statement;
  return -1;
#endif
}

// Array arguments: a typed pointer in SQLite 3.20 and later, which SQL text
// cannot forge. Before it, the address as an integer, which the virtual table
// looks up among the arrays that are bound at the moment.
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

// What FTS5 offers to extensions of a connection, alive until it closes; null
// where there is no FTS5. It comes by a typed pointer too.
// <https://sqlite.org/fts5.html#extending_fts5>
static inline const fts5_api *coffer_fts5_api(sqlite3 *db) {
#if COFFER_HAS_BIND_POINTER
  fts5_api *api = 0;
  sqlite3_stmt *statement = 0;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", 0);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
#else
  (void)db;
  return 0;
#endif
}

// Text and blobs that SQLite copies (SQLITE_TRANSIENT is a cast that Swift
// doesn't import), and those that outlive the binding.
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

static inline int64_t coffer_total_changes(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3037000
  return sqlite3_total_changes64(db);
#else
  return sqlite3_total_changes(db);
#endif
}

static inline int64_t coffer_changes(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3037000
  return sqlite3_changes64(db);
#else
  return sqlite3_changes(db);
#endif
}

// The byte at which SQLite found the SQL in error, or -1.
static inline int coffer_error_offset(sqlite3 *db) {
#if SQLITE_VERSION_NUMBER >= 3038000
  return sqlite3_error_offset(db);
#else
  (void)db;
  return -1;
#endif
}

// Switches of sqlite3_db_config, a variadic function. Each returns SQLITE_OK,
// or SQLITE_ERROR where this SQLite doesn't know the switch.
static inline int coffer_db_config_flag(sqlite3 *db, int option, int onoff) {
  int now = 0;
  return sqlite3_db_config(db, option, onoff, &now);
}

#ifndef SQLITE_DBCONFIG_ENABLE_TRIGGER
#define SQLITE_DBCONFIG_ENABLE_TRIGGER 1003
#endif

static inline int coffer_set_triggers_enabled(sqlite3 *db, int onoff) {
  return coffer_db_config_flag(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, onoff);
}

// Double-quoted strings: SQLite 3.29 and later can refuse them.
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

// The process-wide error log; sqlite3_config is variadic, and refuses once
// SQLite is in use.
static inline int coffer_config_log(void (*log)(void *, int, const char *)) {
  return sqlite3_config(SQLITE_CONFIG_LOG, log, (void *)0);
}

#ifndef SQLITE_DETERMINISTIC
#define SQLITE_DETERMINISTIC 0x000000800
#endif

#endif
