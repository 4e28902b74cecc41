#include "cfloor.h"

#include "floor_db.h"

#include <stdlib.h>
#include <string.h>

floor_db *floor_open(const char *path, const void *key, int key_length) {
  return floor_open_with(path, key, key_length, "PRAGMA synchronous = OFF");
}

floor_db *floor_open_with(const char *path, const void *key, int key_length,
                          const char *settings) {
  floor_db *db = malloc(sizeof *db);
  if (!db) return NULL;
  // The settings that Coffer uses: no mutex, no temporary files.
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK ||
      sqlite3_key(db->handle, key, key_length) != SQLITE_OK ||
      floor_exec(db, settings) != SQLITE_OK ||
      floor_exec(db, "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;"
                     "SELECT count(*) FROM sqlite_master") != SQLITE_OK) {
    floor_close(db);
    return NULL;
  }
  return db;
}

void floor_close(floor_db *db) {
  sqlite3_close_v2(db->handle);
  free(db);
}

int floor_exec(floor_db *db, const char *sql) {
  return sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
}

static sqlite3_stmt *prepare(floor_db *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
  return statement;
}

int64_t floor_sum_ten(floor_db *db, const char *sql) {
  sqlite3_stmt *statement = prepare(db, sql);
  int64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < 10; i++) sum += sqlite3_column_int64(statement, i);
  }
  sqlite3_finalize(statement);
  return sum;
}

static int64_t collect(floor_db *db, const char *sql, int columns) {
  sqlite3_stmt *statement = prepare(db, sql);
  size_t count = 0, capacity = 0;
  int64_t *values = NULL;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    if (count + (size_t)columns > capacity) {
      capacity = capacity ? capacity * 2 : 64;
      int64_t *larger = realloc(values, capacity * sizeof *values);
      if (!larger) break;
      values = larger;
    }
    for (int i = 0; i < columns; i++) values[count++] = sqlite3_column_int64(statement, i);
  }
  sqlite3_finalize(statement);
  free(values);
  return (int64_t)count;
}

int64_t floor_collect_ten(floor_db *db, const char *sql) { return collect(db, sql, 10); }

int64_t floor_collect_one(floor_db *db, const char *sql) { return collect(db, sql, 1); }

static const void *column(sqlite3_stmt *statement, int i, int is_text) {
  return is_text ? (const void *)sqlite3_column_text(statement, i)
                 : sqlite3_column_blob(statement, i);
}

int64_t floor_sum_lengths(floor_db *db, const char *sql, int is_text) {
  sqlite3_stmt *statement = prepare(db, sql);
  int columns = sqlite3_column_count(statement);
  int64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < columns; i++) {
      const unsigned char *bytes = column(statement, i, is_text);
      int length = sqlite3_column_bytes(statement, i);
      if (length > 0) sum += length + bytes[length - 1];
    }
  }
  sqlite3_finalize(statement);
  return sum;
}

int64_t floor_copy_lengths(floor_db *db, const char *sql, int is_text) {
  sqlite3_stmt *statement = prepare(db, sql);
  int columns = sqlite3_column_count(statement);
  int64_t sum = 0;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < columns; i++) {
      const void *bytes = column(statement, i, is_text);
      int length = sqlite3_column_bytes(statement, i);
      unsigned char *copy = malloc((size_t)length + 1);
      if (!copy) break;
      if (length > 0) memcpy(copy, bytes, (size_t)length);
      copy[length] = 0;
      if (length > 0) sum += length + copy[length - 1];
      free(copy);
    }
  }
  sqlite3_finalize(statement);
  return sum;
}

int floor_insert_ten(floor_db *db, const char *sql, int64_t count) {
  floor_exec(db, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement = prepare(db, sql);
  for (int64_t row = 0; row < count; row++) {
    for (int i = 0; i < 10; i++) sqlite3_bind_int64(statement, i + 1, row * 10 + i);
    if (sqlite3_step(statement) != SQLITE_DONE) break;
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return floor_exec(db, "COMMIT");
}

int64_t floor_insert_blobs(floor_db *db, const char *sql, int64_t count, const void *blob,
                           int size) {
  floor_exec(db, "BEGIN IMMEDIATE");
  sqlite3_stmt *statement = prepare(db, sql);
  int64_t row = 0;
  for (; row < count; row++) {
    sqlite3_bind_int64(statement, 1, row);
    sqlite3_bind_blob(statement, 2, blob, size, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE) break;
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  floor_exec(db, "COMMIT");
  return row;
}

static int64_t look_up_one(sqlite3_stmt *statement, int64_t id) {
  int64_t value = 0;
  sqlite3_bind_int64(statement, 1, id);
  if (sqlite3_step(statement) == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
  sqlite3_reset(statement);
  return value;
}

int64_t floor_look_up(floor_db *db, const char *sql, const int64_t *ids, int64_t count) {
  sqlite3_stmt *statement = prepare(db, sql);
  int64_t sum = 0;
  floor_exec(db, "BEGIN");
  for (int64_t i = 0; i < count; i++) sum += look_up_one(statement, ids[i]);
  floor_exec(db, "COMMIT");
  sqlite3_finalize(statement);
  return sum;
}

int64_t floor_look_up_isolated(floor_db *db, const char *sql, const int64_t *ids,
                               int64_t count) {
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_stmt *begin = prepare(db, "BEGIN DEFERRED TRANSACTION");
  sqlite3_stmt *commit = prepare(db, "COMMIT TRANSACTION");
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    sqlite3_step(begin);
    sqlite3_reset(begin);
    sum += look_up_one(statement, ids[i]);
    sqlite3_step(commit);
    sqlite3_reset(commit);
  }
  sqlite3_finalize(statement);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return sum;
}

int64_t floor_scalar(floor_db *db, const char *sql, int times) {
  int64_t sum = 0;
  for (int i = 0; i < times; i++) {
    sqlite3_stmt *statement = prepare(db, sql);
    if (sqlite3_step(statement) == SQLITE_ROW) sum += sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
  }
  return sum;
}

int64_t floor_insert_ones(floor_db *db, const char *sql, int64_t count) {
  sqlite3_stmt *statement = prepare(db, sql);
  sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE TRANSACTION");
  sqlite3_stmt *commit = prepare(db, "COMMIT TRANSACTION");
  int64_t done = 0;
  for (; done < count; done++) {
    sqlite3_step(begin);
    sqlite3_reset(begin);
    for (int i = 0; i < 10; i++) sqlite3_bind_int64(statement, i + 1, done * 10 + i);
    if (sqlite3_step(statement) != SQLITE_DONE) break;
    sqlite3_reset(statement);
    if (sqlite3_step(commit) != SQLITE_DONE) break;
    sqlite3_reset(commit);
  }
  sqlite3_finalize(statement);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return done;
}

static int64_t status(floor_db *db, int counter) {
  int value = 0, highest = 0;
  sqlite3_db_status(db->handle, counter, &value, &highest, 1);
  return value;
}

int64_t floor_take_pages_read(floor_db *db) { return status(db, SQLITE_DBSTATUS_CACHE_MISS); }

int64_t floor_take_pages_written(floor_db *db) { return status(db, SQLITE_DBSTATUS_CACHE_WRITE); }
