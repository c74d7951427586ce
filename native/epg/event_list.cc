#include "epg/event_list.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "epg/event_details.h"
#include "epg/listed_search.h"
#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

/// The most events looked up under one lock.
constexpr std::size_t kEventsPerReader = 128;
/// Single events of this many services are looked up together, prefetching all of them before the first is used:
/// events, programmes and texts are scattered in memory.
constexpr std::size_t kServicesTogether = 8;
/// Services whose events are counted under one lock.
constexpr std::size_t kServicesPerCount = 64;
/// Longer than any number, date or clock time.
constexpr std::size_t kLongestNumber = 20;
constexpr std::size_t kPadding = ServiceList::kPadding;

/// The same for short text that is followed by kPadding readable bytes, which are copied too: copying a fixed number of
/// bytes is faster.
char* put_padded(std::string_view bytes, char* out) {
  std::memcpy(out, bytes.data(), kPadding);
  if (bytes.size() > kPadding) std::memcpy(out + kPadding, bytes.data() + kPadding, bytes.size() - kPadding);
  return out + bytes.size();
}

template <typename Number>
char* put_number(Number number, char* out) {
  return std::to_chars(out, out + kLongestNumber, number).ptr;
}

wire::UnixSeconds end_of(const EventView& event) {
  return static_cast<wire::UnixSeconds>(event.start) + static_cast<wire::UnixSeconds>(event.duration);
}

wire::UnixSeconds remaining(const EventView& event, wire::UnixSeconds now) {
  if (now < event.start) return event.duration;
  return std::max<wire::UnixSeconds>(0, end_of(event) - now);
}

/// 0 for an event without a genre, or with one of group 0.
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

/// 1 to 15 are the minimum age less 3; 0 and 16 to 255 state no age (EN 300 468 table 81).
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

EventForm::EventForm(EventTemplate form)
    : escape_(form.form), event_(form.event), missing_(form.missing), genres_(std::move(form.genres)) {}

EventForm::Plan::Plan(const std::vector<EventTemplate::Segment>& segments) {
  for (const EventTemplate::Segment& segment : segments) {
    steps.push_back({static_cast<std::uint32_t>(literals.size()), static_cast<std::uint32_t>(segment.literal.size()),
                     segment.field, segment.column});
    literals += segment.literal;
    bytes += segment.literal.size() + kLongestNumber;
    genres = genres || segment.field == EventField::genres;
    parental = parental || segment.field == EventField::parental;
    if (segment.field == EventField::service_text) columns = std::max(columns, std::size_t{segment.column} + 1);
  }
  literals.append(kPadding, '\0');
  bytes += kPadding;
}

EventListWriter::EventListWriter(std::shared_ptr<const Store> store, std::shared_ptr<const ServiceList> services,
                                 std::shared_ptr<const EventForm> form, EventListQuestion question,
                                 EventListFrame frame, EventListTimes times)
    : store_(std::move(store)),
      services_(std::move(services)),
      form_(std::move(form)),
      question_(std::move(question)),
      frame_(std::move(frame)),
      times_(std::move(times)),
      position_(question_.asked == EventsAsked::hits || question_.asked == EventsAsked::search
                    ? 0
                    : std::min(question_.first_service, services_->size())) {}

void EventListWriter::write(ByteBuffer& out, std::size_t bytes, std::chrono::nanoseconds time) {
  const auto begin = std::chrono::steady_clock::now();
  if (question_.asked == EventsAsked::search) search();
  do {
    const Store::Reader reader = store_->read();
    std::size_t under_lock = 0;
    do {
      if (at_end()) {
        out.append(events_ == 0 ? frame_.empty : frame_.tail);
        ended_ = true;
        return;
      }
      under_lock += look_up(reader, out, bytes, kEventsPerReader - under_lock);
    } while (under_lock < kEventsPerReader && out.size() < bytes);
  } while (out.size() < bytes && std::chrono::steady_clock::now() - begin < time);
}

/// Replaces the query with its results.
void EventListWriter::search() {
  question_.hits = find_listed(*store_, std::move(question_.query), *services_, question_.limit).hits;
  question_.asked = EventsAsked::hits;
}

/// The end of the services to list.
std::size_t EventListWriter::services_end() const {
  const std::size_t first = std::min(question_.first_service, services_->size());
  return first + std::min(question_.service_count, services_->size() - first);
}

bool EventListWriter::at_end() const {
  const std::size_t all = question_.asked == EventsAsked::hits ? question_.hits.size() : services_end();
  return ended_ || position_ >= all || events_ >= question_.limit;
}

