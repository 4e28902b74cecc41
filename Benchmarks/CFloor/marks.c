#include "cfloor.h"

// None can be left out, or be joined with its caller.
#define MARK(name) \
  __attribute__((noinline)) void name(void) { __asm__ volatile("" ::: "memory"); }

MARK(floor_mark_c_begins)
MARK(floor_mark_c_ended)
MARK(floor_mark_coffer_begins)
MARK(floor_mark_coffer_ended)
MARK(floor_mark_benchmark_ended)
