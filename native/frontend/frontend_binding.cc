#include "frontend/frontend_binding.h"

#include <memory>

#include "frontend/dvb_source.h"
#include "frontend/front_ends.h"
#include "node/values.h"

namespace receiverd::frontend {

namespace {

Napi::Value front_ends(const Napi::CallbackInfo& call) {
  return node::run(call.Env(), [] { return front_ends_json(find_front_ends(real_system())); });
}

}  // namespace

dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options& /*options*/) {
  DvbOptions options;
  node::take_number(specification, "adapter", options.adapter);
  node::take_number(specification, "frontend", options.front_end);
  return [options] { return std::make_unique<DvbSource>(real_system(), options); };
}

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("frontEnds", Napi::Function::New<front_ends>(env, "frontEnds"));
}

}  // namespace receiverd::frontend
