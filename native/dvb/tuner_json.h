// Pictures and counters of a tuner as JSON text for src/dvb/multiplex.ts and src/dvb/statistics.ts, which say what each
// member means.
#pragma once

#include <string>

#include "dvb/tuner.h"

namespace receiverd::dvb {

std::string picture_json(const Tuner::Picture& picture);
std::string statistics_json(const TunerStatistics& statistics);

}  // namespace receiverd::dvb
