// What ISDB writes into the descriptors of an event, in the terms of EN 300 468: genres, components, audio, ratings;
// and what DVB lacks, series and event groups, as identifiers of contents (CRIDs). ARIB STD-B10 part 2, ABNT NBR
// 15603-2.
//
//   series        type 2, `crid://arib/NETWORK/SERIES`; an episode, type 1, `crid://arib/NETWORK/SERIES/EPISODE`
//   event groups  types kSharedEvent to kMovedEvent, `dvb://NETWORK.STREAM.SERVICE;EVENT`, in hexadecimal
//
// Thread safety: every function here may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "epg/arib/si_rules.h"
#include "epg/event/event.h"
#include "wire/bytes.h"

namespace receiverd::epg {

namespace arib_tag {
inline constexpr std::uint8_t kAudioComponent = 0xC4;
inline constexpr std::uint8_t kSeries = 0xD5;
inline constexpr std::uint8_t kEventGroup = 0xD6;
}  // namespace arib_tag

/// ContentIdentifier::type of the events of an event group.
inline constexpr std::uint8_t kSharedEvent = 0x41;  ///< the same programme, shown by several services
inline constexpr std::uint8_t kRelayEvent = 0x42;   ///< the programme continues there
inline constexpr std::uint8_t kMovedEvent = 0x43;   ///< the programme has moved here from there

/// The genre of EN 300 468 table 29; 0 if the entry is none (extensions).
std::uint8_t dvb_genre(std::uint8_t arib_nibbles, const SiRules& rules);

/// stream_content and component_type of EN 300 468 table 26 for a component_descriptor of ARIB.
void to_dvb_component(Component& component);

/// The audio of an audio_component_descriptor, `text` included. Nothing if it is malformed.
std::optional<Component> read_audio_component(wire::Bytes body, wire::Bytes& text);

/// The rating of EN 300 468 (age minus 3) of one by ABNT; 0 for all ages.
std::uint8_t dvb_rating(std::uint8_t abnt_rating);

/// The identifiers of a series_descriptor. False if it is malformed.
bool read_series(wire::Bytes body, const DvbTriplet& service, std::vector<ContentIdentifier>& crids);

/// The identifiers of an event_group_descriptor, without the event itself. False if it is malformed.
bool read_event_group(wire::Bytes body, const DvbTriplet& service, std::uint16_t event_id,
                      std::vector<ContentIdentifier>& crids);

/// The event that an identifier of an event group names. Nothing if it is none.
std::optional<std::pair<DvbTriplet, std::uint16_t>> event_at(const std::string& locator);

}  // namespace receiverd::epg
