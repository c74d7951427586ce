#include "demo/schedule.h"

#include <algorithm>
#include <cstdio>

namespace receiverd::demo {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr int kDayBegins = 5 * 60;  // minute of the local day at which a broadcast day begins

/// Monday = 0; 1970-01-01 was a Thursday.
int weekday(std::int64_t day) { return static_cast<int>(((day + 3) % 7 + 7) % 7); }
std::int64_t week(std::int64_t day) { return (day + 3) / 7; }

bool on_day(const GridSlot& slot, std::int64_t day) { return (slot.days >> weekday(day) & 1) != 0; }

/// Scatters bits (the finaliser of splitmix64).
std::uint64_t scatter(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ value >> 27) * 0x94D049BB133111EBULL;
  return value ^ value >> 31;
}

void append_credits(std::string_view credits, std::vector<Event::Item>& items) {
  while (!credits.empty()) {
    const std::size_t end = std::min(credits.find('|'), credits.size());
    const std::string_view pair = credits.substr(0, end);
    const std::size_t sign = pair.find('=');
    if (sign != std::string_view::npos) {
      items.push_back({std::string(pair.substr(0, sign)), std::string(pair.substr(sign + 1))});
    }
    credits.remove_prefix(std::min(end + 1, credits.size()));
  }
}

std::string crid(const LineupEntry& service, std::string_view key, std::int64_t number) {
  char text[64];
  std::snprintf(text, sizeof text, "/%x-%.*s", service.service_id, static_cast<int>(key.size()), key.data());
  std::string result = text;
  if (number >= 0) result += "-" + std::to_string(number);
  return result;
}

}  // namespace

Schedule::Schedule(const LineupEntry& service, const GuideText& guide, UtcOffset utc_offset)
    : service_(service), text_(guide), utc_offset_(std::move(utc_offset)) {}

std::int64_t Schedule::broadcast_day(std::int64_t time) const {
  return (time + utc_offset_(time) - kDayBegins * 60) / kDay;
}

/// Converts local time to UTC; the second look-up handles days on which the offset changes.
std::int64_t Schedule::start_of(std::int64_t day, int minute) const {
  const std::int64_t local = day * kDay + minute * 60;
  const std::int64_t guess = local - utc_offset_(local);
  return local - utc_offset_(guess);
}

void Schedule::append_day(std::int64_t day, std::vector<Event>& events) const {
  const std::size_t first = events.size();
  for (std::size_t slot = 0; slot < text_.grid.size(); ++slot) {
    if (!on_day(text_.grid[slot], day)) continue;
    Event event;
    event.start = start_of(day, text_.grid[slot].minute);
    // Where the UTC offset changes, slots may overlap: the later one replaces the earlier.
    while (events.size() > first && events.back().start >= event.start) events.pop_back();
    const std::int64_t start = event.start;
    event = compose({day, slot});
    event.start = start;
    events.push_back(std::move(event));
  }
  for (std::size_t i = first; i < events.size(); ++i) {
    events[i].end = i + 1 < events.size() ? events[i + 1].start : start_of(day + 1, kDayBegins);
    events[i].id = static_cast<std::uint16_t>((day * 64 + static_cast<std::int64_t>(i - first)) % 65535 + 1);
  }
}

std::vector<Event> Schedule::between(std::int64_t from, std::int64_t until) const {
  std::vector<Event> events;
  for (std::int64_t day = broadcast_day(from) - 1; start_of(day, kDayBegins) < until; ++day) append_day(day, events);
  std::erase_if(events, [&](const Event& event) { return event.end <= from || event.start >= until; });
  return events;
}

const Schedule::Pair& Schedule::at(std::int64_t time) {
  if (time >= pair_.present.start && time < pair_.present.end) return pair_;
  const std::vector<Event> events = between(time, time + 2 * kDay);
  pair_ = {events.at(0), events.at(1)};
  return pair_;
}

