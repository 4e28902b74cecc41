// Passes over all pages of a file: see WholeFileBenchmarks.swift.

#include "cfloor.h"

#include "floor_db.h"

#include <stdio.h>

int floor_backup(floor_db *db, const char *path, const void *key, int key_length) {
  remove(path);
  sqlite3 *copy = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(path, &copy, flags, NULL);
  if (code == SQLITE_OK) code = sqlite3_key(copy, key, key_length);
  if (code == SQLITE_OK) {
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db->handle, "main");
    code = backup == NULL ? sqlite3_errcode(copy) : sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }
  sqlite3_close(copy);
  if (code != SQLITE_DONE) return code;
  floor_db *other = floor_open(path, key, key_length);
  if (other == NULL) return SQLITE_CANTOPEN;
  code = floor_exec(other, "PRAGMA quick_check");
  floor_close(other);
  remove(path);
  return code;
}
