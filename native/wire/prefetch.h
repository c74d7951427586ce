// Asking for memory before it is needed.
#pragma once

namespace receiverd::wire {

/// For functions that do nothing but prefetch: GCC takes them for functions without effect, and drops their calls,
/// unless they have become a part of their caller by then.
#define RECEIVERD_PREFETCHES [[gnu::always_inline]] inline

/// Asks for what lies at `address`, whatever that is, so that it is at hand when it is read soon. Reading some dozen
/// places that lie all over the memory takes as long as reading a few of them then.
RECEIVERD_PREFETCHES void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace receiverd::wire
