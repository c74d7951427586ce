#include "epg/event_list.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "epg/event_details.h"
#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

/// Events that are looked up under one lock.
constexpr std::size_t kEventsPerReader = 256;
/// Services whose events are counted under one lock.
constexpr std::size_t kServicesPerCount = 64;
/// No number, date or clock time is longer.
constexpr std::size_t kLongestNumber = 20;

char* put(std::string_view bytes, char* out) {
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

template <typename Number>
char* put_number(Number number, char* out) {
  return std::to_chars(out, out + kLongestNumber, number).ptr;
}

std::size_t literal_bytes(const std::vector<EventTemplate::Segment>& segments) {
  std::size_t bytes = 0;
  for (const EventTemplate::Segment& segment : segments) bytes += segment.literal.size() + kLongestNumber;
  return bytes;
}

wire::UnixSeconds end_of(const EventView& event) {
  return static_cast<wire::UnixSeconds>(event.start) + static_cast<wire::UnixSeconds>(event.duration);
}

wire::UnixSeconds remaining(const EventView& event, wire::UnixSeconds now) {
  if (now < event.start) return event.duration;
  return std::max<wire::UnixSeconds>(0, end_of(event) - now);
}

/// 0 for an event without a genre, or of group 0.
std::uint8_t genre_of(const EventView& event) {
  const std::uint8_t nibbles = first_genre(event.details);
  return nibbles < 0x10 ? std::uint8_t{0} : nibbles;
}

std::string genres_json(const std::vector<Genre>& genres, const std::array<std::string, 256>& names) {
  wire::JsonWriter json;
  json.begin_array();
  for (const Genre& genre : genres) {
    json.begin_object().member("level1", genre.nibbles >> 4).member("level2", genre.nibbles & 0xF);
    json.member("user", genre.user).member("text", std::string_view{names[genre.nibbles]}).end_object();
  }
  return json.end_array().take();
}

/// 1 to 15 are the minimum age less 3; 0 and 16 to 255 say no age (EN 300 468 table 81).
std::string parental_json(const std::vector<ParentalRating>& ratings) {
  wire::JsonWriter json;
  if (ratings.empty()) return json.null().take();
  const ParentalRating& rating = ratings.front();
  json.begin_object().member("rating", rating.rating).key("minimum_age");
  if (rating.rating >= 1 && rating.rating <= 15) {
    json.value(rating.rating + 3);
  } else {
    json.null();
  }
  const std::string country = escaped(Escape::json, {rating.country.data(), rating.country.size()});
  return json.take() + ",\"country\":\"" + country + "\"}";
}

}  // namespace

EventListWriter::EventListWriter(std::shared_ptr<const Store> store, std::shared_ptr<const ServiceList> services,
                                 std::shared_ptr<const EventTemplate> form, EventListQuestion question,
                                 EventListFrame frame, EventListTimes times)
    : store_(std::move(store)),
      services_(std::move(services)),
      form_(std::move(form)),
      question_(std::move(question)),
      frame_(std::move(frame)),
      times_(std::move(times)),
      literal_bytes_(std::max(literal_bytes(form_->event), literal_bytes(form_->missing))) {}

void EventListWriter::write(ByteBuffer& out, std::size_t bytes, std::size_t events) {
  std::size_t looked_up = 0;
  do {
    const Store::Reader reader = store_->read();
    std::size_t under_lock = 0;
    do {
      if (at_end()) {
        out.append(events_ == 0 ? frame_.empty : frame_.tail);
        ended_ = true;
        return;
      }
      under_lock += look_up(reader, out);
    } while (under_lock < kEventsPerReader && looked_up + under_lock < events && out.size() < bytes);
    looked_up += under_lock;
  } while (looked_up < events && out.size() < bytes);
}

bool EventListWriter::at_end() const {
  const std::size_t all = question_.asked == EventsAsked::hits ? question_.hits.size() : services_->size();
  return ended_ || position_ >= all || events_ >= question_.limit;
}

/// One service or hit, or a part of one; gives what it cost, in events.
std::size_t EventListWriter::look_up(const Store::Reader& reader, ByteBuffer& out) {
  if (question_.asked != EventsAsked::hits) return look_up_service(reader, out);
  look_up_hit(reader, out);
  ++position_;
  return 1;
}

