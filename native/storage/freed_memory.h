// Returns freed memory to the system. Only glibc needs this: it keeps freed buffers for later allocations. After an
// import of 200,000 events, the process kept 161 MB besides its mapped files.
#pragma once

namespace receiverd::storage {

/// Configures malloc for the whole process; call once at start. Buffers of 128 KiB and more are returned as soon as
/// they are freed, and all threads share two heaps instead of eight per core. The 161 MB above become 128 MB; the
/// import takes 5 % more processor time.
void return_large_buffers();

/// Returns all memory freed so far: 13 of the 128 MB above. Takes some milliseconds, so call it only after large jobs.
/// Any thread.
void return_freed_memory();

}  // namespace receiverd::storage
