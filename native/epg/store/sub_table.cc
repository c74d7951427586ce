#include "epg/store/sub_table.h"

#include <algorithm>
#include <bit>

namespace receiverd::epg {

void SubTable::take(const EitSection& section) {
  const unsigned segment = section.section_number / kSections;
  const auto bit = static_cast<std::uint8_t>(1U << section.section_number % kSections);
  // The same section again in the same version: its content has changed, or all sections are being collected again.
  if (section.version != version_ || (seen_[segment] & bit) != 0) {
    version_ = section.version;
    ++run_;
    seen_.fill(0);
    segment_last_.fill(0);
    complete_ = 0;
    unsettle();
    regular_ = true;
    begin_.reset();
    earliest_.reset();
  }
  seen_[segment] |= bit;
  last_section_ = section.last_section_number;
  segment_last_[segment] = section.segment_last_section_number;
  complete_ = (complete_ & ~(1U << segment)) | (all_seen(segment) ? 1U << segment : 0);
  learn_time(section);
}

void SubTable::learn_time(const EitSection& section) {
  if (section.events.empty()) return;
  const auto [first, last] = std::minmax_element(section.events.begin(), section.events.end(),
                                                 [](const Event& a, const Event& b) { return a.start < b.start; });
  if (!earliest_ || first->start < *earliest_) {
    earliest_ = first->start;
    unsettle();
  }
  const wire::UnixSeconds begin = (last->start + section.rules.zone_seconds) / kSegmentSeconds * kSegmentSeconds -
                                  section.section_number / kSections * kSegmentSeconds;
  if (begin % 86400 != 0) return;
  const wire::UnixSeconds utc = begin - section.rules.zone_seconds;
  if (begin_ && *begin_ != utc) regular_ = false;
  begin_ = utc;
}

void SubTable::unsettle() {
  settled_ = 0;
  rest_settled_ = false;
}

bool SubTable::all_seen(unsigned segment) const {
  const unsigned first = segment * kSections;
  const unsigned last = segment_last_[segment];
  if (last < first || last >= first + kSections) return false;  // nothing received, or not numbered in segments
  const unsigned wanted = (2U << (last - first)) - 1;
  return (seen_[segment] & wanted) == wanted;
}

bool SubTable::complete() const {
  const unsigned used = last_section_ / kSections + 1U;
  return static_cast<unsigned>(std::countr_one(complete_)) >= used;
}

std::optional<std::pair<wire::UnixSeconds, wire::UnixSeconds>> SubTable::next_settled() {
  if (!regular_ || !begin_) return std::nullopt;
  if (const std::uint32_t due = complete_ & ~settled_; due != 0) {
    const auto segment = static_cast<unsigned>(std::countr_zero(due));
    settled_ |= 1U << segment;
    const wire::UnixSeconds begin = *begin_ + segment * kSegmentSeconds;
    return std::pair{std::max(begin, *earliest_), begin + kSegmentSeconds};
  }
  if (rest_settled_ || !complete()) return std::nullopt;
  rest_settled_ = true;
  return std::pair{*begin_ + (last_section_ / kSections + 1) * kSegmentSeconds, *begin_ + kSegments * kSegmentSeconds};
}

}  // namespace receiverd::epg
