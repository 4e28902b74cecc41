// Small transactions and opening: see ConnectionBenchmarks.swift.

#include "cfloor.h"

#include "floor_db.h"

int64_t floor_commit_rows(floor_db *db, const char *sql, int64_t count) {
  sqlite3_stmt *begin = NULL, *insert = NULL, *commit = NULL;
  sqlite3_prepare_v2(db->handle, "BEGIN IMMEDIATE", -1, &begin, NULL);
  sqlite3_prepare_v2(db->handle, sql, -1, &insert, NULL);
  sqlite3_prepare_v2(db->handle, "COMMIT", -1, &commit, NULL);
  int64_t changes = 0;
  for (int64_t id = 1; id <= count; id++) {
    sqlite3_step(begin);
    sqlite3_reset(begin);
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_text(insert, 2, "an event", 8, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, id);
    if (sqlite3_step(insert) == SQLITE_DONE) changes += sqlite3_changes(db->handle);
    sqlite3_reset(insert);
    sqlite3_step(commit);
    sqlite3_reset(commit);
  }
  sqlite3_finalize(begin);
  sqlite3_finalize(insert);
  sqlite3_finalize(commit);
  return changes;
}

int64_t floor_open_and_read(const char *path, const void *key, int key_length, const char *sql,
                            int64_t times) {
  int64_t sum = 0;
  for (int64_t i = 0; i < times; i++) {
    sqlite3 *handle = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &handle, flags, NULL) == SQLITE_OK &&
        sqlite3_key(handle, key, key_length) == SQLITE_OK &&
        sqlite3_exec(handle, "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON", NULL, NULL,
                     NULL) == SQLITE_OK) {
      sqlite3_busy_timeout(handle, 5000);
      sqlite3_stmt *statement = NULL;
      sqlite3_prepare_v2(handle, sql, -1, &statement, NULL);
      if (sqlite3_step(statement) == SQLITE_ROW) sum += sqlite3_column_int64(statement, 0);
      sqlite3_finalize(statement);
    }
    sqlite3_close_v2(handle);
  }
  return sum;
}
