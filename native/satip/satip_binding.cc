#include "satip/satip_binding.h"

#include <memory>

#include "node/values.h"
#include "rtp/multicast_source.h"
#include "satip/satip_source.h"

namespace receiverd::satip {

dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& /*options*/) {
  const auto traits = specification.Get("traits").As<Napi::Object>();
  const auto is_set = [&](const char* name) { return traits.Get(name).ToBoolean().Value(); };
  SatipOptions options;
  options.tcp = node::text_of(specification.Get("transport")) == "tcp";
  node::take_number(traits, "maxPids", options.traits.max_pids);
  options.traits.supports_all_pids = is_set("supportsAllPids");
  options.traits.supports_add_pids = is_set("supportsAddPids");
  options.traits.needs_new_session = is_set("needsNewSession");
  options.traits.assumes_lock = is_set("assumesLock");
  options.traits.trims_session = is_set("trimsSession");
  options.traits.setup_pids = node::text_of(traits.Get("setupPids"));
  return [options] { return std::make_unique<SatipSource>(options); };
}

dvb::Tuner::SourceFactory multicast_source_factory(const Napi::Object& specification, dvb::Tuner::Options& options) {
  rtp::MulticastOptions multicast;
  multicast.group = node::text_of(specification.Get("group"));
  node::take_number(specification, "port", multicast.port);
  multicast.sender = node::text_of(specification.Get("sender"));
  multicast.interface = node::text_of(specification.Get("interface"));
  options.routes_guide = true;
  options.follows_only_program = true;
  options.keeps_beginning = true;
  return [multicast] { return std::make_unique<rtp::MulticastSource>(multicast); };
}

}  // namespace receiverd::satip
