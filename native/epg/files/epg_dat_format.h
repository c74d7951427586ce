// Names and numbers of epg.dat that the reader and the writer share. See epg_dat.h for the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace receiverd::epg::epg_dat {

inline constexpr std::uint32_t kMagic = 0x98765432;
inline constexpr std::size_t kVersionSize = 13;
inline constexpr std::string_view kVersion7 = "ENIGMA_EPG_V7";
inline constexpr std::string_view kVersion8 = "ENIGMA_EPG_V8";
inline constexpr std::string_view kUnfinished = "UNFINISHED_V8";
inline constexpr std::string_view kPrivateMark = "PRIVATE_EPG";

inline constexpr std::size_t kEventHead = 10;  ///< event_id, start, duration
inline constexpr std::size_t kHashSize = 4;
inline constexpr std::size_t kMostHashes = (255 - kEventHead) / kHashSize;  ///< the length is one byte
/// The limit of descriptors_loop_length in the event that Enigma2 builds from them.
inline constexpr std::size_t kMostDescriptorBytes = 4095;

inline constexpr std::uint32_t kHashInitial = 0;

}  // namespace receiverd::epg::epg_dat
