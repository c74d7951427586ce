// Where guide sections go: the port between the tuner and the guide.
#pragma once

#include <cstdint>

#include "wire/bytes.h"

namespace receiverd::dvb {

class EitSink {
 public:
  virtual ~EitSink() = default;

  /// A whole EIT section (table_id 0x4E..0x6F), CRC checked, repetitions included. Called on the tuner thread: must not
  /// wait. `section` is valid during the call only.
  virtual void eit_section(wire::Bytes section, std::uint16_t pid) = 0;
};

}  // namespace receiverd::dvb
