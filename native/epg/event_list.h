// Lists of events as bytes, straight from the store: epgnow, epgmulti, epgsearch and the like, as XML and as JSON.
//
// This file does not know what an event looks like on the wire. That is defined once, in TypeScript
// (src/http/operations/event-records.ts), and passed in as a template: literal bytes with fields in between. This file
// decides which events are listed and what their fields contain, at a cost of two copies per field.
//
//   EventListWriter   services x question -> events, each through the template; in pieces, because a list may be long
//     ServiceList     which services, and their names
//     EventForm       how an event, or its absence, is written: a precomputed EventTemplate
//
// A piece takes the store's reading lock for some hundred events at a time. A change between two pieces shows in the
// later one; no event is written twice.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "epg/byte_buffer.h"
#include "epg/event.h"
#include "epg/local_times.h"
#include "epg/query.h"
#include "epg/service_list.h"
#include "epg/store.h"
#include "epg/text_escape.h"

namespace receiverd::epg {

/// A field between two literals of a template.
enum class EventField : std::uint8_t {
  none,
  id,
  start,     ///< Unix seconds
  duration,  ///< seconds
  minutes,   ///< whole minutes of the duration
  title,
  short_text,
  extended_text,
  now,        ///< the time of the request, Unix seconds
  remaining,  ///< seconds until it ends: 0 after that, its duration before it begins
  genre,      ///< name of the first genre; nothing if there is none, and for group 0, which is `undefined content`
  genres,     ///< JSON: [{"level1","level2","user","text"}]
  parental,   ///< JSON: {"rating","minimum_age","country"} of the first rating, or null
  genre_id,   ///< content_nibble_level_1 * 16 + content_nibble_level_2 (EN 300 468 §6.2.9); 0 for none and for group
              ///< 0
  date,       ///< of the start, local: `Thu 01.01.2026`
  begin,      ///< the start, local: `20:15`
  end,        ///< the end, local: `21:45`
  service_text,  ///< a text of the service, by its column in the list
};

struct EventTemplate {
  struct Segment {
    std::string literal;  ///< written verbatim
    EventField field = EventField::none;
    std::uint32_t column = 0;  ///< column of a service_text
  };

  Escape form = Escape::xml;
  std::vector<Segment> event;
  /// Written in place of an unknown event, or of the events of a service that has none. If empty, nothing is written.
  /// Only fields of the service and `now` are filled in.
  std::vector<Segment> missing;
  /// By content_nibble_level_1 * 16 + content_nibble_level_2; not yet escaped.
  std::array<std::string, 256> genres;
};

/// A template, precomputed for fast writing. Built once, shared by any number of writers.
/// Thread safety: immutable.
class EventForm {
 public:
  explicit EventForm(EventTemplate form);

  struct Step {
    std::uint32_t begin = 0;  ///< of its literal in `literals`
    std::uint32_t size = 0;
    EventField field = EventField::none;
    std::uint32_t column = 0;
  };

  struct Plan {
    explicit Plan(const std::vector<EventTemplate::Segment>& segments);

    std::vector<Step> steps;
    std::string literals;
    std::size_t bytes = 0;    ///< upper bound, without the texts
    std::size_t columns = 0;  ///< required of a list of services
    bool genres = false;
    bool parental = false;
  };

  Escape escape() const { return escape_; }
  const Plan& event() const { return event_; }
  const Plan& missing() const { return missing_; }
  /// The number of columns that a list of services must have at least.
  std::size_t columns() const { return std::max(event_.columns, missing_.columns); }
  /// The name of a genre by its nibbles, see EventTemplate::genres.
  const std::string& genre(std::uint8_t nibbles) const { return genres_[nibbles]; }
  const std::array<std::string, 256>& genres() const { return genres_; }

