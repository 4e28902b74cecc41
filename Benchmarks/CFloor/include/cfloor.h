// The floor that Coffer is measured against: what a C programmer writes for
// the same work, with SQLite's C API and nothing else.

#ifndef CFLOOR_H
#define CFLOOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct floor_db floor_db;

// Opens an encrypted file; `key` is what sqlite3_key takes. NULL on failure.
floor_db *floor_open(const char *path, const void *key, int key_length);
void floor_close(floor_db *db);
// Runs SQL without results; SQLite's code.
int floor_exec(floor_db *db, const char *sql);

// Sums ten integer columns of each row.
int64_t floor_sum_ten(floor_db *db, const char *sql);
// Collects ten integer columns of each row in one array; the number of values.
int64_t floor_collect_ten(floor_db *db, const char *sql);
// Collects one integer column in one array; the number of values.
int64_t floor_collect_one(floor_db *db, const char *sql);
// Sums the lengths of all columns' texts or blobs, read in place.
int64_t floor_sum_lengths(floor_db *db, const char *sql, int is_text);
// The same, of a copy of each.
int64_t floor_copy_lengths(floor_db *db, const char *sql, int is_text);
// Inserts `count` rows of ten integers in one transaction; SQLite's code.
int floor_insert_ten(floor_db *db, const char *sql, int64_t count);
// Looks up one integer for each id, through one statement; the sum.
int64_t floor_look_up(floor_db *db, const char *sql, const int64_t *ids, int64_t count);
// Looks up one integer for each id, each in a transaction; the sum.
int64_t floor_look_up_isolated(floor_db *db, const char *sql, const int64_t *ids, int64_t count);
// Looks up ten integers for each id, all in one transaction or each in its own; the sum.
int64_t floor_look_up_tens(floor_db *db, const char *sql, const int64_t *ids, int64_t count,
                           int isolated);
// SQLite's handle, for loops in Swift over the C API.
void *floor_connection(floor_db *db);
// Prepares and runs SQL that gives one integer, `times` times; the sum.
int64_t floor_scalar(floor_db *db, const char *sql, int times);

// Counts calls of malloc, calloc and realloc in this thread between the two.
void floor_start_counting_allocations(void);
int64_t floor_stop_counting_allocations(void);

#endif
