#include "epg/sub_table.h"

#include <algorithm>

namespace receiverd::epg {

void SubTable::take(const EitSection& section) {
  // The same section again in the same version: its content has changed, or everything is collected anew.
  if (section.version != version_ || seen_[section.section_number]) {
    version_ = section.version;
    ++run_;
    seen_.reset();
    segment_last_.fill(0);
    regular_ = true;
    begin_.reset();
  }
  seen_.set(section.section_number);
  last_section_ = section.last_section_number;
  segment_last_[section.section_number / 8U] = section.segment_last_section_number;
  learn_time(section);
}

void SubTable::learn_time(const EitSection& section) {
  if (section.events.empty()) return;
  const auto last = std::max_element(section.events.begin(), section.events.end(),
                                     [](const Event& a, const Event& b) { return a.start < b.start; });
  const wire::UnixSeconds begin = last->start / kSegment * kSegment - section.section_number / 8U * kSegment;
  if (begin % 86400 != 0) return;
  if (begin_ && *begin_ != begin) regular_ = false;
  begin_ = begin;
}

bool SubTable::segment_complete(std::uint8_t section_number) const {
  const unsigned segment = section_number / 8U;
  const unsigned first = segment * 8;
  const unsigned last = segment_last_[segment];
  if (last < first || last > first + 7) return false;  // nothing seen, or not how segments are numbered
  for (unsigned number = first; number <= last; ++number) {
    if (!seen_[number]) return false;
  }
  return true;
}

bool SubTable::complete() const {
  for (unsigned first = 0; first <= last_section_; first += 8) {
    if (!segment_complete(static_cast<std::uint8_t>(first))) return false;
  }
  return true;
}

std::optional<std::pair<wire::UnixSeconds, wire::UnixSeconds>> SubTable::segment_time(
    std::uint8_t section_number) const {
  if (!regular_ || !begin_) return std::nullopt;
  const wire::UnixSeconds begin = *begin_ + section_number / 8U * kSegment;
  return std::pair{begin, begin + kSegment};
}

std::optional<std::pair<wire::UnixSeconds, wire::UnixSeconds>> SubTable::time_behind() const {
  if (!regular_ || !begin_) return std::nullopt;
  return std::pair{*begin_ + (last_section_ / 8U + 1) * kSegment, *begin_ + kSegments * kSegment};
}

}  // namespace receiverd::epg
