// The descriptor loop that every PSI/SI table uses (ISO/IEC 13818-1 §2.6.1): tag u8, length u8, body.
#pragma once

#include "wire/bytes.h"

namespace receiverd::wire {

struct Descriptor {
  std::uint8_t tag = 0;
  Bytes body;
};

/// Walks a loop: `for (Descriptor d; loop.next(d);)`. Stops at the end or at a descriptor longer than the loop.
class DescriptorLoop {
 public:
  explicit DescriptorLoop(Bytes loop) : cursor_(loop) {}

  bool next(Descriptor& descriptor) {
    if (cursor_.left() < 2) return false;
    descriptor.tag = cursor_.u8();
    descriptor.body = cursor_.take(cursor_.u8());
    return cursor_.ok();
  }

  /// False if a descriptor claimed more bytes than the loop has.
  bool ok() const { return cursor_.ok(); }

 private:
  Cursor cursor_;
};

}  // namespace receiverd::wire