/// For a repeat: the showing that it repeats, which is the latest one before it that is not a repeat itself.
Schedule::Showing Schedule::first_showing(Showing showing) const {
  const GridSlot& wanted = text_.grid[showing.slot];
  if (!wanted.repeat) return showing;
  std::size_t end = showing.slot;
  for (std::int64_t day = showing.day; day > showing.day - 9; --day, end = text_.grid.size()) {
    for (std::size_t slot = end; slot-- > 0;) {
      const GridSlot& candidate = text_.grid[slot];
      if (candidate.programme == wanted.programme && !candidate.repeat && on_day(candidate, day)) return {day, slot};
    }
  }
  return showing;
}

/// The number of first showings of the programme since 1970.
std::int64_t Schedule::episode_number(Showing showing) const {
  const std::size_t programme = text_.grid[showing.slot].programme;
  std::int64_t a_week = 0;
  std::int64_t this_week = 0;
  for (int of_week = 0; of_week < 7; ++of_week) {
    for (std::size_t slot = 0; slot < text_.grid.size(); ++slot) {
      const GridSlot& candidate = text_.grid[slot];
      if (candidate.programme != programme || candidate.repeat || (candidate.days >> of_week & 1) == 0) continue;
      ++a_week;
      if (of_week < weekday(showing.day) || (of_week == weekday(showing.day) && slot < showing.slot)) ++this_week;
    }
  }
  return week(showing.day) * a_week + this_week;
}

Event Schedule::compose(Showing showing) const {
  const ProgrammeText& programme = text_.programmes[text_.grid[showing.slot].programme];
  const Showing original = first_showing(showing);
  Event event;
  event.start = start_of(showing.day, text_.grid[showing.slot].minute);
  event.title = programme.title;
  event.text = programme.about;
  event.genre = programme.genre;
  event.min_age = programme.min_age;
  append_credits(programme.credits, event.items);
  switch (programme.style) {
    case ProgrammeText::Style::series:
      compose_series(event, programme, original);
      break;
    case ProgrammeText::Style::films:
      compose_film(event, programme, original);
      break;
    case ProgrammeText::Style::news:
      compose_news(event, programme);
      break;
    case ProgrammeText::Style::plain:
      event.series = crid(service_, programme.key, -1);
      break;
  }
  return event;
}

void Schedule::compose_series(Event& event, const ProgrammeText& programme, Showing showing) const {
  const std::int64_t number = episode_number(showing);
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(programme.parts.size(), 1));
  const ProgrammeText::Part& part = programme.parts[static_cast<std::size_t>(number % count)];
  event.subtitle = part.title;
  event.text = std::string(part.text) + " " + std::string(programme.about) + " (" + std::string(text_.season) + " " +
               std::to_string(number / count % 9 + 1) + ", " + std::string(text_.episode) + " " +
               std::to_string(number % count + 1) + ")";
  event.series = crid(service_, programme.key, -1);
  event.programme = crid(service_, programme.key, number % (count * 9));
}

void Schedule::compose_film(Event& event, const ProgrammeText& programme, Showing showing) const {
  // Shows every film of the list before one is repeated; each round starts at another film.
  const std::int64_t number = episode_number(showing);
  const auto count = static_cast<std::int64_t>(programme.parts.size());
  const std::int64_t round = number / count;
  const std::int64_t place = (number % count + static_cast<std::int64_t>(scatter(static_cast<std::uint64_t>(round)) %
                                                                         static_cast<std::uint64_t>(count))) %
                             count;
  const ProgrammeText::Part& part = programme.parts[static_cast<std::size_t>(place)];
  event.title = part.title;
  event.subtitle = programme.title;
  event.text = part.text;
  append_credits(part.credits, event.items);
  event.programme = crid(service_, programme.key, place);
}

void Schedule::compose_news(Event& event, const ProgrammeText& programme) const {
  const std::size_t count = programme.parts.size();
  const std::uint64_t draw = scatter(static_cast<std::uint64_t>(event.start));
  event.text.clear();
  for (std::size_t i = 0; i < 3; ++i) {
    const ProgrammeText::Part& part = programme.parts[(draw + i * (1 + draw % 2)) % count];
    if (i > 0) event.subtitle += ", ";
    event.subtitle += part.title;
    event.text += std::string(part.text) + " ";
  }
  event.text += programme.about;
  event.series = crid(service_, programme.key, -1);
}

}  // namespace receiverd::demo
