// The floor that Coffer is measured against: the code that a C programmer writes for the same work,
// with SQLite's C API and nothing else.

#ifndef CFLOOR_H
#define CFLOOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct floor_db floor_db;

// Are called around each run that is measured, and after a benchmark: Scripts/count-instructions
// counts between them.
void floor_mark_c_begins(void);
void floor_mark_c_ended(void);
void floor_mark_coffer_begins(void);
void floor_mark_coffer_ended(void);
void floor_mark_benchmark_ended(void);

// Opens an encrypted file with a key for sqlite3_key. Returns NULL on failure.
floor_db *floor_open(const char *path, const void *key, int key_length);
// Does the same with other settings than `synchronous = OFF`, as SQL.
floor_db *floor_open_with(const char *path, const void *key, int key_length,
                          const char *settings);
void floor_close(floor_db *db);
// Executes SQL without results, and returns SQLite's code.
int floor_exec(floor_db *db, const char *sql);

// Sums ten integer columns of each row.
int64_t floor_sum_ten(floor_db *db, const char *sql);
// Collects ten integer columns of each row in one array, and returns the number of values.
int64_t floor_collect_ten(floor_db *db, const char *sql);
// Collects one integer column in one array, and returns the number of values.
int64_t floor_collect_one(floor_db *db, const char *sql);
// Sums the lengths of the text or blobs in all columns, read in place.
int64_t floor_sum_lengths(floor_db *db, const char *sql, int is_text);
// Does the same with a copy of each value.
int64_t floor_copy_lengths(floor_db *db, const char *sql, int is_text);
// Inserts `count` rows of ten integers in one transaction, and returns SQLite's code.
// Inserts rows of an integer and a blob in one transaction, and returns their number.
int64_t floor_insert_blobs(floor_db *db, const char *sql, int64_t count, const void *blob,
                           int size);
int floor_insert_ten(floor_db *db, const char *sql, int64_t count);
// Inserts `count` rows of ten integers, each in a transaction, and returns how many were inserted.
int64_t floor_insert_ones(floor_db *db, const char *sql, int64_t count);
// Looks up one integer for each id with one statement, and returns the sum.
int64_t floor_look_up(floor_db *db, const char *sql, const int64_t *ids, int64_t count);
// Looks up one integer for each id, each in a transaction, and returns the sum.
int64_t floor_look_up_isolated(floor_db *db, const char *sql, const int64_t *ids, int64_t count);
// Looks up ten integers for each id, in one transaction or each in its own, and returns the sum.
int64_t floor_look_up_tens(floor_db *db, const char *sql, const int64_t *ids, int64_t count,
                           int isolated);
// Inserts `count` rows of an integer, a text and an integer, each in its own transaction, and returns
// the number of inserted rows.
int64_t floor_commit_rows(floor_db *db, const char *sql, int64_t count);
// Opens a file, reads one integer and closes it, `times` times, and returns the sum.
int64_t floor_open_and_read(const char *path, const void *key, int key_length, const char *sql,
                            int64_t times);
// Returns SQLite's handle, for loops in Swift over the C API.
void *floor_connection(floor_db *db);
// Prepares and runs SQL that returns one integer, `times` times, and returns the sum.
int64_t floor_scalar(floor_db *db, const char *sql, int times);

// Copies all pages to a new encrypted file, checks the copy's structure, and removes it. Returns
// SQLite's code.
int floor_backup(floor_db *db, const char *path, const void *key, int key_length);

// Returns the numbers of pages that were read and decrypted, or encrypted and written, since the last call.
int64_t floor_take_pages_read(floor_db *db);
int64_t floor_take_pages_written(floor_db *db);

// The cryptography of a page of 4,096 bytes, in SQLCipher 4's layout.
typedef enum {
  floor_hmac_sha512,
  floor_hmac_sha256,
  floor_aes_256_cbc_decrypt,
  floor_aes_256_cbc_encrypt,
  // The initialization vector of an encrypted page.
  floor_random_iv,
} floor_primitive;

// Runs a primitive of libcrypto for `pages` pages, with one context for all of them, and returns the
// nanoseconds per page; negative if the process's libcrypto lacks it.
double floor_time_primitive(floor_primitive primitive, int pages);

// Gives memory that isn't allocated back to the system.
void floor_return_unused_memory(void);

// Counts the calls of malloc, calloc, realloc and posix_memalign on this thread, from start to
// stop.
void floor_start_counting_allocations(void);
int64_t floor_stop_counting_allocations(void);

#endif
