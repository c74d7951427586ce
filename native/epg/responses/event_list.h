// Writes lists of events as bytes, directly from the store. All interfaces use it to answer questions about the guide.
//
//   question x services ──► events ──► EventWriter, through a template ──► bytes, in pieces
//
// A list may be long, so it is written in pieces. A piece holds the store's reading lock for some hundred events at a
// time. If the guide changes between two pieces, only the later one shows the change; no event is written twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "epg/event/query.h"
#include "epg/responses/event_template.h"
#include "epg/responses/service_list.h"
#include "epg/store/store.h"

namespace receiverd::epg {

/// Which events of each service to list.
enum class EventsAsked : std::uint8_t {
  now,       ///< the event on at `from` (Timeline::at)
  next,      ///< the event after it (Timeline::after)
  now_next,  ///< both, in this order
  before,    ///< the last event that begins before `from`
  id,        ///< the event with this event_id
  window,    ///< the events running at `from` or beginning later, and before `until`
  search,    ///< the first results of `query` (find_listed), each once for every list entry of its service
};

struct EventQuestion {
  EventsAsked asked = EventsAsked::now;
  wire::UnixSeconds from = 0;
  wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max();
  /// For `now`: an event also counts in its end second, unless another has begun.
  bool end_inclusive = false;
  std::uint16_t id = 0;
  Query query;
  /// For `search`: number of rows to skip at the beginning.
  std::size_t skip = 0;
  /// Number of events to write, at most.
  std::size_t limit = std::numeric_limits<std::size_t>::max();
};

struct ListedHit {
  EventSlot slot = kNoEvent;
  EventRecord event;
  /// The entries of the list with its service that are wanted. Valid as long as the list.
  std::span<const std::uint32_t> entries;
};

struct ListedHits {
  std::size_t total = 0;  ///< matching events on services of the list
  std::size_t rows = 0;   ///< entries of all wanted hits, at most the limit
  std::vector<ListedHit> hits;
};

/// The hits of a query on services of the list that fill `rows` rows after the first `skip`; a hit has one row for each
/// entry of its service. If the query names no services, events with the same start are in the order of the list.
/// Services that the query names but the list lacks are left out. The query's own limit and offset are ignored.
/// REQUIRES: the query is ordered by time.
ListedHits find_listed(const Store::Reader& reader, Query query, const ServiceList& listed, std::size_t rows,
                       std::size_t skip = 0);

/// Thread safety: none; one thread at a time.
class EventList {
 public:
  /// REQUIRES: `store` is not null.
  EventList(std::shared_ptr<const Store> store, EventQuestion question, EventWriter writer)
      : store_(std::move(store)), question_(std::move(question)), writer_(std::move(writer)) {}

  static constexpr std::chrono::nanoseconds kNoTimeLimit = std::chrono::nanoseconds::max();

  /// Appends the next events until `out` holds `bytes` or `time` has passed, which is checked about every hundred
  /// events. Each call advances by at least one service or hit. The first call runs the search.
  void write(ByteBuffer& out, std::size_t bytes, std::chrono::nanoseconds time = kNoTimeLimit);

  /// True once everything is written.
  bool ended() const { return ended_; }

  /// The number of events that the list has at present. Only before the first write(), and not for a search.
  std::size_t count() const;

  /// For a search, after the first write().
  std::size_t total() const { return found_.total; }
  std::size_t rows() const { return found_.rows; }

 private:
  std::size_t end() const;
  bool at_end() const;
  std::size_t write_next(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes);
  std::size_t write_slots(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes);
  void write_event(const Store::Reader& reader, const EventRecord* event, ByteBuffer& out);
  std::size_t write_window(const Store::Reader& reader, ByteBuffer& out);
  void write_hit(const Store::Reader& reader, ByteBuffer& out);
  const Timeline* timeline_of(const Store::Reader& reader, std::size_t service) const;
  const EventRecord* single(const Timeline* timeline, EventsAsked asked) const;

  std::shared_ptr<const Store> store_;
  EventQuestion question_;
  EventWriter writer_;
  ListedHits found_;
  bool searched_ = false;
  /// The next service or hit. Events of that service that begin at written_to_ or before are already written.
  std::size_t position_ = 0;
  wire::UnixSeconds written_to_ = kNothingWritten;
  bool ended_ = false;
  /// The current event; its memory is reused for the next one.
  EventView view_;

  static constexpr wire::UnixSeconds kNothingWritten = std::numeric_limits<wire::UnixSeconds>::min();
};

}  // namespace receiverd::epg
