// The path from tuners into the guide: takes EIT sections and puts their events into the store.
//
//   tuner threads ──eit_section()──► SectionFilter ──► bounded queue ──► ingest thread: EitDecoder ──► Store
//                                     (seen: dropped)   (full: dropped)
//
// A tuner thread never waits for the guide. eit_section() takes a short lock of its own, checks whether the carousel
// has already delivered the section, copies it if it is new, and returns. If the queue is full,
// the section is dropped without being noted, so it is accepted when the carousel repeats it.
//
// Thread safety: every function may be called from any thread. Lock order: Ingest's lock is never held while the
// store's is taken.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "epg/atsc/psip_decoder.h"
#include "epg/eit/eit_decoder.h"
#include "epg/files/guide_snapshot.h"
#include "epg/store/store.h"
#include "wire/bytes.h"

namespace receiverd::epg {

/// A section's identity and its CRC_32.
struct SectionFingerprint {
  std::uint64_t name = 0;  ///< never 0, since table_id is part of it
  std::uint32_t crc = 0;
};

/// The fingerprint of a section. Returns nothing if it is too short, not an EIT section, or not yet valid
/// (current_next_indicator 0).
std::optional<SectionFingerprint> fingerprint_of(wire::Bytes section);

/// The fingerprint of an EIT, ETT or RRT section of PSIP. Returns nothing if it is none of these, or not yet valid.
std::optional<SectionFingerprint> fingerprint_of(wire::Bytes section, const PsipOrigin& origin);

/// Remembers which EIT sections the carousel has delivered. A section is identified by table_id, section_number and
/// service (64 bits in all) and unchanged if its CRC_32 is the same. Open addressing, 12 bytes a section. Ingest's lock
/// covers it.
class SectionFilter {
 public:
  /// When full, the filter forgets everything and starts again; sections still on air are then decoded once more.
  static constexpr std::size_t kMaxSections = 2'000'000;

  /// True if exactly this section was noted before.
  bool seen(const SectionFingerprint& fingerprint) const;
  void note(const SectionFingerprint& fingerprint);
  /// The next section of this name counts as new.
  void forget(std::uint64_t name);
  void clear();

 private:
  static constexpr unsigned kWidth = 64;  // bits of a name

  std::size_t find(std::uint64_t name) const;
  void grow();

  // Two arrays, so that there is no padding.
  std::vector<std::uint64_t> names_;
  std::vector<std::uint32_t> crcs_;
  std::size_t size_ = 0;
  unsigned shift_ = kWidth;  // shift that leaves as many hash bits as index the arrays
};

/// Sums since the start.
struct IngestCounters {
  std::uint64_t received = 0;    ///< sections handed over by tuners
  std::uint64_t repeated = 0;    ///< delivered before and unchanged: dropped at once
  std::uint64_t overflowed = 0;  ///< dropped because the queue was full; the carousel delivers them again
  std::uint64_t malformed = 0;   ///< not an EIT section, truncated, or not yet valid
  std::uint64_t applied = 0;     ///< decoded and put into the store
};

class Ingest {
 public:
  /// Starts the ingest thread. `queue_bytes`: size of the queue of sections.
  explicit Ingest(std::shared_ptr<Store> store, const EitOptions& options = {}, std::size_t queue_bytes = 1 << 20);
  /// Stops the thread; queued sections are dropped.
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  /// Takes a complete EIT section (tables 0x4E to 0x6F) with a verified CRC_32, of a multiplex with these rules. A
  /// section that was received under other rules is decoded again. Never waits for the store.
  void eit_section(wire::Bytes section, const SiRules& rules = {});

  /// Takes a complete EIT, ETT or RRT section of PSIP with a verified CRC_32. Never waits for the store.
  void psip_section(wire::Bytes section, const PsipOrigin& origin);

  /// Like eit_section(), for a section from a file or a test: checks its CRC_32, and takes the rules from the section
  /// alone.
  void unchecked_section(wire::Bytes section);

  /// Waits until all sections handed over before the call are in the store.
  void flush();

  /// Removes events from the store, as Store::expire() does. If the store had refused events for lack of room, the
  /// carousel is read again. Returns the number of events removed.
  std::size_t expire(wire::UnixSeconds now, wire::UnixSeconds history = 0);

  /// Empties the store and reads the carousel again. Returns the number of events removed.
  std::size_t clear();

  /// Replaces the guide with a snapshot and reads the carousel again. After a fault nothing has changed.
  GuideLoaded load(const std::string& path);

  /// Calls move_guide(), then reads the carousel again, since a snapshot does not say which sections it contains.
  GuideLoaded move_into(const std::string& path, std::uint64_t generation);

  /// Calls leave_file() if the last loaded file can still be read.
  void leave_snapshot();

  /// True if the guide lives in a file that can no longer be read: texts are missing, and clear() is due.
  bool snapshot_lost() const;

  const std::shared_ptr<Store>& store() const { return store_; }
  IngestCounters counters() const;
  EitCounters decoder_counters() const;

 private:
  void run();
  /// What a section does not say itself: the rules of an EIT section, or the origin of one of PSIP.
  using SectionOrigin = std::variant<SiRules, PsipOrigin>;

  /// Takes a section that was not delivered before into the queue.
  void enqueue(wire::Bytes section, const std::optional<SectionFingerprint>& fingerprint, const SectionOrigin& origin);
  bool apply_psip(wire::Bytes section, const PsipOrigin& origin);
  GuideLoaded reread_carousel(GuideLoaded loaded);

  const std::shared_ptr<Store> store_;
  const std::size_t queue_bytes_;
  EitDecoder decoder_;  // only the ingest thread uses these three
  PsipDecoder psip_decoder_;
  unsigned rating_rereads_ = 0;  // how often the carousel was read again for the sake of an RRT

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  SectionFilter filter_;
  std::vector<std::uint8_t> queue_;            // whole sections back to back; each states its length
  std::vector<SectionOrigin> queued_origins_;  // of each section in queue_
  bool busy_ = false;
  bool stopping_ = false;
  bool refused_ = false;
  std::weak_ptr<const SnapshotFile> snapshot_;  // alive while part of the guide lies in it
  IngestCounters counters_;
  EitCounters decoder_counters_;

  std::thread thread_;  // last, so that it starts when everything else is constructed
};

/// Counters of store, decoder and ingest as JSON: GuideStatistics of src/epg/guide.ts.
std::string statistics(const Ingest& ingest);

}  // namespace receiverd::epg
