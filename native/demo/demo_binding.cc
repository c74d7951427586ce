// The demo multiplex for JavaScript: the tuner kind `demo`.

#include "demo/demo_binding.h"

#include "demo/demo_source.h"

namespace receiverd::demo {

dvb::Tuner::SourceFactory source_factory(const Napi::Object& specification, dvb::Tuner::Options&) {
  DemoOptions options;
  options.speed = specification.Get("speed").As<Napi::Number>().Uint32Value();
  if (const Napi::Value start = specification.Get("start"); start.IsNumber()) {
    options.wall_clock = clock_from(start.As<Napi::Number>().Int64Value() * 1000);
  }
  options.assets = specification.Get("assets").As<Napi::String>().Utf8Value();
  return [options] { return make_demo_source(options); };
}

}  // namespace receiverd::demo
