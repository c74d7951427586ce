// Decodes the Standard Compression Scheme for Unicode (Unicode Technical Standard #6), which PSIP uses in mode 0x3E.
#pragma once

#include <functional>

#include "wire/bytes.h"

namespace receiverd::epg {

/// Calls `put` for each character. Unpaired surrogates and what a truncated text ends with are left out.
void decode_scsu(wire::Bytes bytes, const std::function<void(char32_t)>& put);

}  // namespace receiverd::epg
