// The way from tuners into the guide: sections in, events in the store.
//
//   tuner threads ──eit_section()──► SectionFilter ──► bounded queue ──► ingest thread: EitDecoder ──► Store
//                                    (seen: dropped)   (full: dropped)
//
// A tuner thread never waits for the guide: eit_section() takes a short lock of its own, compares the section with what
// the carousel has already brought, copies it when it is new, and returns. A section that finds the queue full is
// dropped and forgotten, so the next round of the carousel brings it again.
//
// Thread safety: everything here may be called from any thread. Lock order: Ingest's lock is never held while the
// store's is taken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "wire/bytes.h"

namespace receiverd::epg {

class Store;
class EitDecoder;
class SectionFilter;
struct EitCounters;

struct IngestCounters {
  std::uint64_t sections = 0;    ///< handed over by tuners
  std::uint64_t repeated = 0;    ///< brought by the carousel before: dropped at once
  std::uint64_t overflowed = 0;  ///< the queue was full: dropped, the carousel brings them again
  std::uint64_t malformed = 0;   ///< too short, too long, not an EIT, not current
  std::uint64_t applied = 0;     ///< decoded and put into the store
};

class Ingest {
 public:
  /// Starts the ingest thread. `queue_bytes` bounds the sections that wait for it.
  explicit Ingest(std::shared_ptr<Store> store, std::unique_ptr<EitDecoder> decoder, std::size_t queue_bytes = 1 << 20);
  /// Stops the thread; sections that still wait are dropped.
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  /// One complete EIT section (tables 0x4E to 0x6F) whose CRC_32 was checked, from any PID. Never blocks on the store.
  void eit_section(wire::Bytes section, std::uint16_t pid);

  /// Returns when everything handed over before the call is in the store.
  void flush();

  /// Forgets which sections were seen, so that the carousel is read again (the store was cleared or has room again).
  void forget_sections();

  IngestCounters counters() const;
  EitCounters decoder_counters() const;

 private:
  struct Queued {
    std::vector<std::uint8_t> bytes;
  };

  void run();

  const std::shared_ptr<Store> store_;
  const std::unique_ptr<EitDecoder> decoder_;  // used by the ingest thread only
  const std::size_t queue_bytes_;

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  std::unique_ptr<SectionFilter> filter_;
  std::vector<Queued> queue_;
  std::size_t queued_bytes_ = 0;
  bool busy_ = false;
  bool stopping_ = false;
  IngestCounters counters_;
  std::unique_ptr<EitCounters> decoder_counters_;

  std::thread thread_;
};

}  // namespace receiverd::epg
