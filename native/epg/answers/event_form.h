// How an event is written in an answer: literals with fields of the event and texts of its service between them.
//
// A form comes from TypeScript (src/http/write/event-shape.ts), where the definitions of the operations determine the
// elements, their names and their order. The fields, and what they contain, are one table in event_form.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epg/answers/byte_buffer.h"
#include "epg/answers/local_times.h"
#include "epg/answers/service_list.h"
#include "epg/store/store.h"
#include "epg/text/text_escape.h"

namespace receiverd::epg {

struct EventField;

/// The field with this name; null if there is none.
const EventField* event_field(std::string_view name);

/// Immutable once it is shared.
struct EventForm {
  struct Segment {
    std::string literal;                ///< written verbatim, first
    const EventField* field = nullptr;  ///< or null
    int column = -1;                    ///< of a text of the service; -1: none
  };

  Escape escape = Escape::xml;
  std::vector<Segment> event;
  /// Written in place of an unknown event, or of the events of a service that has none. If empty, nothing is written.
  /// Only texts of the service and `now` are filled in.
  std::vector<Segment> missing;
  /// Between two events.
  std::string separator;
  /// By content_nibble_level_1 * 16 + content_nibble_level_2; not yet escaped.
  std::array<std::string, 256> genres;

  /// The number of columns that a list of services must have at least.
  std::size_t columns() const;
};

/// What fields depend on besides the event.
struct Moment {
  wire::UnixSeconds now = 0;
  LocalTimes zone;
};

/// Writes events through a form, one after another. Thread safety: none.
class EventWriter {
 public:
  /// REQUIRES: no null pointer; the list has the columns of the form.
  EventWriter(std::shared_ptr<const EventForm> form, std::shared_ptr<const ServiceList> services, Moment moment)
      : form_(std::move(form)), services_(std::move(services)), moment_(std::move(moment)) {}

  /// `entry`: the service, by its place in the list.
  void event(const EventView& event, std::size_t entry, ByteBuffer& out);
  void missing(std::size_t entry, ByteBuffer& out);
  bool writes_missing() const { return !form_->missing.empty(); }

  /// Events written, missing ones included.
  std::size_t count() const { return count_; }
  const ServiceList& services() const { return *services_; }

 private:
  void write(const std::vector<EventForm::Segment>& segments, const EventView& event, std::size_t entry,
             ByteBuffer& out);

  std::shared_ptr<const EventForm> form_;
  std::shared_ptr<const ServiceList> services_;
  Moment moment_;
  std::size_t count_ = 0;
};

}  // namespace receiverd::epg
