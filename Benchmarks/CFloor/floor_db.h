// Shared by the source files of the floor.

#ifndef FLOOR_DB_H
#define FLOOR_DB_H

#define SQLITE_HAS_CODEC 1
#include <sqlite3.h>

struct floor_db {
  sqlite3 *handle;
};

#endif
