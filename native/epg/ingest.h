// The way from tuners into the guide: sections in, events in the store.
//
//   tuner threads ──eit_section()──► SectionFilter ──► bounded queue ──► ingest thread: EitDecoder ──► Store
//                                    (seen: dropped)   (full: dropped)
//
// A tuner thread never waits for the guide: eit_section() takes a short lock of its own, compares the section with what
// the carousel has already brought, copies it when it is new, and returns. A section that finds the queue full is
// dropped and not noted, so the next round of the carousel brings it again.
//
// Thread safety: everything here may be called from any thread. Lock order: Ingest's lock is never held while the
// store's is taken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "epg/eit_decoder.h"
#include "epg/guide_snapshot.h"
#include "epg/section_filter.h"
#include "epg/store.h"
#include "wire/bytes.h"

namespace receiverd::epg {

/// Sums since the start.
struct IngestCounters {
  std::uint64_t received = 0;    ///< sections handed over by tuners
  std::uint64_t repeated = 0;    ///< brought by the carousel before: dropped at once
  std::uint64_t overflowed = 0;  ///< the queue was full: dropped, the carousel brings them again
  std::uint64_t malformed = 0;   ///< no EIT section, shorter than it says, or not yet valid
  std::uint64_t applied = 0;     ///< decoded and put into the store
};

class Ingest {
 public:
  /// Starts the ingest thread. `queue_bytes` bounds the sections that wait for it.
  explicit Ingest(std::shared_ptr<Store> store, EitOptions options = {}, std::size_t queue_bytes = 1 << 20);
  /// Stops the thread; sections that still wait are dropped.
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  /// One complete EIT section (tables 0x4E to 0x6F) whose CRC_32 was checked, from any PID. Never waits for the store.
  void eit_section(wire::Bytes section, std::uint16_t pid);

  /// The same for a section from elsewhere (a file, a test): its CRC_32 is checked here.
  void unchecked_section(wire::Bytes section);

  /// Returns when everything handed over before the call is in the store.
  void flush();

  /// Removes what ended before `before` from the store; when the store had refused events for want of room, the
  /// carousel is read anew. Gives the number of events removed.
  std::size_t expire(wire::UnixSeconds before);

  /// Empties the store and reads the carousel anew. Gives the number of events removed.
  std::size_t clear();

  /// Replaces the guide by that of a snapshot, and reads the carousel anew. After a fault nothing has changed.
  GuideLoaded load(const std::string& path);

  /// leave_file(), while the file of the last load can be read.
  void leave_snapshot();

  /// True when the guide lives in a file that cannot be read any more: texts are missing, clear() is due.
  bool snapshot_lost() const;

  const std::shared_ptr<Store>& store() const { return store_; }
  IngestCounters counters() const;
  EitCounters decoder_counters() const;

 private:
  void run();

  const std::shared_ptr<Store> store_;
  const std::size_t queue_bytes_;
  EitDecoder decoder_;  // used by the ingest thread only

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  SectionFilter filter_;
  std::vector<std::uint8_t> queue_;  // whole sections, one behind the other: each says its length
  bool busy_ = false;
  bool stopping_ = false;
  bool refused_ = false;
  std::weak_ptr<const SnapshotFile> snapshot_;  // alive while a part of the guide lies in it
  IngestCounters counters_;
  EitCounters decoder_counters_;

  std::thread thread_;  // last: starts when all the rest is there
};

}  // namespace receiverd::epg
