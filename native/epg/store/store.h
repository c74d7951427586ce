// The guide in memory: all events of all services.
//
//   services_    DvbTriplet -> { Timeline: slots of its events by start; sub-tables; present and following event }
//   records_     the EventRecords, 20 bytes each, at slots that do not move
//   programmes_  the content of events: texts, each stored once, and the index over them
//
// A new event affects the other events of its service:
//   same event_id             It replaces the old event. What present/following says about the event is not changed by
//                             the schedule.
//   schedule over schedule    The newest wins: events of another run or table that overlap it by more than a minute are
//                             removed. Events of one run stay even if they overlap, since both are announced now.
//   ranks                     A schedule of a lower rank has no event where one of a higher rank has one. Broadcast
//                             schedules have rank 0, imports kMinRank to kMaxRank; without a rank, 0.
//   present/following         It wins over the schedule: overlapping schedule events are shadowed (kept, but hidden)
//                             until present/following moves on. An announced event of a day or so hides only what
//                             begins with it where the schedule is more detailed.
//
// A service has one present event (EN 300 468 §5.2.4). A former present event stays as history, unless the new one
// takes its place: the new one begins no later, or has the same title. Then the old event is left to the schedule if
// that lists it, else removed.
//
// Events that are no longer announced are removed once their segment is complete in the new version (sub_table.h). A
// following event is removed when another one takes its place.
//
// Memory: see StoreLimits. Ended events stay until expire(), because the broadcast clock may not be known when a
// section arrives.
//
// Thread safety: two locks. A writer holds writer_ for a whole section, so there is one at a time. Its read-only work
// (folding texts, looking them up, merging indices) runs alongside the readers. To change something it also takes
// mutex_, for some events or some hundred texts at a time. Readers share mutex_ as long as a Reader lives, so keep
// Readers short-lived and never block while holding one. Order: writer_, mutex_; no other lock is taken while one of
// them is held.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event.h"
#include "epg/event/kept_list.h"
#include "epg/index/column.h"
#include "epg/store/programmes.h"
#include "epg/store/sub_table.h"
#include "epg/store/timeline.h"

