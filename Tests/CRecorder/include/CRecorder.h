// Records what this process does to the files of one folder, and makes calls fail.
//
// The functions of the C library that change files are replaced in the program that links this
// target: SQLite's calls, Foundation's and Coffer's own all come here first. Nothing waits for a
// real disk in this program.

#ifndef COFFER_RECORDER_H
#define COFFER_RECORDER_H

#include <stddef.h>
#include <stdint.h>

/// What a record says.
typedef enum {
  /// A new file `name`.
  COFFER_RECORDER_CREATE = 1,
  /// `count` bytes at `position` of the file.
  COFFER_RECORDER_WRITE,
  /// The file has `position` bytes now.
  COFFER_RECORDER_TRUNCATE,
  /// The file is on the disk.
  COFFER_RECORDER_SYNC,
  /// The folder's names are on the disk.
  COFFER_RECORDER_SYNC_FOLDER,
  /// All files and names are on the disk.
  COFFER_RECORDER_SYNC_ALL,
  /// `name` is gone.
  COFFER_RECORDER_UNLINK,
  /// `name` is called what follows its NUL.
  COFFER_RECORDER_RENAME,
  /// `name` is also called what follows its NUL.
  COFFER_RECORDER_LINK,
  /// A remark of the program.
  COFFER_RECORDER_MARK,
} coffer_recorder_kind;

/// A record; its `count` bytes follow.
typedef struct {
  uint32_t kind;
  uint32_t count;
  /// The file's inode.
  uint64_t file;
  uint64_t position;
} coffer_recorder_record;

/// Begins to record what happens to the files directly in a folder.
void coffer_recorder_begin(const char *folder);

/// Adds a remark.
void coffer_recorder_mark(const char *text);

/// Ends recording, and returns the records, which stay valid until it begins again.
const void *coffer_recorder_end(size_t *count);

/// Kinds of calls, which can be joined.
typedef enum {
  COFFER_RECORDER_OPEN = 1,
  COFFER_RECORDER_READ = 2,
  COFFER_RECORDER_WRITES = 4,
  COFFER_RECORDER_SYNCS = 8,
  COFFER_RECORDER_SIZES = 16,
  COFFER_RECORDER_NAMES = 32,
  /// Taking locks.
  COFFER_RECORDER_LOCKS = 64,
  COFFER_RECORDER_ATTRIBUTES = 128,
  COFFER_RECORDER_MODES = 256,
} coffer_recorder_calls;

/// The code with which calls read or write half of their bytes, and don't fail.
#define COFFER_RECORDER_HALF (-1)

/// Makes the `nth` call of these kinds on the recorded folder and its files fail with `code`, and
/// all that follow, too, if `lasts`; 0 ends that.
void coffer_recorder_fail(unsigned kinds, long nth, int code, int lasts);

/// Returns how many calls of these kinds there were since.
long coffer_recorder_count(void);

/// Returns the bytes that this process has allocated and not freed.
size_t coffer_allocated_bytes(void);

#endif
