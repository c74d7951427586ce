// Tuners of SAT>IP servers for JavaScript.
#pragma once

#include <napi.h>

#include "dvb/tuner.h"

namespace receiverd::satip {

/// The kind `satip` of TunerSpec (native/addon.d.ts).
dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

/// The kind `multicast`.
dvb::Tuner::SourceFactory multicast_source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

}  // namespace receiverd::satip
