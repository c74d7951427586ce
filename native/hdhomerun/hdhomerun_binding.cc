#include "hdhomerun/hdhomerun_binding.h"

#include <memory>

#include "hdhomerun/hdhomerun_source.h"
#include "node/values.h"

namespace receiverd::hdhomerun {

dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& /*options*/) {
  HdhomerunOptions options;
  node::take_number(specification, "tuner", options.tuner);
  node::take_number(specification, "lockKey", options.lock_key);
  return [options] { return std::make_unique<HdhomerunSource>(options); };
}

}  // namespace receiverd::hdhomerun