std::size_t EventListWriter::look_up_service(const Store::Reader& reader, ByteBuffer& out) {
  const std::optional<ServiceKey>& key = services_->key(position_);
  const Timeline* timeline = key ? reader.find(*key) : nullptr;
  if (question_.asked == EventsAsked::window) {
    if (timeline != nullptr) return look_up_window(reader, *key, *timeline, out);
    put_event(out, nullptr, position_);
    ++position_;
    return 1;
  }
  const auto put_one = [&](EventsAsked asked) {
    const EventRecord* event = single(timeline, asked);
    if (event == nullptr) return put_event(out, nullptr, position_);
    const EventView view = reader.view(*key, *event);
    put_event(out, &view, position_);
  };
  const bool both = question_.asked == EventsAsked::now_next;
  put_one(both ? EventsAsked::now : question_.asked);
  if (both) put_one(EventsAsked::next);
  ++position_;
  return both ? 2 : 1;
}

/// The answer to a question that has one event for an answer.
const EventRecord* EventListWriter::single(const Timeline* timeline, EventsAsked asked) const {
  if (timeline == nullptr) return nullptr;
  switch (asked) {
    case EventsAsked::now:
      return timeline->at(question_.from, question_.end_inclusive);
    case EventsAsked::next:
      return timeline->after(question_.from);
    case EventsAsked::before:
      return timeline->before(question_.from);
    case EventsAsked::id: {
      const std::size_t index = timeline->find(question_.id);
      if (index == Timeline::kNone) return nullptr;
      const EventRecord& event = (*timeline)[index];
      return event.shadowed != 0 ? nullptr : &event;
    }
    default:
      return nullptr;
  }
}

std::size_t EventListWriter::count() const {
  std::size_t count = 0;
  const std::size_t missing = form_->missing.empty() ? 0 : 1;
  if (question_.asked == EventsAsked::hits) {
    for (const EventHit& hit : question_.hits) count += services_->entries_of(hit.service).size();
    return std::min(count, question_.limit);
  }
  for (std::size_t begin = 0; begin < services_->size() && count < question_.limit; begin += kServicesPerCount) {
    const Store::Reader reader = store_->read();
    for (std::size_t at = begin; at < std::min(begin + kServicesPerCount, services_->size()); ++at) {
      const std::optional<ServiceKey>& key = services_->key(at);
      const Timeline* timeline = key ? reader.find(*key) : nullptr;
      if (question_.asked == EventsAsked::window) {
        std::size_t own = 0;
        if (timeline != nullptr) timeline->window(question_.from, question_.until, [&](const EventRecord&) { ++own; });
        count += own == 0 ? missing : own;
        continue;
      }
      const bool both = question_.asked == EventsAsked::now_next;
      count += single(timeline, both ? EventsAsked::now : question_.asked) != nullptr ? 1 : missing;
      if (both) count += single(timeline, EventsAsked::next) != nullptr ? 1 : missing;
    }
  }
  return std::min(count, question_.limit);
}

/// The events of one service, or where they are very many the next of them: it stops between two times of beginning, so
/// that the time says where to go on, whatever happens to the service in between.
std::size_t EventListWriter::look_up_window(const Store::Reader& reader, const ServiceKey& key,
                                            const Timeline& timeline, ByteBuffer& out) {
  const wire::UnixSeconds written_to = written_to_;
  const wire::UnixSeconds from = std::max(question_.from, written_to == kNothingWritten ? question_.from : written_to);
  std::size_t count = 0;
  bool more = false;
  timeline.window(from, question_.until, [&](const EventRecord& record) {
    if (more || events_ >= question_.limit) return;
    const EventView view = reader.view(key, record);
    if (view.start <= written_to) return;
    if (count >= kEventsPerReader && view.start != written_to_) {
      more = true;
      return;
    }
    put_event(out, &view, position_);
    written_to_ = view.start;
    ++count;
  });
  if (!more) {
    if (written_to_ == kNothingWritten) put_event(out, nullptr, position_);
    written_to_ = kNothingWritten;
    ++position_;
  }
  return count + 1;
}

