// Writes state and counters of a tuner as JSON text. src/dvb/multiplex.ts and src/dvb/statistics.ts document the
// members.
#pragma once

#include <string>

#include "dvb/tuner.h"

namespace receiverd::dvb {

std::string multiplex_json(const Tuner::MultiplexState& state);
std::string guide_json(const std::vector<GuideProgress::Stream>& streams);
std::string statistics_json(const TunerStatistics& statistics);

}  // namespace receiverd::dvb
