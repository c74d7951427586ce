#pragma once

#include <napi.h>

#include "dvb/tuner.h"

namespace receiverd::demo {

/// The source of a specification of kind `demo`: { speed, assets }.
dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& options);

}  // namespace receiverd::demo
