// Hints to the processor to load memory that will be read soon.
#pragma once

namespace receiverd::wire {

/// For functions that only prefetch. GCC treats them as free of side effects and drops calls to them, unless they have
/// been inlined by then.
#define RECEIVERD_PREFETCHES [[gnu::always_inline]] inline

/// Prefetches the cache line at `address`, which need not be valid. Prefetching a dozen scattered places before reading
/// them takes about as long as reading a few of them.
RECEIVERD_PREFETCHES void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace receiverd::wire
