#include "epg/responses/event_template.h"

#include <chrono>

#include "epg/event/event_details.h"
#include "epg/store/event_json.h"

namespace receiverd::epg {

/// Writes the value of a field: a number, or a text that is escaped and, in JSON, quoted.
struct Output {
  const EventTemplate& event_template;
  const Moment& moment;
  ByteBuffer& bytes;

  void number(std::int64_t value) const { bytes.append(value); }
  void text(std::string_view value) const {
    if (event_template.escape != Escape::xml) bytes.append("\"");
    bytes.end_at(escape(event_template.escape, value, bytes.room(value.size() * kMaxEscapeBytes)));
    if (event_template.escape != Escape::xml) bytes.append("\"");
  }
  template <typename Write>
  void json(Write write) const {
    wire::JsonWriter json;
    write(json);
    bytes.append(json.take());
  }
};

namespace {

wire::UnixSeconds end_of(const EventView& event) {
  return static_cast<wire::UnixSeconds>(event.start) + static_cast<wire::UnixSeconds>(event.duration);
}

/// 0 for an event without a genre, or with one of group 0, which is `undefined content` (EN 300 468 §6.2.9).
std::uint8_t genre_of(const EventView& event) {
  const std::uint8_t nibbles = first_genre(event.details);
  return nibbles < 0x10 ? std::uint8_t{0} : nibbles;
}

void put_two(unsigned number, std::string& out) {
  out += static_cast<char>('0' + number / 10);
  out += static_cast<char>('0' + number % 10);
}

/// `20:15`.
std::string clock_of(wire::UnixSeconds local) {
  const auto minute = static_cast<unsigned>((local % 86400 + 86400) % 86400 / 60);
  std::string out;
  put_two(minute / 60, out);
  out += ':';
  put_two(minute % 60, out);
  return out;
}

/// `Thu 01.01.2026`.
std::string date_of(wire::UnixSeconds local) {
  using namespace std::chrono;
  constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
  const sys_days day = floor<days>(sys_seconds{seconds{local}});
  const year_month_day date{day};
  std::string out(kDays.substr(weekday{day}.c_encoding() * 3, 3));
  out += ' ';
  put_two(static_cast<unsigned>(date.day()), out);
  out += '.';
  put_two(static_cast<unsigned>(date.month()), out);
  out += '.';
  const auto year = static_cast<unsigned>(static_cast<int>(date.year())) % 10000;
  put_two(year / 100, out);
  put_two(year % 100, out);
  return out;
}

void write_genres(wire::JsonWriter& json, const EventView& event, const std::array<std::string, 256>& names) {
  json.begin_array();
  for (const Genre& genre : unpack_details(event.details).genres) {
    json.begin_object().member("level1", genre.nibbles >> 4).member("level2", genre.nibbles & 0xF);
    json.member("user", genre.user).member("text", std::string_view{names[genre.nibbles]}).end_object();
  }
  json.end_array();
}

/// 1 to 15 are the minimum age less 3; 0 and 16 to 255 state no age (EN 300 468 table 81).
void write_parental(wire::JsonWriter& json, const EventView& event) {
  const EventDetails details = unpack_details(event.details);
  if (details.parental.empty() && details.rating.empty()) {
    json.null();
    return;
  }
  const ParentalRating rating = details.parental.empty() ? ParentalRating{{' ', ' ', ' '}} : details.parental.front();
  json.begin_object().member("rating", rating.rating).key("minimum_age");
  if (rating.rating >= 1 && rating.rating <= 15) {
    json.value(rating.rating + 3);
  } else {
    json.null();
  }
  json.member("country", std::string_view{rating.country.data(), rating.country.size()});
  if (!details.rating.empty()) json.member("words", details.rating);
  json.end_object();
}

void write_picture(wire::JsonWriter& json, const EventView& event) {
  const std::string picture = unpack_details(event.details).picture;
  if (picture.empty()) {
    json.null();
  } else {
    json.value(picture);
  }
}

}  // namespace

struct EventField {
  std::string_view name;
  void (*write)(const Output&, const EventView&);
};

namespace {

/// Every field. native/addon.d.ts lists the names.
constexpr EventField kFields[] = {
    {"id", [](const Output& out, const EventView& event) { out.number(event.id); }},
    // Unix seconds.
    {"start", [](const Output& out, const EventView& event) { out.number(event.start); }},
    // Seconds.
    {"duration", [](const Output& out, const EventView& event) { out.number(event.duration); }},
    // Whole minutes of the duration.
    {"minutes", [](const Output& out, const EventView& event) { out.number(event.duration / 60); }},
    {"title", [](const Output& out, const EventView& event) { out.text(event.title); }},
    {"shortText", [](const Output& out, const EventView& event) { out.text(event.short_text); }},
    {"extendedText", [](const Output& out, const EventView& event) { out.text(event.extended_text); }},
    {"language", [](const Output& out, const EventView& event) { out.text(language_text(event.language)); }},
    // The time of the request, Unix seconds.
    {"now", [](const Output& out, const EventView&) { out.number(out.moment.now); }},
    // Seconds until it ends: 0 after that, its duration before it begins.
    {"remaining",
     [](const Output& out, const EventView& event) {
       const bool begun = out.moment.now >= event.start;
       out.number(begun ? std::max<wire::UnixSeconds>(0, end_of(event) - out.moment.now) : event.duration);
     }},
    // Name of the first genre; empty if there is none.
    {"genre",
     [](const Output& out, const EventView& event) {
       out.text(genre_of(event) == 0 ? std::string_view{} : out.event_template.genres[genre_of(event)]);
     }},
    // content_nibble_level_1 * 16 + content_nibble_level_2 of it, or 0.
    {"genreId", [](const Output& out, const EventView& event) { out.number(genre_of(event)); }},
    // JSON: [{"level1","level2","user","text"}].
    {"genres",
     [](const Output& out, const EventView& event) {
       out.json([&](wire::JsonWriter& json) { write_genres(json, event, out.event_template.genres); });
     }},
    // JSON: {"rating","minimum_age","country"} of the first rating, "words" of PSIP, or null.
    {"parental",
     [](const Output& out, const EventView& event) {
       out.json([&](wire::JsonWriter& json) { write_parental(json, event); });
     }},
    // JSON: the address of its picture, or null.
    {"picture", [](const Output& out,
                   const EventView& event) { out.json([&](wire::JsonWriter& json) { write_picture(json, event); }); }},
    // Local times: `Thu 01.01.2026`, `20:15`, `21:45`.
    {"date", [](const Output& out, const EventView& event) { out.text(date_of(out.moment.zone.local(event.start))); }},
    {"begin",
     [](const Output& out, const EventView& event) { out.text(clock_of(out.moment.zone.local(event.start))); }},
    {"end",
     [](const Output& out, const EventView& event) { out.text(clock_of(out.moment.zone.local(end_of(event)))); }},
    // running_status (EN 300 468 table 6); 1 if it is scrambled.
    {"runningStatus", [](const Output& out, const EventView& event) { out.number(event.running_status); }},
    {"freeCa", [](const Output& out, const EventView& event) { out.number(event.free_ca ? 1 : 0); }},
    // JSON: all of it (store/event_json.h).
    {"record", [](const Output& out,
                  const EventView& event) { out.json([&](wire::JsonWriter& json) { write_event(json, event); }); }},
};

}  // namespace

const EventField* event_field(std::string_view name) {
  const auto* const found = std::ranges::find(kFields, name, &EventField::name);
  return found == std::end(kFields) ? nullptr : found;
}

std::size_t EventTemplate::columns() const {
  int columns = 0;
  for (const std::vector<Segment>* segments : {&event, &missing}) {
    for (const Segment& one : *segments) columns = std::max(columns, one.column + 1);
  }
  return static_cast<std::size_t>(columns);
}

void EventWriter::event(const EventView& event, std::size_t entry, ByteBuffer& out) {
  write(template_->event, event, entry, out);
}

void EventWriter::missing(std::size_t entry, ByteBuffer& out) {
  if (writes_missing()) write(template_->missing, EventView{}, entry, out);
}

void EventWriter::write(const std::vector<EventTemplate::Segment>& segments, const EventView& event, std::size_t entry,
                        ByteBuffer& out) {
  const Output output{*template_, moment_, out};
  if (count_++ != 0) out.append(template_->separator);
  for (const EventTemplate::Segment& segment : segments) {
    out.append(segment.literal);
    if (segment.field != nullptr) segment.field->write(output, event);
    if (segment.column >= 0)
      out.append(services_->text(entry, static_cast<std::size_t>(segment.column), template_->escape));
  }
}

}  // namespace receiverd::epg