/// Writes some services, or a hit, or part of one service. Returns the cost, counted in events.
std::size_t EventListWriter::look_up(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes,
                                     std::size_t events) {
  if (question_.asked == EventsAsked::window) return look_up_service(reader, out);
  if (question_.asked != EventsAsked::hits) return look_up_services(reader, out, bytes, events);
  look_up_hit(reader, out);
  ++position_;
  return 1;
}

const Timeline* EventListWriter::timeline_of(const Store::Reader& reader, std::size_t service) const {
  const std::optional<ServiceKey>& key = services_->key(service);
  if (!key) return nullptr;
  const std::uint16_t known = services_->number(service);
  std::uint16_t number = known;
  const Timeline* timeline = reader.find(*key, number);
  if (number != known) services_->set_number(service, number);
  return timeline;
}

std::size_t EventListWriter::look_up_service(const Store::Reader& reader, ByteBuffer& out) {
  const Timeline* timeline = timeline_of(reader, position_);
  if (timeline != nullptr) return look_up_window(reader, *timeline, out);
  put_event(out, nullptr, position_);
  ++position_;
  return 1;
}

/// Writes the next services with a single event each, or two; stops early once there are `bytes`.
std::size_t EventListWriter::look_up_services(const Store::Reader& reader, ByteBuffer& out, std::size_t bytes,
                                              std::size_t events) {
  const bool both = question_.asked == EventsAsked::now_next;
  const std::size_t each = both ? 2 : 1;
  const std::size_t count =
      std::min(services_end() - position_, std::clamp<std::size_t>(events / each, 1, kServicesTogether));
  std::array<const Timeline*, kServicesTogether> timelines{};
  std::array<const EventRecord*, 2 * kServicesTogether> found{};
  for (std::size_t i = 0; i < count; ++i) reader.prefetch_service(services_->number(position_ + i));
  for (std::size_t i = 0; i < count; ++i) {
    timelines[i] = timeline_of(reader, position_ + i);
    if (timelines[i] != nullptr) wire::prefetch(timelines[i]->slots().data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (timelines[i] == nullptr || timelines[i]->empty()) continue;
    const std::vector<EventSlot>& slots = timelines[i]->slots();
    for (const std::size_t near : {std::size_t{0}, std::size_t{3}, std::size_t{6}}) {
      reader.prefetch_event(slots[std::min(near, slots.size() - 1)]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    found[i * each] = single(timelines[i], both ? EventsAsked::now : question_.asked);
    if (both) found[i * each + 1] = single(timelines[i], EventsAsked::next);
  }
  const Programmes& programmes = reader.programmes();
  for (std::size_t i = 0; i < count * each; ++i) {
    if (found[i] != nullptr) programmes.prefetch(found[i]->programme);
  }
  for (std::size_t i = 0; i < count * each; ++i) {
    if (found[i] != nullptr) programmes.prefetch_places(found[i]->programme);
  }
  for (std::size_t i = 0; i < count * each; ++i) {
    if (found[i] != nullptr) programmes.prefetch_texts(found[i]->programme);
  }

  std::size_t written = 0;
  do {
    for (std::size_t one = 0; one < each; ++one) {
      const EventRecord* event = found[written * each + one];
      if (event != nullptr) reader.view(*event, view_);
      put_event(out, event != nullptr ? &view_ : nullptr, position_);
    }
    ++position_;
    ++written;
  } while (written < count && out.size() < bytes && events_ < question_.limit);
  return written * each;
}

/// The event for a query that has at most one per service.
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
  const std::size_t missing = form_->missing().steps.empty() ? 0 : 1;
  if (question_.asked == EventsAsked::hits) {
    for (const EventHit& hit : question_.hits) count += services_->entries_of(hit.service).size();
    return std::min(count, question_.limit);
  }
  const std::size_t end = services_end();
  for (std::size_t begin = position_; begin < end && count < question_.limit; begin += kServicesPerCount) {
    const Store::Reader reader = store_->read();
    for (std::size_t at = begin; at < std::min(begin + kServicesPerCount, end); ++at) {
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

/// Writes the events of one service, or some of them if there are very many. It stops between two start times, so that
/// the time says where to continue, whatever happens to the service meanwhile.
std::size_t EventListWriter::look_up_window(const Store::Reader& reader, const Timeline& timeline, ByteBuffer& out) {
  const wire::UnixSeconds written_to = written_to_;
  const wire::UnixSeconds from = std::max(question_.from, written_to == kNothingWritten ? question_.from : written_to);
  std::size_t count = 0;
  bool more = false;
  timeline.window(from, question_.until, [&](const EventRecord& record) {
    if (more || events_ >= question_.limit) return;
    if (record.start <= written_to) return;
    if (count >= kEventsPerReader && record.start != written_to_) {
      more = true;
      return;
    }
    reader.view(record, view_);
    put_event(out, &view_, position_);
    written_to_ = record.start;
    ++count;
  });
  if (!more) {
    if (written_to_ == kNothingWritten) put_event(out, nullptr, position_);
    written_to_ = kNothingWritten;
    ++position_;
  }
  return count + 1;
}

/// Writes a hit. An event removed since the search is skipped.
void EventListWriter::look_up_hit(const Store::Reader& reader, ByteBuffer& out) {
  EventHit& hit = question_.hits[position_];
  const Timeline* timeline = reader.find(hit.service, hit.service_number);
  if (timeline == nullptr) return;
  bool found = false;
  const auto start = static_cast<wire::UnixSeconds>(hit.start);
  timeline->window(start, start + 1, [&](const EventRecord& record) {
    if (found) return;
    found = record.id == hit.id && record.start == hit.start;
    if (!found) return;
    reader.view(record, view_);
    for (const std::uint32_t entry : hit.entries.empty() ? services_->entries_of(hit.service) : hit.entries) {
      if (events_ < question_.limit) put_event(out, &view_, entry);
    }
  });
}

void EventListWriter::put_event(ByteBuffer& out, const EventView* event, std::size_t service) {
  const EventForm::Plan& plan = event != nullptr ? form_->event() : form_->missing();
  if (plan.steps.empty() || events_ >= question_.limit) return;
  const EventView none;
  const EventView& shown = event != nullptr ? *event : none;
  prepare_details(plan, shown);
  // Makes room for everything at once: the longest that these texts can become.
  std::size_t room = plan.bytes + frame_.head.size() + frame_.separator.size();
  for (const EventForm::Step& step : plan.steps) {
    switch (step.field) {
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
        room += form_->genre(genre_of(shown)).size() * kLongestEscape;
        break;
      case EventField::genres:
        room += genres_.size();
        break;
      case EventField::parental:
        room += parental_.size();
        break;
      case EventField::service_text:
        room += services_->text(service, step.column, form_->escape()).size();
        break;
      default:
        break;
    }
  }
  char* at = out.room(room);
  at = copy_text(events_ == 0 ? frame_.head : frame_.separator, at);
  for (const EventForm::Step& step : plan.steps) {
    at = put_padded({plan.literals.data() + step.begin, step.size}, at);
    at = put_field(at, step, shown, service);
  }
  out.end_at(at);
  ++events_;
}

void EventListWriter::prepare_details(const EventForm::Plan& plan, const EventView& event) {
  if (!plan.genres && !plan.parental) return;
  const EventDetails details = unpack_details(event.details);
  if (plan.genres) genres_ = genres_json(details.genres, form_->genres());
  if (plan.parental) parental_ = parental_json(details.parental);
}

char* EventListWriter::put_field(char* out, const EventForm::Step& step, const EventView& event, std::size_t service) {
  switch (step.field) {
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
      return escape(form_->escape(), event.title, out);
    case EventField::short_text:
      return escape(form_->escape(), event.short_text, out);
    case EventField::extended_text:
      return escape(form_->escape(), event.extended_text, out);
    case EventField::now:
      return put_number(times_.now, out);
    case EventField::remaining:
      return put_number(remaining(event, times_.now), out);
    case EventField::genre:
      return genre_of(event) == 0 ? out : escape(form_->escape(), form_->genre(genre_of(event)), out);
    case EventField::genres:
      return copy_text(genres_, out);
    case EventField::parental:
      return copy_text(parental_, out);
    case EventField::genre_id:
      return put_number(genre_of(event), out);
    case EventField::date:
      return put_day(times_.zone->local(event.start), out);
    case EventField::begin:
      return put_clock(times_.zone->local(event.start), out);
    case EventField::end:
      return put_clock(times_.zone->local(end_of(event)), out);
    case EventField::service_text:
      return put_padded(services_->text(service, step.column, form_->escape()), out);
  }
  return out;
}

char* EventListWriter::put_day(wire::UnixSeconds local, char* out) {
  constexpr wire::UnixSeconds kDay = 86400;
  const wire::UnixSeconds day = (local >= 0 ? local : local - kDay + 1) / kDay;
  if (day != day_) {
    put_date(local, date_.data());
    day_ = day;
  }
  return copy_text({date_.data(), date_.size()}, out);
}

}  // namespace receiverd::epg
