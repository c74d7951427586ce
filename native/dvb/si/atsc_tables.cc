#include "dvb/si/atsc_tables.h"

#include <algorithm>

#include "epg/atsc/multiple_string.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

constexpr std::uint8_t kExtendedChannelName = 0xA0;
constexpr std::uint8_t kServiceLocation = 0xA1;

/// A cursor on the body of a section, behind its protocol_version. Nothing if it is not a section of these tables.
std::optional<wire::Cursor> body_of(wire::Bytes section, std::uint8_t first_table, std::uint8_t last_table) {
  const auto header = read_section_header(section);
  if (!header || header->table_id < first_table || header->table_id > last_table) return std::nullopt;
  wire::Cursor body(section_body(section));
  // Another protocol_version has another structure (§5.5).
  return body.u8() == 0 && body.ok() ? std::optional(body) : std::nullopt;
}

/// service_type of EN 300 468 for one of A/65 table 6.7: digital television, audio, data.
std::uint8_t service_type_of(std::uint8_t atsc) {
  switch (atsc) {
    case 2:
      return 0x01;
    case 3:
      return 0x02;
    case 4:
      return 0x0C;
    default:
      return 0;
  }
}

void read_descriptors(wire::Bytes descriptors, Vct::Channel& channel) {
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag == kExtendedChannelName) {
      std::string name = epg::decode_multiple_string(descriptor.body);
      if (!name.empty()) channel.name = std::move(name);
    } else if (descriptor.tag == kServiceLocation) {
      wire::Cursor cursor(descriptor.body);
      cursor.skip(3);  // PCR_PID, number of elements
      while (cursor.left() >= 6) {
        cursor.skip(1);  // stream_type
        channel.pids.push_back(cursor.u16() & 0x1FFF);
        cursor.skip(3);  // language
      }
    }
  }
}

}  // namespace

bool append_section(wire::Bytes section, Mgt& mgt) {
  auto body = body_of(section, table_id::kMgt, table_id::kMgt);
  if (!body) return false;
  for (std::uint16_t left = body->u16(); left > 0; --left) {
    const Mgt::Table table{body->u16(), static_cast<std::uint16_t>(body->u16() & 0x1FFF)};
    body->skip(5);  // version and size of the table
    body->skip(body->u16() & 0x0FFF);
    if (!body->ok()) break;
    mgt.tables.push_back(table);
  }
  return true;
}

bool append_section(wire::Bytes section, Vct& vct) {
  constexpr std::uint16_t kInactive = 0;
  constexpr std::uint16_t kAnalog = 0xFFFF;
  auto body = body_of(section, table_id::kTvct, table_id::kCvct);
  if (!body) return false;
  for (std::uint8_t left = body->u8(); left > 0; --left) {
    Vct::Channel channel;
    channel.name = epg::decode_utf16(body->take(14));
    const std::uint32_t number = body->u24();
    channel.major_number = number >> 10 & 0x3FF;
    channel.minor_number = number & 0x3FF;
    if ((channel.major_number & 0x3F0) == 0x3F0) {  // one-part number (§6.3.2)
      channel.major_number = static_cast<std::uint16_t>((channel.major_number & 0xF) << 10 | channel.minor_number);
      channel.minor_number = 0;
    }
    body->skip(5);  // modulation_mode, carrier_frequency
    channel.transport_stream_id = body->u16();
    channel.program_number = body->u16();
    const std::uint16_t flags = body->u16();
    channel.access_controlled = (flags & 0x2000) != 0;
    channel.hidden = (flags & 0x1000) != 0;
    channel.service_type = service_type_of(flags & 0x3F);
    channel.source_id = body->u16();
    const wire::Bytes descriptors = body->take(body->u16() & 0x03FF);
    if (!body->ok() || vct.channels.size() == Vct::kMaxChannels) break;
    if (channel.program_number == kInactive || channel.program_number == kAnalog) continue;
    read_descriptors(descriptors, channel);
    vct.channels.push_back(std::move(channel));
  }
  return true;
}

std::optional<Stt> read_stt(wire::Bytes section) {
  constexpr wire::UnixSeconds kGpsEpoch = 315'964'800;  // 1980-01-06
  auto body = body_of(section, table_id::kStt, table_id::kStt);
  if (!body) return std::nullopt;
  Stt stt;
  stt.utc = kGpsEpoch + body->u32();
  stt.gps_utc_offset = body->u8();
  stt.utc -= stt.gps_utc_offset;
  stt.daylight_saving = (body->u16() & 0x8000) != 0;
  return body->ok() ? std::optional(stt) : std::nullopt;
}

std::optional<ChannelText> read_channel_text(wire::Bytes section) {
  auto body = body_of(section, table_id::kEtt, table_id::kEtt);
  if (!body) return std::nullopt;
  const std::uint16_t source_id = body->u16();
  const std::uint16_t event = body->u16();  // its upper 14 bits, and 2 in the lower ones
  if (!body->ok() || source_id == 0 || event != 0) return std::nullopt;
  return ChannelText{source_id, body->rest()};
}

}  // namespace receiverd::dvb
