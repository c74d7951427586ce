#include "demo/guide_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace receiverd::demo {
namespace {

/// Removes the text up to `separator` from the front of `rest` and returns it.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

int number(std::string_view text, int base = 10) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

ProgrammeText read_programme(std::string_view line) {
  ProgrammeText programme;
  programme.key = cut(line, ' ');
  programme.genre = static_cast<std::uint8_t>(number(cut(line, ' '), 16));
  programme.min_age = number(cut(line, ' '));
  programme.style = static_cast<ProgrammeText::Style>(line.empty() ? 'p' : line.front());
  return programme;
}

GridSlot read_slot(std::string_view line, const std::vector<ProgrammeText>& programmes) {
  GridSlot slot;
  const int clock = number(cut(line, ' '));
  slot.minute = clock / 100 * 60 + clock % 100;
  for (const char day : cut(line, ' ')) {
    if (day >= '1' && day <= '7') slot.days = static_cast<std::uint8_t>(slot.days | 1U << (day - '1'));
  }
  if (line.ends_with('!')) {
    slot.repeat = true;
    line.remove_suffix(1);
  }
  const auto found = std::find_if(programmes.begin(), programmes.end(), [&](const auto& p) { return p.key == line; });
  slot.programme = static_cast<std::size_t>(found - programmes.begin());
  return slot;
}

}  // namespace

GuideText read_guide_text(std::string source) {
  GuideText guide;
  guide.source = std::make_shared<const std::string>(std::move(source));
  std::string_view text = *guide.source;
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    if (line.size() < 3) continue;
    const char kind = line.front();
    line.remove_prefix(2);
    if (kind == 'l') {
      guide.season = cut(line, '|');
      guide.episode = line;
    } else if (kind == '=') {
      guide.programmes.push_back(read_programme(line));
    } else if (kind == '@') {
      const GridSlot slot = read_slot(line, guide.programmes);
      if (slot.programme < guide.programmes.size()) guide.grid.push_back(slot);
    } else if (!guide.programmes.empty()) {
      ProgrammeText& programme = guide.programmes.back();
      if (kind == 't') programme.title = line;
      if (kind == 'a') programme.about = line;
      if (kind == 'c') (programme.parts.empty() ? programme.credits : programme.parts.back().credits) = line;
      if (kind == 'e') {
        const std::string_view title = cut(line, '|');
        programme.parts.push_back({title, line, {}});
      }
    }
  }
  std::stable_sort(guide.grid.begin(), guide.grid.end(),
                   [](const GridSlot& a, const GridSlot& b) { return a.minute < b.minute; });
  return guide;
}

bool is_complete(const GuideText& guide) {
  constexpr int kDayBegins = 5 * 60;
  constexpr int kDayEnds = 29 * 60;
  unsigned days = 0;
  for (const GridSlot& slot : guide.grid) {
    if (slot.minute < kDayBegins || slot.minute >= kDayEnds) return false;
    days |= slot.days;
  }
  return days == 0x7F && std::ranges::none_of(guide.programmes, [](const ProgrammeText& programme) {
           return programme.parts.empty() && programme.style != ProgrammeText::Style::plain;
         });
}

}  // namespace receiverd::demo
