// Lists of events as bytes, straight from the store: epgnow, epgmulti, epgsearch and their like, as XML and as JSON.
//
// How an event looks is no business of this file. It is said once, in TypeScript
// (src/http/operations/event-records.ts), and comes here as a template: literal bytes with the fields between them.
// What stands here is which events, what the fields of an event are, and how little is done for each: two copies a
// field.
//
//   EventListWriter   services x question -> events, each through the template; in pieces, because a list may be long
//     ServiceList     which services, and how they are called
//     EventForm       how an event is written, and how the lack of one: an EventTemplate, laid out
//
// A piece takes the store's reading lock for some hundred events at a time. What changes between two pieces shows in
// the later one; no event is written twice.
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

/// What may stand between two literals of a template.
enum class EventField : std::uint8_t {
  none,
  id,
  start,     ///< Unix seconds
  duration,  ///< seconds
  minutes,   ///< whole minutes of the duration
  title,
  short_text,
  extended_text,
  now,           ///< the clock at the question, Unix seconds
  remaining,     ///< seconds to its end, 0 after it, its duration before it has begun
  genre,         ///< name of its first genre; nothing for none and for group 0, which is `undefined content`
  genres,        ///< JSON: [{"level1","level2","user","text"}]
  parental,      ///< JSON: {"rating","minimum_age","country"} of the first rating, or null
  genre_id,      ///< content_nibble_level_1 * 16 + content_nibble_level_2 (EN 300 468 §6.2.9), 0 for none and group 0
  date,          ///< of the start, local: `Thu 01.01.2026`
  begin,         ///< the start, local: `20:15`
  end,           ///< the same of the end
  service_text,  ///< a text of the service, by its column in the list
};

struct EventTemplate {
  struct Segment {
    std::string literal;  ///< written as it is
    EventField field = EventField::none;
    std::uint32_t column = 0;  ///< of a service_text
  };

  Escape form = Escape::xml;
  std::vector<Segment> event;
  /// In place of an event that is not known, or of the events of a service that has none; empty: nothing is written
  /// then. Only fields of the service and `now` count.
  std::vector<Segment> missing;
  /// By content_nibble_level_1 * 16 + content_nibble_level_2; not escaped yet.
  std::array<std::string, 256> genres;
};

/// A template, laid out so that it is quickly written. Made once, used by any number of writers.
/// Thread safety: does not change.
class EventForm {
 public:
  explicit EventForm(EventTemplate form);

  struct Step {
    std::uint32_t begin = 0;  ///< its literal, in `literals`
    std::uint32_t size = 0;
    EventField field = EventField::none;
    std::uint32_t column = 0;
  };

  struct Plan {
    explicit Plan(const std::vector<EventTemplate::Segment>& segments);

    std::vector<Step> steps;
    std::string literals;
    std::size_t bytes = 0;    ///< at most, but for the texts
    std::size_t columns = 0;  ///< that a list of services must have
    bool genres = false;
    bool parental = false;
  };

  Escape escape() const { return escape_; }
  const Plan& event() const { return event_; }
  const Plan& missing() const { return missing_; }
  /// The columns that a list of services must have at least.
  std::size_t columns() const { return std::max(event_.columns, missing_.columns); }
  /// Of a genre by its nibbles, see EventTemplate::genres.
  const std::string& genre(std::uint8_t nibbles) const { return genres_[nibbles]; }
  const std::array<std::string, 256>& genres() const { return genres_; }

 private:
  Escape escape_;
  Plan event_;
  Plan missing_;
  std::array<std::string, 256> genres_;
};

/// What stands around the list and between its events.
struct EventListFrame {
  std::string head;
  std::string separator;
  std::string tail;
  std::string empty;  ///< instead of all of it when there is no event
};

/// One event, as a search names it.
struct EventHit {
  ServiceKey service;
  std::uint16_t id = 0;
  std::uint32_t start = 0;  ///< Unix seconds
  /// Under which number the store had the service when it was found, where that is known.
  std::uint16_t service_number = 0;
  /// Which entries of the list are its service, where that has been looked up. They live as long as the list.
  std::span<const std::uint32_t> entries;
};

/// Which events of each service.
enum class EventsAsked : std::uint8_t {
  now,       ///< the one that runs at `from`
  next,      ///< the first that begins after `from`
  now_next,  ///< both, in this order
  before,    ///< the one that begins last before `from`
  id,        ///< the one with this event_id
  window,    ///< those that run at `from` or begin later, and begin before `until`
  hits,      ///< `hits`, in their order, each once for every entry of the list that is its service
  search,    ///< the same of the first that `query` finds (listed_search.h); looked for by the first write()
};

struct EventListQuestion {
  EventsAsked asked = EventsAsked::now;
  wire::UnixSeconds from = 0;
  wire::UnixSeconds until = std::numeric_limits<wire::UnixSeconds>::max();
  /// For `now`: an event counts in its end second too, unless another has begun.
  bool end_inclusive = false;
  std::uint16_t id = 0;
  std::vector<EventHit> hits;
  Query query;
  /// Only these services of the list, so that several writers can share its work; not for `hits` and
  /// `search`.
  std::size_t first_service = 0;
  std::size_t service_count = std::numeric_limits<std::size_t>::max();
  /// Most events to write.
  std::size_t limit = std::numeric_limits<std::size_t>::max();
};

/// What the fields need besides the event.
struct EventListTimes {
  wire::UnixSeconds now = 0;
  std::shared_ptr<const LocalTimes> zone;
};

/// Thread safety: none; one thread at a time.
class EventListWriter {
 public:
  /// REQUIRES: no null pointer; the list has the columns of the form.
  EventListWriter(std::shared_ptr<const Store> store, std::shared_ptr<const ServiceList> services,
                  std::shared_ptr<const EventForm> form, EventListQuestion question, EventListFrame frame,
                  EventListTimes times);

  /// Appends the next events, until `out` holds `bytes` or `time` is over, at which it looks after each hundred or so.
  /// Always goes on by at least one service or hit.
  void write(ByteBuffer& out, std::size_t bytes, std::chrono::nanoseconds time = kNoBound);

  static constexpr std::chrono::nanoseconds kNoBound = std::chrono::nanoseconds::max();

  /// How many events it would write, as the store is now; not for `search`. Before the first write() only.
  std::size_t count() const;

  /// All is written, the frame too.
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
  /// The service or hit that comes next; of that service, what begins at this time or before is written already.
  std::size_t position_ = 0;
  wire::UnixSeconds written_to_ = kNothingWritten;
  std::size_t events_ = 0;
  bool ended_ = false;
  /// The event at hand; its memory is used for the next one again.
  EventView view_;
  /// The day whose date was written last, in days of local time, and that date: events come many a day.
  wire::UnixSeconds day_ = std::numeric_limits<wire::UnixSeconds>::min();
  std::array<char, kDateLength> date_{};
  /// Those fields of the event at hand that are lists, where the template has them.
  std::string genres_;
  std::string parental_;

  static constexpr wire::UnixSeconds kNothingWritten = std::numeric_limits<wire::UnixSeconds>::min();
};

}  // namespace receiverd::epg
