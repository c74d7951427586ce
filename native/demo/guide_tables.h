// The guide of a service as EIT sections (EN 300 468 §5.2.4, ETSI TS 101 211 §4.1.4).
#pragma once

#include <cstdint>
#include <vector>

#include "demo/lineup.h"
#include "demo/schedule.h"
#include "dvb/si/eit_section.h"

namespace receiverd::demo {

/// Present and following event at `time`. The version is derived from the event id, so it changes with the event.
std::vector<dvb::Section> present_following_sections(const LineupEntry& service, Schedule& schedule, std::int64_t time);

/// The schedule of eight days from the UTC day that contains `time`. Changes only at 00:00 UTC.
std::vector<dvb::Section> schedule_sections(const LineupEntry& service, const Schedule& schedule, std::int64_t time);

}  // namespace receiverd::demo