 private:
  Escape escape_;
  Plan event_;
  Plan missing_;
  std::array<std::string, 256> genres_;
};

/// The text around the list and between its events.
struct EventListFrame {
  std::string head;
  std::string separator;
  std::string tail;
  std::string empty;  ///< replaces all of it if there are no events
};

/// One event, as a search reports it.
struct EventHit {
  ServiceKey service;
  std::uint16_t id = 0;
  std::uint32_t start = 0;  ///< Unix seconds
  /// The number under which the store had the service when it was found, if known.
  std::uint16_t service_number = 0;
  /// The entries of the list with its service, if already looked up. Valid as long as the list.
  std::span<const std::uint32_t> entries = {};
};

/// Which events of each service to list.
enum class EventsAsked : std::uint8_t {
  now,       ///< the one running at `from`
  next,      ///< the first that begins after `from`
  now_next,  ///< both, in this order
  before,    ///< the last one that begins before `from`
  id,        ///< the one with this event_id
  window,    ///< those running at `from` or beginning later, and beginning before `until`
  hits,      ///< `hits`, in their order, once for every list entry of their service
  search,    ///< the same for the first results of `query` (listed_search.h); the first write() runs the search
};

struct EventListQuestion {
  EventsAsked asked = EventsAsked::now;
  wire::UnixSeconds from = 0;
  wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max();
  /// For `now`: an event also counts in its end second, unless another has begun.
  bool end_inclusive = false;
  std::uint16_t id = 0;
  std::vector<EventHit> hits;
  Query query;
  /// Only these services of the list, so that several writers can share the work. Not for `hits` and `search`.
  std::size_t first_service = 0;
  std::size_t service_count = std::numeric_limits<std::size_t>::max();
  /// The most events to write.
  std::size_t limit = std::numeric_limits<std::size_t>::max();
};

/// What the fields depend on besides the event.
struct EventListTimes {
  wire::UnixSeconds now = 0;
  std::shared_ptr<const LocalTimes> zone;
};

/// Thread safety: none; one thread at a time.
class EventListWriter {
 public:
  /// REQUIRES: no null pointer; the list has the columns that the form needs.
  EventListWriter(std::shared_ptr<const Store> store, std::shared_ptr<const ServiceList> services,
                  std::shared_ptr<const EventForm> form, EventListQuestion question, EventListFrame frame,
                  EventListTimes times);

  /// Appends the next events, until `out` holds `bytes` or `time` has passed, which is checked after every hundred or
  /// so. Each call advances by at least one service or hit.
  void write(ByteBuffer& out, std::size_t bytes, std::chrono::nanoseconds time = kNoBound);

  static constexpr std::chrono::nanoseconds kNoBound = std::chrono::nanoseconds::max();

  /// How many events it would write, as the store is now; not for `search`. Only before the first write().
  std::size_t count() const;

  /// True once everything is written, the frame included.
  bool ended() const { return ended_; }

 private:
  void search();
  bool at_end() const;
  std::size_t services_end() const;
  std::size_t look_up(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes, std::size_t events);
  const Timeline* timeline_of(const Store::Reader& reader, std::size_t service) const;
  const EventRecord* single(const Timeline* timeline, EventsAsked asked) const;
  std::size_t look_up_services(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes, std::size_t events);
  std::size_t look_up_service(const Store::Reader& reader, ByteBuffer& out);
  std::size_t look_up_window(const Store::Reader& reader, const Timeline& timeline, ByteBuffer& out);
  void look_up_hit(const Store::Reader& reader, ByteBuffer& out);
  void put_event(ByteBuffer& out, const EventView* event, std::size_t service);
  void prepare_details(const EventForm::Plan& plan, const EventView& event);
  char* put_field(char* out, const EventForm::Step& step, const EventView& event, std::size_t service);
  char* put_day(wire::UnixSeconds local, char* out);

  std::shared_ptr<const Store> store_;
  std::shared_ptr<const ServiceList> services_;
  std::shared_ptr<const EventForm> form_;
  EventListQuestion question_;
  EventListFrame frame_;
  EventListTimes times_;
  /// The next service or hit. Events of that service that begin at written_to_ or before are already written.
  std::size_t position_ = 0;
  wire::UnixSeconds written_to_ = kNothingWritten;
  std::size_t events_ = 0;
  bool ended_ = false;
  /// The current event; its memory is reused for the next one.
  EventView view_;
  /// The last day written, in days of local time, and its date: many events share a day.
  wire::UnixSeconds day_ = std::numeric_limits<wire::UnixSeconds>::min();
  std::array<char, kDateLength> date_{};
  /// The list fields of the current event, if the template has them.
  std::string genres_;
  std::string parental_;

  static constexpr wire::UnixSeconds kNothingWritten = std::numeric_limits<wire::UnixSeconds>::min();
};

}  // namespace receiverd::epg
