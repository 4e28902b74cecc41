#include "cfloor.h"

#include <malloc.h>
#include <stdlib.h>

// These replace the C library's functions in the benchmark program, to count
// calls. Swift allocates with malloc and posix_memalign.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread int counting;
static __thread int64_t allocations;

void *malloc(size_t size) {
  if (counting) allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  if (counting) allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size) {
  if (counting) allocations++;
  return __libc_realloc(pointer, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
  if (counting) allocations++;
  *pointer = __libc_memalign(alignment, size);
  return *pointer ? 0 : 12;
}

void floor_start_counting_allocations(void) {
  allocations = 0;
  counting = 1;
}

int64_t floor_stop_counting_allocations(void) {
  counting = 0;
  return allocations;
}

void floor_return_unused_memory(void) { malloc_trim(0); }
