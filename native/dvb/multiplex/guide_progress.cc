#include "dvb/multiplex/guide_progress.h"

#include <algorithm>

namespace receiverd::dvb {

void GuideProgress::section(const EitSectionHeader& header, bool arib) {
  const DvbTriplet key = header.triplet();
  auto service = services_.find(key);
  if (service == services_.end()) {
    if (sub_tables_ >= kMaxSubTables) return;
    service = services_.try_emplace(key).first;
  }
  if (header.is_present_following()) {
    if (!service->second.has_present_following) ++sub_tables_;
    service->second.has_present_following = true;
    service->second.present_following.take(header);
    return;
  }
  service->second.arib = arib;
  auto& schedule = service->second.schedule;
  auto table = schedule.find(header.section.table_id);
  if (table == schedule.end()) {
    if (sub_tables_ >= kMaxSubTables) return;
    ++sub_tables_;
    table = schedule.try_emplace(header.section.table_id).first;
  }
  table->second.take(header);
}

void GuideProgress::SubTable::take(const EitSectionHeader& header) {
  const SectionHeader& section = header.section;
  if (section.version != version_) {
    version_ = section.version;
    received_.reset();
  }
  received_.set(section.section_number);
  last_section_ = section.last_section_number;
  last_table_ = header.last_table_id;
  const std::size_t segment = section.section_number / kSections;
  const auto last_of_segment = static_cast<std::uint8_t>(segment * kSections + kSections - 1);
  // Present/following has no segments, and some senders set the field to invalid values.
  const bool sensible = !header.is_present_following() &&
                        header.segment_last_section_number >= section.section_number &&
                        header.segment_last_section_number <= last_of_segment;
  segment_last_[segment] =
      sensible ? header.segment_last_section_number : std::min(last_of_segment, section.last_section_number);
}

bool GuideProgress::SubTable::complete(bool passed_are_left_out) const {
  for (std::size_t segment = 0; segment <= last_section_ / kSections; ++segment) {
    const std::size_t first = segment * kSections;
    bool any = false;
    for (std::size_t number = first; number < first + kSections; ++number) any = any || received_[number];
    if (!any && passed_are_left_out) continue;
    if (!any) return false;
    passed_are_left_out = false;
    for (std::size_t number = first; number <= segment_last_[segment]; ++number) {
      if (!received_[number]) return false;
    }
  }
  return true;
}

bool GuideProgress::schedule_complete(const Service& service) {
  // Every sub-table has last_table_id. Actual and other schedules differ in the upper four bits.
  for (auto table = service.schedule.begin(); table != service.schedule.end(); ++table) {
    const auto group = [&](std::uint8_t id) { return id & (service.arib ? 0xF8 : 0xF0); };
    const std::uint8_t id = table->first;
    const bool is_first = id == group(id);
    if (!is_first && !service.schedule.contains(static_cast<std::uint8_t>(id - 1))) return false;
    const auto next = std::next(table);
    const bool is_last = next == service.schedule.end() || group(next->first) != group(id);
    if (is_last && group(table->second.last_table()) == group(id) && table->second.last_table() > id) return false;
    if (!table->second.complete(service.arib && is_first)) return false;
  }
  return true;
}

std::vector<GuideProgress::Stream> GuideProgress::streams() const {
  std::vector<Stream> streams;
  for (const auto& [key, service] : services_) {
    if (streams.empty() || streams.back().original_network_id != key.original_network_id ||
        streams.back().transport_stream_id != key.transport_stream_id) {
      streams.push_back(
          {.original_network_id = key.original_network_id, .transport_stream_id = key.transport_stream_id});
    }
    Stream& one = streams.back();
    if (service.has_present_following) {
      ++one.present_following;
      if (service.present_following.complete(false)) ++one.present_following_complete;
    }
    if (!service.schedule.empty()) {
      ++one.schedules;
      if (schedule_complete(service)) ++one.schedules_complete;
    }
  }
  return streams;
}

}  // namespace receiverd::dvb
