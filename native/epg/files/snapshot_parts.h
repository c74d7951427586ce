// The parts of a guide snapshot, shared by the code that writes, reads and checks it: snapshot_parts_writer.cc,
// snapshot_parts_reader.cc and guide_snapshot.cc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "epg/files/guide_snapshot.h"
#include "epg/files/snapshot_file.h"
#include "epg/store/store.h"

namespace receiverd::epg {

/// The names of the sections, and the records in them besides the store's own. Every byte is initialised: nothing in
/// the file may be arbitrary.
namespace snapshot_parts {

struct Totals {
  std::uint64_t events = 0;
  std::uint32_t free_slot = kNoEvent;
  std::uint32_t imports = 0;
};

struct ServiceRow {
  std::uint16_t original_network_id = 0;
  std::uint16_t transport_stream_id = 0;
  std::uint16_t service_id = 0;
  std::uint8_t used = 0;  ///< 0: the number is free, the rest is meaningless
  std::uint8_t announced = 0;
  std::int32_t present = -1;
  std::int32_t following = -1;
  std::uint32_t events = 0;      ///< its share of "timelines"
  std::uint32_t sub_tables = 0;  ///< its share of "sub_tables"
};
static_assert(sizeof(ServiceRow) == 24);

struct SubTableRow {
  std::uint8_t table_id = 0;
  std::uint8_t run = 0;
};

struct PoolRow {
  std::uint64_t text_bytes = 0;
  std::uint64_t learnt_from = 0;
  std::uint32_t current = 0;
  std::uint32_t codec = 0;
};

struct ChunkRow {
  std::uint32_t used = 0;
  std::uint16_t present = 0;
  std::uint16_t codec = 0;
};

/// The layout of bit-fields is up to the compiler. One record of each kind with known values shows whether this
/// program's compiler lays them out as the writer's did.
struct Layout {
  EventRecord event;
  Programme programme;

  Layout() {
    event.start = 0x01234567;
    event.duration = 0x54321;
    event.running_status = 5;
    event.free_ca = 1;
    event.present_following = 0;
    event.shadowed = 1;
    event.schedule = 0x2B;
    event.programme = 0xABCDEF;
    event.schedule_run = 0x89;
    event.service = 0x1122;
    event.id = 0x3344;
    event.next = 0x55667788;
    programme.title = 0x010203;
    programme.events = 0x04;
    programme.short_text = 0x050607;
    programme.some_shadowed = 1;
    programme.set_begins(0x123456);
    programme.long_text = 0x090A0B;
    programme.details = 0x0C0D0E;
    programme.next = {0x10111213, 0x14151617, 0x18191A1B};
    programme.first = 0x1C1D1E1F;
  }

  bool operator==(const Layout& other) const {
    const EventRecord& a = event;
    const EventRecord& b = other.event;
    const Programme& p = programme;
    const Programme& q = other.programme;
    return a.start == b.start && a.duration == b.duration && a.running_status == b.running_status &&
           a.free_ca == b.free_ca && a.present_following == b.present_following && a.shadowed == b.shadowed &&
           a.schedule == b.schedule && a.programme == b.programme && a.schedule_run == b.schedule_run &&
           a.service == b.service && a.id == b.id && a.next == b.next && p.title == q.title && p.events == q.events &&
           p.short_text == q.short_text && p.some_shadowed == q.some_shadowed && p.long_text == q.long_text &&
           p.begins_high == q.begins_high && p.begins_middle == q.begins_middle && p.begins_low == q.begins_low &&
           p.details == q.details && p.next == q.next && p.first == q.first;
  }
};

inline constexpr std::array<const char*, kTextKinds + 1> kPoolNames = {"title", "short", "long", "details"};

/// The gram index of the titles.
inline constexpr const char* kGrams = "gram";

inline std::string name_of(std::size_t pool, const char* part) { return std::string(kPoolNames[pool]) + '.' + part; }

}  // namespace snapshot_parts

/// What is wrong with a file; thrown where it is first found.
struct WrongSnapshot {
  SnapshotFault fault;
  const char* why;
};

/// Converts between a store's internals and a snapshot, in both directions.
class SnapshotParts {
 public:
  explicit SnapshotParts(Store& store) : store_(store) {}

  /// Writes a store with index and memory settled and no writer at work.
  void write(SnapshotWriter& writer, GuideSaved& saved);
  void read(const std::shared_ptr<const SnapshotFile>& file);
  /// Replaces the store's content with what read() has built.
  void swap_in();
  void leave_file();
  std::size_t events() const { return living_events_; }

 private:
  void write_all(SnapshotWriter& writer) const;
  static void write_pool(SnapshotWriter& writer, std::size_t number, const TextPool& pool);
  static void write_index(SnapshotWriter& writer, const std::string& name, const WordIndex& index);

  template <typename Element>
  std::span<Element> column(const std::string& name) const;
  template <typename Element>
  const Element& row(const std::string& name) const;

  void read_events();
  void read_services();
  TextPool read_pool(std::size_t number, bool packs) const;
  std::vector<TextId> read_index(const std::string& name, const TextPool& pool, WordIndex& index) const;
  void read_title_grams();
  void recycle_ids(std::size_t number);
  void read_arrays();
  void check_texts(std::size_t kind);
  void check_details();
  void check_programme_events();

  Store& store_;
  std::shared_ptr<const SnapshotFile> file_;
  std::span<EventRecord> events_;
  std::span<Programme> programmes_;
  std::vector<std::vector<EventSlot>> arrays_;
  std::vector<std::uint32_t> free_arrays_;
  std::vector<ProgrammeId> free_programmes_;
  std::array<TextPool, kTextKinds> texts_{TextPool(), TextPool(), TextPool(true)};
  TextPool details_;
  std::array<WordIndex, kTextKinds> words_{WordIndex(IndexedWords::whole_tokens), WordIndex(), WordIndex()};
  WordIndex title_grams_{IndexedWords::grams};
  std::array<std::vector<TextId>, kTextKinds> dead_;  // ids that an index still names
  TextIdSet half_forgotten_;
  std::size_t living_events_ = 0;
  snapshot_parts::Totals totals_;

  // For swap_in(): built before anything has to wait.
  std::vector<std::unique_ptr<Store::Service>> made_services_;
  std::map<ServiceKey, std::uint16_t> numbers_;
  std::vector<std::uint16_t> free_numbers_;
  Column<EventRecord> event_column_;
  Column<Programme> programme_column_;
  Column<TitleShowings> titles_;
};

}  // namespace receiverd::epg