/// An event that has gone since the search is passed over.
void EventListWriter::look_up_hit(const Store::Reader& reader, ByteBuffer& out) {
  const EventHit& hit = question_.hits[position_];
  const Timeline* timeline = reader.find(hit.service);
  if (timeline == nullptr) return;
  bool found = false;
  const auto start = static_cast<wire::UnixSeconds>(hit.start);
  timeline->window(start, start + 1, [&](const EventRecord& record) {
    if (found) return;
    const EventView view = reader.view(hit.service, record);
    found = view.id == hit.id && view.start == hit.start;
    if (!found) return;
    for (const std::uint32_t entry : services_->entries_of(hit.service)) {
      if (events_ < question_.limit) put_event(out, &view, entry);
    }
  });
}

void EventListWriter::put_event(ByteBuffer& out, const EventView* event, std::size_t service) {
  const Segments& segments = event != nullptr ? form_->event : form_->missing;
  if (segments.empty() || events_ >= question_.limit) return;
  const EventView none;
  const EventView& shown = event != nullptr ? *event : none;
  prepare_details(segments, shown);
  // Room for all of it at once: the longest that these texts can become.
  std::size_t room = literal_bytes_ + frame_.head.size() + frame_.separator.size();
  for (const EventTemplate::Segment& segment : segments) {
    switch (segment.field) {
      case EventField::title:
        room += shown.title.size() * kLongestEscape;
        break;
      case EventField::short_text:
        room += shown.short_text.size() * kLongestEscape;
        break;
      case EventField::extended_text:
        room += shown.extended_text.size() * kLongestEscape;
        break;
      case EventField::genre:
        room += form_->genres[genre_of(shown)].size() * kLongestEscape;
        break;
      case EventField::genres:
        room += genres_.size();
        break;
      case EventField::parental:
        room += parental_.size();
        break;
      case EventField::service_text:
        room += services_->text(service, segment.column, form_->form).size();
        break;
      default:
        break;
    }
  }
  char* at = out.room(room);
  at = put(events_ == 0 ? frame_.head : frame_.separator, at);
  for (const EventTemplate::Segment& segment : segments) {
    at = put(segment.literal, at);
    at = put_field(at, segment, shown, service);
  }
  out.end_at(at);
  ++events_;
}

void EventListWriter::prepare_details(const Segments& segments, const EventView& event) {
  const auto wanted = [&](EventField field) {
    return std::any_of(segments.begin(), segments.end(), [&](const auto& segment) { return segment.field == field; });
  };
  const bool genres = wanted(EventField::genres);
  const bool parental = wanted(EventField::parental);
  if (!genres && !parental) return;
  const EventDetails details = unpack_details(event.details);
  if (genres) genres_ = genres_json(details.genres, form_->genres);
  if (parental) parental_ = parental_json(details.parental);
}

char* EventListWriter::put_field(char* out, const EventTemplate::Segment& segment, const EventView& event,
                                 std::size_t service) const {
  switch (segment.field) {
    case EventField::none:
      return out;
    case EventField::id:
      return put_number(event.id, out);
    case EventField::start:
      return put_number(event.start, out);
    case EventField::duration:
      return put_number(event.duration, out);
    case EventField::minutes:
      return put_number(event.duration / 60, out);
    case EventField::title:
      return escape(form_->form, event.title, out);
    case EventField::short_text:
      return escape(form_->form, event.short_text, out);
    case EventField::extended_text:
      return escape(form_->form, event.extended_text, out);
    case EventField::now:
      return put_number(times_.now, out);
    case EventField::remaining:
      return put_number(remaining(event, times_.now), out);
    case EventField::genre:
      return genre_of(event) == 0 ? out : escape(form_->form, form_->genres[genre_of(event)], out);
    case EventField::genres:
      return put(genres_, out);
    case EventField::parental:
      return put(parental_, out);
    case EventField::genre_id:
      return put_number(genre_of(event), out);
    case EventField::date:
      return put_date(times_.zone->local(event.start), out);
    case EventField::begin:
      return put_clock(times_.zone->local(event.start), out);
    case EventField::end:
      return put_clock(times_.zone->local(end_of(event)), out);
    case EventField::service_text:
      return put(services_->text(service, segment.column, form_->form), out);
  }
  return out;
}

}  // namespace receiverd::epg
