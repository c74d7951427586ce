// The guide in memory: every event of every service.
//
//   services_    ServiceKey -> { Timeline: slots of its events by start; sub-tables; who is present and following }
//   events_      the EventRecords, 20 bytes each, at slots that do not move
//   programmes_  what they are about: texts, each once, and the index over them
//
// The effect of a new event on existing ones (of its service only):
//   same event_id             It replaces the old one. From the schedule, it leaves alone what present/following has
//                             said about that event.
//   schedule over schedule    The newest wins: events of another run or table that overlap it by more than a minute are
//                             removed. Events of one run stay together even if they overlap: both are what the
//                             broadcaster says now.
//   present/following         It wins over the schedule: overlapping schedule events are shadowed (kept, but hidden)
//                             until present/following moves on.
//
// A service has one present event (EN 300 468 §5.2.4). An event that is no longer present stays as history, unless its
// successor takes its place: it begins no later, or it has the same title. Then the old one is left to the schedule,
// which may still list it, or is removed.
//
// Events that are no longer announced are removed when their segment is complete in the new version (sub_table.h); a
// following event is removed when another one takes its place.
//
// Bounds: see Bounds. Ended events stay until expire(), because the broadcast clock may not be known when a section
// arrives.
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

struct Bounds {
  std::size_t events = 1'500'000;                   ///< at the bound, those furthest in the future are removed
  std::size_t services = 20'000;                    ///< at the bound, new services are refused
  std::size_t text_bytes = std::size_t{256} << 20;  ///< of distinct texts; at the bound new events are refused
};

/// Sums since the store was created.
struct StoreCounters {
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;    ///< by an event of the same id
  std::uint64_t vanished = 0;    ///< no longer announced
  std::uint64_t overlapped = 0;  ///< contradicted by newer events of the schedule
  std::uint64_t expired = 0;
  std::uint64_t refused = 0;  ///< at a bound
};

/// An event as it is returned. The texts are valid as long as the Reader that returned it.
struct EventView {
  ServiceKey service;
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

/// Who numbers the events of an import: the file (epg.dat), or the store if the file has no event_id (XMLTV).
enum class EventIds : std::uint8_t { kept, assigned };

class Store {
 public:
  explicit Store(const Bounds& bounds = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Adds the events of a section. False if a bound kept something out: the section should then be offered again later.
  bool apply(const EitSection& section);

  /// The number of a new import, for import_events(). A later import replaces what an earlier one said.
  std::uint8_t begin_import();

  /// Adds events that come from a file and not from the air. They are one more schedule: the newest wins, and
  /// present/following wins over it. With EventIds::assigned the id is derived from the start, so that the same file
  /// gives the same ids again. False if a bound kept something out.
  bool import_events(const ServiceKey& service, std::span<const Event> events, EventIds ids, std::uint8_t import);

  /// The present section of this service has been received again. Does not wait for a writer: then it does nothing.
  void present_received(const ServiceKey& service) const;

  /// Removes events that ended `history` seconds before `now`, the current time, or earlier, and frees memory no longer
  /// used. Keeps what present/following says while it may be on. Returns their number.
  std::size_t expire(wire::UnixSeconds now, wire::UnixSeconds history = 0);

  /// Indexes all waiting texts and frees as much memory as possible: before a snapshot, after an import.
  void settle();

  /// Removes everything. Returns the number of events.
  std::size_t clear();

  /// Rises with every change to an event.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  /// A view of the store, which does not change while the view lives.
  class Reader {
   public:
    /// Null if the service is unknown.
    const Timeline* find(const ServiceKey& service) const;
    /// In order of key.
    template <typename Visit>
    void each_service(Visit visit) const {
      for (const auto& [key, number] : store_->numbers_) visit(key, store_->services_[number]->timeline);
    }
    /// REQUIRES: `service` is a number in use.
    const ServiceKey& key_of(std::uint16_t service) const { return store_->services_[service]->key; }
    /// The service that the event belongs to.
    const ServiceKey& service_of(const EventRecord& event) const { return store_->services_[event.service]->key; }
    EventView view(const EventRecord& event) const;
    /// The same into an existing view, whose memory is reused.
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
    Service(const ServiceKey& of, const Column<EventRecord>& events) : key(of), timeline(events) {}

    ServiceKey key;
    Timeline timeline;
    std::vector<SubTable> sub_tables;
    // event_id of the present and the following event; -1 = none.
    std::int32_t present = -1;
    std::int32_t following = -1;
    bool announced = false;             // present/following has been received
    bool shadow_due = true;             // shadow() has work to do
    std::uint32_t announced_until = 0;  // at the last shadow(), present/following contradicted no event that begins
                                        // then or later
  };
  /// An event on its way in, with its texts looked up.
  struct Incoming {
    const Event* event = nullptr;
    std::uint16_t id = 0;
    Programmes::Staged texts;
  };

  void stage(std::span<const Event> events);
  std::uint16_t number_for(const ServiceKey& key, std::size_t events);
  bool apply_schedule(std::uint16_t number, const EitSection& section);
  bool apply_present_following(std::uint16_t number, const EitSection& section);
  /// `known`: where the timeline has its id.
  bool insert(std::uint16_t number, Incoming& incoming, const EventRecord& origin, std::size_t known);
  bool make_room(const Event& event);
  void remove_contradicted(Service& service, std::size_t index);
  void remove_vanished(Service& service, const SubTable& table, wire::UnixSeconds from, wire::UnixSeconds until);
  void leave_present_following(Service& service, std::uint16_t id, bool began);
  void leave_to_schedule(Service& service, EventRecord& event);
  bool same_title(const EventRecord& a, const EventRecord& b) const;
  static bool announced(const Service& service, const EventRecord& event);
  void note_shadow(Service& service, const EventRecord& changed);
  void shadow(Service& service);
  EventRecord& at(Service& service, std::size_t index) { return records_[service.timeline.slots()[index]]; }
  std::size_t add(std::uint16_t number, const EventRecord& record);
  void erase(Service& service, std::size_t index);
  template <typename Predicate>
  std::size_t erase_if(Service& service, std::size_t begin, wire::UnixSeconds until, Predicate predicate);
  void remove_service(std::uint16_t number);
  void trim();
  void forget_everything();
  void maintain(bool everything);

  const Bounds bounds_;
  std::mutex writer_;
  mutable std::shared_mutex mutex_;
  std::map<ServiceKey, std::uint16_t> numbers_;
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
