#include "dvb/si/eit_section.h"

#include <algorithm>

#include "dvb/packets/section_writer.h"

namespace receiverd::dvb {
namespace {

constexpr std::size_t kEventsAt = 14;
constexpr wire::UnixSeconds kSegment = 3 * 3600;  // ETSI TS 101 211 §4.1.4
constexpr int kSegmentsOfTable = 32;
constexpr int kSectionsOfSegment = 8;
constexpr int kScheduleTables = 16;

/// Reads the fixed part of one event; `loop` becomes its descriptors. Returns false at the end or if the event is cut
/// short.
bool next_event(wire::Cursor& cursor, EitEvent& event, wire::Bytes& loop) {
  if (cursor.left() < 12) return false;
  event.event_id = cursor.u16();
  event.start = wire::mjd_time(cursor.u40());
  event.duration = wire::bcd_seconds(cursor.u24()).value_or(0);
  const std::uint16_t state = cursor.u16();
  event.running_status = static_cast<RunningStatus>(state >> 13);
  event.free_ca_mode = (state & 0x1000) != 0;
  loop = cursor.take(state & 0x0FFF);
  return cursor.ok();
}

wire::Cursor events_of(wire::Bytes section) {
  return wire::Cursor(section.subspan(kEventsAt, section.size() - kEventsAt - kCrcSize));
}

void write_event(SectionWriter& writer, const EitEvent& event) {
  writer.u16(event.event_id);
  writer.u40(event.start ? wire::to_mjd_time(*event.start) : 0xFFFFFFFFFFULL);
  const std::uint32_t duration = wire::to_bcd_seconds(event.duration);
  writer.u8(static_cast<std::uint8_t>(duration >> 16));
  writer.u16(static_cast<std::uint16_t>(duration));
  writer.loop(event.descriptors, state_flags(event.running_status, event.free_ca_mode));
}

EitSectionHeader header_of(const DvbTriplet& service, std::uint8_t table_id, std::uint8_t version) {
  EitSectionHeader header;
  header.section.table_id = table_id;
  header.section.table_id_extension = service.service_id;
  header.section.version = version;
  header.transport_stream_id = service.transport_stream_id;
  header.original_network_id = service.original_network_id;
  header.last_table_id = table_id;
  return header;
}

/// Splits events into one to eight runs that each fit a section. A single run may be empty.
std::vector<std::span<const EitEvent>> sections_of_segment(std::span<const EitEvent> events) {
  std::vector<std::span<const EitEvent>> sections;
  while (sections.empty() || (!events.empty() && sections.size() < kSectionsOfSegment)) {
    std::size_t count = 0;
    for (std::size_t room = kEitSectionRoom; count < events.size() && eit_event_size(events[count]) <= room; ++count) {
      room -= eit_event_size(events[count]);
    }
    sections.push_back(events.first(count));
    // An event that fits no section must not block those after it.
    events = events.subspan(count == 0 && !events.empty() ? 1 : count);
  }
  return sections;
}

}  // namespace

std::optional<EitSectionHeader> read_eit_section_header(wire::Bytes section) {
  const auto head = read_section_header(section);
  if (!head || head->table_id < table_id::kEitPresentFollowingActual || head->table_id > 0x6F) return std::nullopt;
  if (section.size() < kEventsAt + kCrcSize) return std::nullopt;
  EitSectionHeader header;
  header.section = *head;
  wire::Cursor cursor(section.subspan(kLongSectionHeaderSize));
  header.transport_stream_id = cursor.u16();
  header.original_network_id = cursor.u16();
  header.segment_last_section_number = cursor.u8();
  header.last_table_id = cursor.u8();
  return header;
}

Section with_triplet(wire::Bytes eit_section, const DvbTriplet& service) {
  Section changed(eit_section.begin(), eit_section.end());
  const auto write = [&](std::size_t at, std::uint16_t value) {
    changed[at] = static_cast<std::uint8_t>(value >> 8);
    changed[at + 1] = static_cast<std::uint8_t>(value);
  };
  write(3, service.service_id);
  write(kLongSectionHeaderSize, service.transport_stream_id);
  write(kLongSectionHeaderSize + 2, service.original_network_id);
  return changed;
}

std::optional<EitEvent> first_eit_event(wire::Bytes section) {
  wire::Cursor cursor = events_of(section);
  EitEvent event;
  wire::Bytes loop;
  if (!next_event(cursor, event, loop)) return std::nullopt;
  return event;
}

std::vector<EitEvent> read_eit_events(wire::Bytes section) {
  std::vector<EitEvent> events;
  wire::Cursor cursor = events_of(section);
  wire::Bytes loop;
  for (EitEvent event; next_event(cursor, event, loop);) {
    event.descriptors.assign(loop.begin(), loop.end());
    events.push_back(event);
  }
  return events;
}

Section write_eit_section(const EitSectionHeader& header, std::span<const EitEvent> events) {
  SectionWriter writer(header.section);
  writer.u16(header.transport_stream_id);
  writer.u16(header.original_network_id);
  writer.u8(header.segment_last_section_number);
  writer.u8(header.last_table_id);
  for (const EitEvent& event : events) {
    if (writer.size() + eit_event_size(event) + kCrcSize > kMaxSectionSize) break;
    write_event(writer, event);
  }
  return writer.finish();
}

std::vector<Section> write_eit_present_following(const DvbTriplet& service, bool actual, std::uint8_t version,
                                                 const EitEvent* present, const EitEvent* following) {
  EitSectionHeader header =
      header_of(service, actual ? table_id::kEitPresentFollowingActual : table_id::kEitPresentFollowingOther, version);
  header.section.last_section_number = 1;
  header.segment_last_section_number = 1;
  std::vector<Section> sections;
  for (const EitEvent* event : {present, following}) {
    sections.push_back(write_eit_section(header, event != nullptr ? std::span(event, 1) : std::span<const EitEvent>()));
    ++header.section.section_number;
  }
  return sections;
}

std::vector<Section> write_eit_schedule(const DvbTriplet& service, bool actual, std::uint8_t version,
                                        wire::UnixSeconds midnight, std::span<const EitEvent> events) {
  const std::uint8_t first_table = actual ? table_id::kEitScheduleActual : table_id::kEitScheduleOther;
  const auto segment_of = [midnight](const EitEvent& event) {
    return (event.start.value_or(midnight) - midnight) / kSegment;
  };
  const auto starts_before = [](const EitEvent& event, wire::UnixSeconds time) {
    return event.start.value_or(0) < time;
  };
  const wire::UnixSeconds end = midnight + kSegment * kSegmentsOfTable * kScheduleTables;
  const auto first = std::lower_bound(events.begin(), events.end(), midnight, starts_before);
  const auto last = std::lower_bound(first, events.end(), end, starts_before);
  events = events.subspan(static_cast<std::size_t>(first - events.begin()), static_cast<std::size_t>(last - first));
  if (events.empty()) return {};

  const auto last_segment = static_cast<int>(segment_of(events.back()));
  const auto last_table = static_cast<std::uint8_t>(first_table + last_segment / kSegmentsOfTable);
  std::vector<Section> sections;
  for (int table = 0; table <= last_segment / kSegmentsOfTable; ++table) {
    const int begin = table * kSegmentsOfTable;
    // The last table ends with its last event; the others end with their last segment, used or not.
    const int segments = std::min(last_segment + 1 - begin, kSegmentsOfTable);
    std::vector<EitSectionHeader> headers;
    std::vector<std::span<const EitEvent>> runs;
    for (int segment = 0; segment < segments; ++segment) {
      std::size_t count = 0;
      while (count < events.size() && segment_of(events[count]) == begin + segment) ++count;
      const auto parts = sections_of_segment(events.first(count));
      events = events.subspan(count);
      EitSectionHeader header = header_of(service, static_cast<std::uint8_t>(first_table + table), version);
      header.last_table_id = last_table;
      header.segment_last_section_number =
          static_cast<std::uint8_t>(segment * kSectionsOfSegment + static_cast<int>(parts.size()) - 1);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        header.section.section_number =
            static_cast<std::uint8_t>(segment * kSectionsOfSegment + static_cast<int>(part));
        headers.push_back(header);
        runs.push_back(parts[part]);
      }
    }
    for (std::size_t i = 0; i < headers.size(); ++i) {
      headers[i].section.last_section_number = headers.back().section.section_number;
      sections.push_back(write_eit_section(headers[i], runs[i]));
    }
  }
  return sections;
}

}  // namespace receiverd::dvb
