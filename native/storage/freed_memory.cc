#include "storage/freed_memory.h"

#if defined(__GLIBC__) && !defined(__UCLIBC__)
#include <malloc.h>
#define RECEIVERD_GLIBC_HEAP
#endif

namespace receiverd::storage {

void return_large_buffers() {
#ifdef RECEIVERD_GLIBC_HEAP
  mallopt(M_MMAP_THRESHOLD, 128 << 10);  // glibc's default; setting it stops glibc from raising it up to 32 MiB
  mallopt(M_ARENA_MAX, 2);
#endif
}

void return_freed_memory() {
#ifdef RECEIVERD_GLIBC_HEAP
  malloc_trim(0);
#endif
}

}  // namespace receiverd::storage
