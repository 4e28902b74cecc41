#include "CFaults.h"

#include <sqlite3.h>
#include <string.h>

// Between a checkpoint's look at the log's length and its look at how much of the log is in the file lies
// a call of xUnfetch, if the log has changed since the connection's last look.

static sqlite3_vfs layer, *usual;
static sqlite3_io_methods methods;
static const sqlite3_io_methods *usualMethods;
static void (*meanwhile)(void);

static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
  int code = usualMethods->xUnfetch(file, offset, page);
  void (*once)(void) = meanwhile;
  meanwhile = 0;
  if (once) once();
  return code;
}

static int openFile(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  int code = usual->xOpen(usual, name, file, flags, out);
  if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
    usualMethods = file->pMethods;
    methods = *usualMethods;
    methods.xUnfetch = unfetch;
    file->pMethods = &methods;
  }
  return code;
}

int coffer_race_install(void) {
  if (sqlite3_initialize() != SQLITE_OK) return SQLITE_ERROR;
  usual = sqlite3_vfs_find(0);
  layer = *usual;
  layer.zName = "coffer-race";
  layer.xOpen = openFile;
  return sqlite3_vfs_register(&layer, 1);
}

void coffer_race_arm(void (*function)(void)) { meanwhile = function; }

int coffer_race_is_armed(void) { return meanwhile != 0; }