namespace receiverd::epg {

/// What the store holds at most.
struct StoreLimits {
  std::size_t max_events = 1'500'000;  ///< beyond it, the event furthest in the future is removed for each new one
  std::size_t max_services = 20'000;   ///< beyond it, events of new services are refused
  std::size_t max_text_bytes = std::size_t{256} << 20;  ///< of distinct texts; beyond it, new events are refused
};

/// Sums since the store was created.
struct StoreCounters {
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;    ///< by an event of the same id
  std::uint64_t vanished = 0;    ///< no longer announced
  std::uint64_t overlapped = 0;  ///< contradicted by newer events of the schedule
  std::uint64_t expired = 0;
  std::uint64_t refused = 0;  ///< because of a limit
};

/// An event with its texts. The texts are valid as long as the Reader that returned it.
struct EventView {
  DvbTriplet service;
  std::uint16_t id = 0;
  std::uint32_t start = 0;     ///< Unix seconds
  std::uint32_t duration = 0;  ///< seconds, 0 = unknown
  std::uint8_t running_status = 0;
  bool free_ca = false;
  Language language = 0;
  std::string_view title;
  std::string_view short_text;
  std::string extended_text;
  std::string_view details;  ///< packed: event_details.h
};

/// Where the event_ids of an import come from: kept from the file (epg.dat), or assigned by the store (XMLTV has none).
enum class EventIds : std::uint8_t { kept, assigned };

/// Ranks of imports.
inline constexpr int kMinRank = -9;
inline constexpr int kMaxRank = 9;

class Store {
 public:
  explicit Store(const StoreLimits& limits = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Adds the events of a section. False if a limit kept some out, or if the events to which its long texts belong are
  /// not known yet: apply the section again later.
  bool apply(const EitSection& section);

  /// Gives events without a title those of the event that an event group of ISDB shares with them. False if one of
  /// these is not known yet.
  bool share(EitSection& section) const;

  /// The number of a new import, for import_events(). Events of a later import replace those of earlier ones.
  std::uint8_t begin_import();

  /// Adds events from a file. They count as one more schedule: the newest wins, and present/following wins over it.
  /// With EventIds::assigned, ids are derived from the start, so importing the same file again gives the same ids.
  /// False if a limit kept some events out. REQUIRES: `rank` is kMinRank to kMaxRank.
  bool import_events(const DvbTriplet& service, std::span<const Event> events, EventIds ids, std::uint8_t import,
                     int rank = 0);

  /// Reports that the present section of this service has been received again. Never waits: does nothing while a writer
  /// is at work.
  void present_received(const DvbTriplet& service) const;

  /// Removes events that ended at least `history` seconds before `now`, the current time, and frees unused memory.
  /// Keeps the present and the following event as long as they may be on. Returns the number of removed events.
  std::size_t expire(wire::UnixSeconds now, wire::UnixSeconds history = 0);

  /// Puts all texts into segments of the index and frees as much memory as possible. For use before a snapshot and
  /// after an import.
  void settle();

  /// Removes everything. Returns the number of events.
  std::size_t clear();

  /// Rises with every change to an event.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  /// Read access to the store, which does not change while a Reader lives.
  class Reader {
   public:
    /// Null if the service is unknown.
    const Timeline* find(const DvbTriplet& service) const;
    /// In order of key.
    template <typename Visit>
    void each_service(Visit visit) const {
      for (const auto& [key, number] : store_->numbers_) visit(key, store_->services_[number]->timeline);
    }
    /// REQUIRES: `service` is a number in use.
    const DvbTriplet& key_of(std::uint16_t service) const { return store_->services_[service]->key; }
    /// The service that the event belongs to.
    const DvbTriplet& service_of(const EventRecord& event) const { return store_->services_[event.service]->key; }
    EventView view(const EventRecord& event) const;
    /// Overwrites an existing view and reuses its memory.
    void view(const EventRecord& event, EventView& view) const;
    const EventRecord& event(EventSlot slot) const { return store_->records_[slot]; }
    /// Null if the slot is free.
    const EventRecord* event_at(EventSlot slot) const {
      return slot < store_->records_.size() && event(slot).programme != 0 ? &event(slot) : nullptr;
    }
    /// Prefetches the first events of a service.
    void prefetch_first(const Timeline& timeline) const;
    /// Prefetches the programmes and texts of these events (null: none).
    void prefetch_texts(std::span<const EventRecord* const> events) const;
    const Programmes& programmes() const { return store_->programmes_; }
    /// Every EventRecord::service is below this.
    std::size_t service_numbers() const { return store_->services_.size(); }
    std::size_t services() const { return store_->numbers_.size(); }
    /// Unchanged as long as the services are the same.
    std::uint64_t service_changes() const { return store_->service_changes_; }
    std::size_t events() const { return store_->events_; }
    std::size_t memory_bytes() const;
    const StoreCounters& counters() const { return store_->counters_; }

   private:
    friend class Store;
    explicit Reader(const Store& store) : store_(&store), lock_(store.mutex_) {}

    const Store* store_;
    std::shared_lock<std::shared_mutex> lock_;
  };

  Reader read() const { return Reader(*this); }

 private:
  friend class GuideWriter;
  friend class GuideReader;

  struct Service {
    Service(const DvbTriplet& of, const Column<EventRecord>& events) : key(of), timeline(events) {}

    DvbTriplet key;
    Timeline timeline;
    std::vector<SubTable> sub_tables;
    // event_id of the present and the following event; -1 = none.
    std::int32_t present = -1;
    std::int32_t following = -1;
    bool announced = false;  // present/following has been received
    bool shadow_due = true;  // shadow() has work to do
    bool ranked = true;      // may have events of a rank above 0
    // No event that begins then or later contradicted present/following at the last shadow().
    std::uint32_t announced_until = 0;
  };
  /// An event on its way in, with its texts looked up.
  struct Incoming {
    const Event* event = nullptr;
    std::uint16_t id = 0;
    Programmes::Staged texts;
  };

  void stage(std::span<const Event> events);
  std::uint16_t number_for(const DvbTriplet& key, std::size_t events);
  bool apply_schedule(std::uint16_t number, const EitSection& section);
  bool add_long_texts(std::uint16_t number);
  bool apply_present_following(std::uint16_t number, const EitSection& section);
  /// `known`: the index of the event with the same id in the timeline, or Timeline::kNone.
  bool insert(std::uint16_t number, Incoming& incoming, const EventRecord& origin, std::size_t known);
  bool outranked(const Service& service, const EventRecord& record, std::size_t known) const;
  bool has_room_for(const Event& event) const;
  bool make_room(const Event& event);
  void remove_contradicted(Service& service, std::size_t index);
  void remove_vanished(Service& service, const SubTable& table, wire::UnixSeconds from, wire::UnixSeconds until);
  void leave_present_following(Service& service, std::uint16_t id, bool was_present);
  void leave_to_schedule(Service& service, EventRecord& event);
  bool same_title(const EventRecord& a, const EventRecord& b) const;
  static bool announced(const Service& service, const EventRecord& event);
  void note_shadow(Service& service, const EventRecord& changed);
  void shadow(Service& service);
  std::uint32_t seconds_until_detail(const Service& service, const EventRecord& placeholder) const;
  EventRecord& at(Service& service, std::size_t index) { return records_[service.timeline.slots()[index]]; }
  std::size_t add(std::uint16_t number, const EventRecord& record);
  void erase(Service& service, std::size_t index);
  template <typename Predicate>
  std::size_t erase_if(Service& service, std::size_t begin, wire::UnixSeconds until, Predicate predicate);
  void remove_service(std::uint16_t number);
  void trim();
  void forget_everything();
  void maintain(bool everything);

  const StoreLimits limits_;
  std::mutex writer_;
  mutable std::shared_mutex mutex_;
  std::map<DvbTriplet, std::uint16_t> numbers_;
  std::uint64_t service_changes_ = 0;
  std::vector<std::unique_ptr<Service>> services_;
  std::vector<std::uint16_t> free_numbers_;
  Column<EventRecord> records_;
  EventSlot free_slot_ = kNoEvent;  // the first free slot of a chain
  Programmes programmes_{records_};
  std::size_t events_ = 0;
  StoreCounters counters_;
  std::uint8_t imports_ = 0;
  KeptList<Incoming> incoming_;  // filled by stage()
  bool changed_ = false;
  std::atomic<std::uint64_t> generation_{0};
};

}  // namespace receiverd::epg
