// descriptor_tag of the descriptors of a multiplex: ISO/IEC 13818-1 table 2-45, EN 300 468 table 12. Tags of event
// descriptors are in epg/eit.
#pragma once

#include <cstdint>

namespace receiverd::dvb::tag {

inline constexpr std::uint8_t kRegistration = 0x05;
inline constexpr std::uint8_t kCa = 0x09;
inline constexpr std::uint8_t kLanguage = 0x0A;
inline constexpr std::uint8_t kNetworkName = 0x40;
inline constexpr std::uint8_t kServiceList = 0x41;
inline constexpr std::uint8_t kSatellite = 0x43;
inline constexpr std::uint8_t kCable = 0x44;
inline constexpr std::uint8_t kVbiTeletext = 0x46;
inline constexpr std::uint8_t kBouquetName = 0x47;
inline constexpr std::uint8_t kService = 0x48;
inline constexpr std::uint8_t kLinkage = 0x4A;
inline constexpr std::uint8_t kStreamIdentifier = 0x52;
inline constexpr std::uint8_t kTeletext = 0x56;
inline constexpr std::uint8_t kSubtitling = 0x59;
inline constexpr std::uint8_t kTerrestrial = 0x5A;
inline constexpr std::uint8_t kPrivateDataSpecifier = 0x5F;
inline constexpr std::uint8_t kAc3 = 0x6A;
inline constexpr std::uint8_t kDefaultAuthority = 0x73;
inline constexpr std::uint8_t kS2Satellite = 0x79;
inline constexpr std::uint8_t kEnhancedAc3 = 0x7A;
inline constexpr std::uint8_t kDts = 0x7B;
inline constexpr std::uint8_t kAac = 0x7C;
inline constexpr std::uint8_t kExtension = 0x7F;
inline constexpr std::uint8_t kAtscAc3 = 0x81;   // of ATSC, in streams of type 0x81
inline constexpr std::uint8_t kAtscEac3 = 0xCC;  // of ATSC, in streams of type 0x87
// Private: their meaning depends on the private_data_specifier before them.
inline constexpr std::uint8_t kLogicalChannel = 0x83;
inline constexpr std::uint8_t kLogicalChannelV2 = 0x87;         // NorDig
inline constexpr std::uint8_t kSimulcastLogicalChannel = 0x88;  // EACEM
inline constexpr std::uint8_t kSkyChannels = 0xB1;
inline constexpr std::uint8_t kFreesatChannels = 0xD3;
// ARIB STD-B10; private in DVB.
inline constexpr std::uint8_t kLogoTransmission = 0xCF;
inline constexpr std::uint8_t kBroadcasterName = 0xD8;
inline constexpr std::uint8_t kIsdbTerrestrial = 0xFA;

}  // namespace receiverd::dvb::tag
