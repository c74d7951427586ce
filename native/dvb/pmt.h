// Program map table (ISO/IEC 13818-1 §2.4.4.8): the elementary streams of one service.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

struct Pmt {
  struct Stream {
    std::uint8_t stream_type = 0;  ///< ISO/IEC 13818-1 table 2-34
    std::uint16_t pid = 0;
    Section descriptors;
    bool operator==(const Stream&) const = default;
  };

  std::uint16_t service_id = 0;  ///< program_number
  std::uint8_t version = 0;
  std::uint16_t pcr_pid = 0x1FFF;  ///< 0x1FFF: the service has no clock
  Section descriptors;             ///< those of the whole service
  std::vector<Stream> streams;
  bool operator==(const Pmt&) const = default;
};

/// Adds the contents of `section`. Returns false, and leaves `pmt` alone, if it is not a whole PMT section. A stream
/// loop that is truncated inside the section yields the streams before the cut.
bool append_section(wire::Bytes section, Pmt& pmt);

/// One section: the standard allows no more. Streams that do not fit into 1024 bytes are left out.
std::vector<Section> write_sections(const Pmt& pmt);

}  // namespace receiverd::dvb
