// The state and the counters of a tuner as JSON text for src/dvb/multiplex.ts and src/dvb/statistics.ts, which document
// the members.
#pragma once

#include <string>

#include "dvb/tuner.h"

namespace receiverd::dvb {

std::string picture_json(const Tuner::Picture& picture);
std::string guide_json(const std::vector<GuideProgress::Stream>& streams);
std::string statistics_json(const TunerStatistics& statistics);

}  // namespace receiverd::dvb
