// The port between the tuner and the guide: receives guide sections.
#pragma once

#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::dvb {

class EitSink {
 public:
  virtual ~EitSink() = default;

  /// Takes a whole EIT section (table_id 0x4E..0x6F), CRC checked, repetitions included. Called on the tuner thread:
  /// must not block. `section` is valid only during the call.
  virtual void eit_section(wire::Bytes section, std::uint16_t pid) = 0;
};

}  // namespace receiverd::dvb
