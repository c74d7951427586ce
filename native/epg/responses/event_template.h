// How an event is written in a response: literals, with fields of the event and texts of its service between them.
//
// A template comes from TypeScript (src/http/write/event-shape.ts), where the definitions of the operations determine
// the elements, their names and their order. The fields, and what they contain, are one table in event_template.cc.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "epg/event/local_times.h"
#include "epg/responses/service_list.h"
#include "epg/store/store.h"
#include "epg/text/text_escape.h"
#include "wire/time.h"

namespace receiverd::epg {

/// A growing byte buffer in uninitialised memory.
class ByteBuffer {
 public:
  /// Writes into `given` as long as the bytes fit, then into memory of its own.
  explicit ByteBuffer(std::span<char> given = {}) : bytes_(given.data()), capacity_(given.size()) {}

  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_, size_}; }
  /// Where the next bytes go, with room for at least `count`. Report the end of the written bytes with end_at().
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return bytes_ + size_;
  }
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_); }

  void append(std::string_view text) {
    char* const at = room(text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    size_ += text.size();
  }

  void append(std::int64_t number) {
    constexpr std::size_t kMaxDigits = 20;
    char* const at = room(kMaxDigits);
    end_at(std::to_chars(at, at + kMaxDigits, number).ptr);
  }

 private:
  void grow(std::size_t count) {
    const std::size_t capacity = std::max(size_ + count, capacity_ + capacity_ / 2);
    auto own = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(own.get(), bytes_, size_);
    own_ = std::move(own);
    bytes_ = own_.get();
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> own_;
  char* bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

struct EventField;

/// The field with this name; null if there is none.
const EventField* event_field(std::string_view name);

/// Immutable once it is shared.
struct EventTemplate {
  struct Segment {
    std::string literal;                ///< written first, verbatim
    const EventField* field = nullptr;  ///< field to write; null: none
    int column = -1;                    ///< text of the service to write; -1: none
  };

  Escape escape = Escape::xml;
  std::vector<Segment> event;
  /// Written where no event is known, and for services without events; empty: nothing is written. Only texts of the
  /// service and the field `now` are filled in.
  std::vector<Segment> missing;
  /// Written between two events.
  std::string separator;
  /// Names by content_nibble_level_1 * 16 + content_nibble_level_2, not escaped.
  std::array<std::string, 256> genres;

  /// The number of columns that a list of services needs for this template.
  std::size_t columns() const;
};

/// The time of the request and the time zone, on which some fields depend.
struct Moment {
  wire::UnixSeconds now = 0;
  LocalTimes zone;
};

/// Writes events through a template, one after another. Thread safety: none.
class EventWriter {
 public:
  /// REQUIRES: no null pointer; the list has the columns of the template.
  EventWriter(std::shared_ptr<const EventTemplate> event_template, std::shared_ptr<const ServiceList> services,
              Moment moment)
      : template_(std::move(event_template)), services_(std::move(services)), moment_(std::move(moment)) {}

  /// `entry`: the index of the service in the list.
  void event(const EventView& event, std::size_t entry, ByteBuffer& out);
  void missing(std::size_t entry, ByteBuffer& out);
  bool writes_missing() const { return !template_->missing.empty(); }

  /// Events written, missing ones included.
  std::size_t count() const { return count_; }
  /// The time of the request.
  wire::UnixSeconds now() const { return moment_.now; }
  const ServiceList& services() const { return *services_; }

 private:
  void write(const std::vector<EventTemplate::Segment>& segments, const EventView& event, std::size_t entry,
             ByteBuffer& out);

  std::shared_ptr<const EventTemplate> template_;
  std::shared_ptr<const ServiceList> services_;
  Moment moment_;
  std::size_t count_ = 0;
};

}  // namespace receiverd::epg
