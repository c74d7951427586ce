// Has memory that was needed once go back to the system. Only glibc needs it: it keeps what is freed for the next large
// buffer. After an import of 200,000 events the process had 161 MB beside its files.
#pragma once

namespace receiverd::storage {

/// For the whole process, once at its start: large buffers go back when they are freed, and threads share heaps, of
/// which glibc makes eight for each core. The 161 MB are 128 then; the import takes a twentieth more processor time.
void return_large_buffers();

/// Returns what is freed so far: 13 MB of 128. Takes some milliseconds; for the end of large work. Any thread.
void return_freed_memory();

}  // namespace receiverd::storage
