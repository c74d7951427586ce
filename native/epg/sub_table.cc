#include "epg/sub_table.h"

#include <algorithm>

namespace receiverd::epg {

void SubTable::take(const EitSection& section) {
  // The same section again in the same version: its content has changed, or everything is collected anew.
  if (section.version != version_ || seen_[section.section_number]) {
    version_ = section.version;
    ++run_;
    seen_.reset();
    settled_.reset();
    segment_last_.fill(0);
    regular_ = true;
    begin_.reset();
    earliest_.reset();
  }
  seen_.set(section.section_number);
  last_section_ = section.last_section_number;
  segment_last_[section.section_number / 8U] = section.segment_last_section_number;
  learn_time(section);
}

void SubTable::learn_time(const EitSection& section) {
  if (section.events.empty()) return;
  const auto [first, last] = std::minmax_element(section.events.begin(), section.events.end(),
                                                 [](const Event& a, const Event& b) { return a.start < b.start; });
  if (!earliest_ || first->start < *earliest_) {
    earliest_ = first->start;
    settled_.reset();
  }
  const wire::UnixSeconds begin = last->start / kSegment * kSegment - section.section_number / 8U * kSegment;
  if (begin % 86400 != 0) return;
  if (begin_ && *begin_ != begin) regular_ = false;
  begin_ = begin;
}

bool SubTable::segment_complete(unsigned segment) const {
  const unsigned first = segment * 8;
  const unsigned last = segment_last_[segment];
  if (last < first || last > first + 7) return false;  // nothing seen, or not how segments are numbered
  for (unsigned number = first; number <= last; ++number) {
    if (!seen_[number]) return false;
  }
  return true;
}

bool SubTable::complete() const {
  for (unsigned segment = 0; segment <= last_section_ / 8U; ++segment) {
    if (!segment_complete(segment)) return false;
  }
  return true;
}

std::optional<std::pair<wire::UnixSeconds, wire::UnixSeconds>> SubTable::next_settled() {
  if (!regular_ || !begin_) return std::nullopt;
  for (unsigned segment = 0; segment < kSegments; ++segment) {
    if (settled_[segment] || !segment_complete(segment)) continue;
    settled_.set(segment);
    const wire::UnixSeconds begin = *begin_ + segment * kSegment;
    return std::pair{std::max(begin, *earliest_), begin + kSegment};
  }
  if (settled_[kSegments] || !complete()) return std::nullopt;
  settled_.set(kSegments);
  return std::pair{*begin_ + (last_section_ / 8U + 1) * kSegment, *begin_ + kSegments * kSegment};
}

}  // namespace receiverd::epg
