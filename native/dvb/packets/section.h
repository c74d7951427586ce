// Sections: the unit in which PSI and SI tables are sent (ISO/IEC 13818-1 §2.4.4, EN 300 468 §5.1).
//
//   byte 0      table_id
//   byte 1..2   section_syntax_indicator 1, private 1, reserved 2, section_length 12   (bytes after this field)
//   with section_syntax_indicator = 1:
//   byte 3..4   table_id_extension
//   byte 5      reserved 2, version_number 5, current_next_indicator 1
//   byte 6, 7   section_number, last_section_number
//   ...         body
//   last four   CRC_32
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/bytes.h"
#include "wire/dvb_triplet.h"

namespace receiverd::dvb {

/// One whole section, table_id to CRC_32.
using Section = std::vector<std::uint8_t>;
/// Descriptors one after another, each with its tag and length (ISO/IEC 13818-1 §2.6).
using DescriptorLoop = std::vector<std::uint8_t>;

inline constexpr std::size_t kSectionHeaderSize = 3;      ///< up to and including section_length
inline constexpr std::size_t kLongSectionHeaderSize = 8;  ///< up to and including last_section_number
inline constexpr std::size_t kCrcSize = 4;
inline constexpr std::size_t kMaxSectionSize = 4096;     ///< EIT and private sections: section_length 4093
inline constexpr std::size_t kMaxPsiSectionSize = 1024;  ///< PSI, NIT, BAT and SDT: section_length 1021

/// EN 300 468 §5.1.3, ISO/IEC 13818-1 §2.4.4.4.
namespace pid {
inline constexpr std::uint16_t kPat = 0x0000;
inline constexpr std::uint16_t kNit = 0x0010;
inline constexpr std::uint16_t kSdtBat = 0x0011;
inline constexpr std::uint16_t kEit = 0x0012;
inline constexpr std::uint16_t kTdtTot = 0x0014;
// ISDB (ARIB STD-B10 part 2, 5.1.3).
inline constexpr std::uint16_t kBit = 0x0024;
inline constexpr std::uint16_t kCdt = 0x0029;
inline constexpr std::uint16_t kMobileEit = 0x0026;
inline constexpr std::uint16_t kOneSegEit = 0x0027;
}  // namespace pid

namespace table_id {
inline constexpr std::uint8_t kPat = 0x00;
inline constexpr std::uint8_t kPmt = 0x02;
inline constexpr std::uint8_t kNitActual = 0x40;
inline constexpr std::uint8_t kNitOther = 0x41;
inline constexpr std::uint8_t kSdtActual = 0x42;
inline constexpr std::uint8_t kSdtOther = 0x46;
inline constexpr std::uint8_t kBat = 0x4A;
inline constexpr std::uint8_t kEitPresentFollowingActual = 0x4E;
inline constexpr std::uint8_t kEitPresentFollowingOther = 0x4F;
inline constexpr std::uint8_t kEitScheduleActual = 0x50;  ///< to 0x5F
inline constexpr std::uint8_t kEitScheduleOther = 0x60;   ///< to 0x6F
inline constexpr std::uint8_t kTdt = 0x70;
inline constexpr std::uint8_t kTot = 0x73;
inline constexpr std::uint8_t kFastScanNetwork = 0xBC;   ///< private; used by satellite operators in Europe
inline constexpr std::uint8_t kFastScanServices = 0xBD;  ///< private; used by satellite operators in Europe
inline constexpr std::uint8_t kBit = 0xC4;               ///< ISDB: broadcaster information
inline constexpr std::uint8_t kCdt = 0xC8;               ///< ISDB: common data
inline constexpr std::uint8_t kStuffing = 0xFF;
}  // namespace table_id

/// EN 300 468 table 6.
enum class RunningStatus : std::uint8_t {
  undefined = 0,
  not_running = 1,
  starts_soon = 2,
  pausing = 3,
  running = 4,
  off_air = 5,
};

using wire::DvbTriplet;

/// The header shared by all sections with section_syntax_indicator = 1.
struct SectionHeader {
  std::uint8_t table_id = 0;
  std::uint16_t table_id_extension = 0;
  std::uint8_t version = 0;  ///< 0..31
  bool current = true;       ///< false: announces the next version, which is not valid yet
  std::uint8_t section_number = 0;
  std::uint8_t last_section_number = 0;
  bool operator==(const SectionHeader&) const = default;
};

/// The size of a section in bytes, from its section_length. `head` must have at least its first three bytes.
inline std::size_t section_size(wire::Bytes head) {
  return kSectionHeaderSize + (static_cast<std::size_t>(head[1] & 0x0F) << 8 | head[2]);
}

/// The four bits before the length of a descriptor loop in SDT and EIT: running_status 3, free_CA_mode 1.
inline std::uint8_t state_flags(RunningStatus status, bool free_ca_mode) {
  return static_cast<std::uint8_t>(static_cast<std::uint8_t>(status) << 1 | (free_ca_mode ? 1 : 0));
}

/// Returns nothing if the section is too short or has no long header, if section_length does not match its size, or if
/// section_number > last_section_number. Does not check CRC_32, which the assembler has checked.
std::optional<SectionHeader> read_section_header(wire::Bytes section);

/// The bytes between header and CRC_32 of a section that read_section_header() accepts.
wire::Bytes section_body(wire::Bytes section);

/// The CRC_32 field of a long section, which identifies its content: equal fields mean a repetition.
std::uint32_t section_crc(wire::Bytes section);

/// Receives whole, checked sections on the thread that feeds the demux. The bytes are valid only during the call.
class SectionHandler {
 public:
  virtual ~SectionHandler() = default;
  virtual void section(wire::Bytes section, std::uint16_t pid) = 0;
};

}  // namespace receiverd::dvb
