#include "cfloor.h"
#include "floor_db.h"

typedef struct {
  int64_t values[10];
} ten;

static int read_ten(sqlite3_stmt *statement, ten *record) {
  if (sqlite3_step(statement) != SQLITE_ROW) return 0;
  for (int i = 0; i < 10; i++) record->values[i] = sqlite3_column_int64(statement, i);
  return 1;
}

static int64_t look_up_ten(sqlite3_stmt *statement, int64_t id) {
  ten record;
  int64_t sum = 0;
  sqlite3_bind_int64(statement, 1, id);
  if (read_ten(statement, &record)) {
    for (int i = 0; i < 10; i++) sum += record.values[i];
  }
  sqlite3_reset(statement);
  return sum;
}

int64_t floor_look_up_tens(floor_db *db, const char *sql, const int64_t *ids, int64_t count,
                           int isolated) {
  sqlite3_stmt *statement = NULL, *begin = NULL, *commit = NULL;
  sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
  sqlite3_prepare_v2(db->handle, "BEGIN DEFERRED TRANSACTION", -1, &begin, NULL);
  sqlite3_prepare_v2(db->handle, "COMMIT TRANSACTION", -1, &commit, NULL);
  int64_t sum = 0;
  if (!isolated) sqlite3_step(begin), sqlite3_reset(begin);
  for (int64_t i = 0; i < count; i++) {
    if (isolated) sqlite3_step(begin), sqlite3_reset(begin);
    sum += look_up_ten(statement, ids[i]);
    if (isolated) sqlite3_step(commit), sqlite3_reset(commit);
  }
  if (!isolated) sqlite3_step(commit), sqlite3_reset(commit);
  sqlite3_finalize(statement);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  return sum;
}

void *floor_connection(floor_db *db) { return db->handle; }
