#include "epg/epg_binding.h"

#include <string>
#include <utility>
#include <vector>

#include "epg/files/epg_dat.h"
#include "epg/files/event_file.h"
#include "epg/ingest/ingest.h"
#include "epg/query_binding.h"
#include "epg/search/search.h"
#include "epg/store/event_json.h"
#include "node/values.h"

namespace receiverd::epg {
namespace {

using node::run;
using node::text_of;

constexpr napi_type_tag kGuideTag = {0x9d1c2f0a4be04d6bULL, 0xb0f3a1e85c77d213ULL};

wire::UnixSeconds time_of(const Napi::Value& value) { return value.As<Napi::Number>().Int64Value(); }

EitOptions eit_options(const Napi::Object& options) {
  EitOptions eit;
  eit.languages = languages_of(options.Get("languages"));
  if (const Napi::Value encodings = options.Get("encodings"); encodings.IsString()) {
    auto defaults = std::make_shared<TextDefaults>();
    defaults->add(text_of(encodings));
    eit.defaults = std::move(defaults);
  }
  if (const Napi::Value files = options.Get("huffman"); files.IsArray()) {
    const auto tables = files.As<Napi::Array>();
    eit.huffman = std::make_shared<HuffmanTables>(text_of(tables[0U]), text_of(tables[1U]));
  }
  return eit;
}

Bounds bounds_of(const Napi::Object& options) {
  Bounds bounds;
  const auto take = [&](const char* name, std::size_t& bound) {
    const Napi::Value value = options.Get(name);
    if (value.IsNumber()) bound = static_cast<std::size_t>(value.As<Napi::Number>().Int64Value());
  };
  take("maximumEvents", bounds.events);
  take("maximumServices", bounds.services);
  take("maximumTextBytes", bounds.text_bytes);
  return bounds;
}

class GuideObject : public Napi::ObjectWrap<GuideObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Guide",
        {InstanceAccessor<&GuideObject::generation>("generation"),
         InstanceMethod<&GuideObject::search_events>("search"), InstanceMethod<&GuideObject::suggestions>("suggest"),
         InstanceMethod<&GuideObject::services>("services"), InstanceMethod<&GuideObject::counters>("statistics"),
         InstanceMethod<&GuideObject::expire>("expire"), InstanceMethod<&GuideObject::clear>("clear"),
         InstanceMethod<&GuideObject::flush>("flush"), InstanceMethod<&GuideObject::ingest_section>("ingestSection"),
         InstanceMethod<&GuideObject::event_of_file>("eventOfFile"),
         InstanceMethod<&GuideObject::event_file_of>("eventFile"),
         InstanceMethod<&GuideObject::import_epg_dat>("importEpgDat"),
         InstanceMethod<&GuideObject::export_epg_dat>("exportEpgDat"), InstanceMethod<&GuideObject::save>("save"),
         InstanceMethod<&GuideObject::load>("load"), InstanceMethod<&GuideObject::leave_snapshot>("leaveSnapshot"),
         InstanceAccessor<&GuideObject::snapshot_lost>("snapshotLost")});
  }

  explicit GuideObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const Napi::Object options = call[0].IsObject() ? call[0].As<Napi::Object>() : Napi::Object::New(call.Env());
    eit_options_ = eit_options(options);
    ingest_ = std::make_shared<Ingest>(std::make_shared<Store>(bounds_of(options)), eit_options_);
    call.This().As<Napi::Object>().TypeTag(&kGuideTag);
  }

  const std::shared_ptr<Ingest>& ingest() const { return ingest_; }

 private:
  Napi::Value generation(const Napi::CallbackInfo& call) {
    return Napi::Number::New(call.Env(), static_cast<double>(ingest_->store()->generation()));
  }

  Napi::Value search_events(const Napi::CallbackInfo& call) {
    return run(call.Env(), [store = ingest_->store(), query = query_of(call[0].As<Napi::Object>())] {
      return search(*store, query);
    });
  }

  Napi::Value suggestions(const Napi::CallbackInfo& call) {
    return run(call.Env(),
               [store = ingest_->store(), typed = text_of(call[0]), from = time_of(call[1]),
                limit = static_cast<std::size_t>(time_of(call[2]))] { return suggest(*store, typed, from, limit); });
  }

  Napi::Value services(const Napi::CallbackInfo& call) {
    return run(call.Env(), [store = ingest_->store()] { return service_list(*store); });
  }

  Napi::Value counters(const Napi::CallbackInfo& call) {
    return run(call.Env(), [ingest = ingest_] { return statistics(*ingest); });
  }

  Napi::Value expire(const Napi::CallbackInfo& call) {
    return run(call.Env(), [ingest = ingest_, before = time_of(call[0])] { return ingest->expire(before); });
  }

  Napi::Value clear(const Napi::CallbackInfo& call) {
    return run(call.Env(), [ingest = ingest_] { return ingest->clear(); });
  }

  Napi::Value flush(const Napi::CallbackInfo& call) {
    return run(call.Env(), [ingest = ingest_] { ingest->flush(); });
  }

  void ingest_section(const Napi::CallbackInfo& call) {
    const auto section = call[0].As<Napi::Uint8Array>();
    ingest_->unchecked_section({section.Data(), section.ElementLength()});
  }

  Napi::Value event_of_file(const Napi::CallbackInfo& call) {
    const auto file = call[0].As<Napi::Uint8Array>();
    return Napi::String::New(call.Env(), event_file_json({file.Data(), file.ElementLength()}, eit_options_));
  }

  Napi::Value event_file_of(const Napi::CallbackInfo& call) {
    return run(call.Env(), [store = ingest_->store(), service = service_of(call[0]),
                            id = static_cast<std::uint16_t>(call[1].As<Napi::Number>().Uint32Value())] {
      const std::vector<std::uint8_t> file = event_file(*store, service, id);
      return std::string(file.begin(), file.end());
    });
  }

  Napi::Value import_epg_dat(const Napi::CallbackInfo& call) {
    return run(call.Env(), [store = ingest_->store(), options = eit_options_, path = text_of(call[0]),
                            from = time_of(call[1])] { return import_epg_dat_file(*store, options, path, from); });
  }

  Napi::Value export_epg_dat(const Napi::CallbackInfo& call) {
    return run(call.Env(), [store = ingest_->store(), path = text_of(call[0]), now = time_of(call[1])] {
      return export_epg_dat_file(*store, path, now);
    });
  }

  Napi::Value save(const Napi::CallbackInfo& call) {
    return run(call.Env(), [store = ingest_->store(), path = text_of(call[0]), now = time_of(call[1])] {
      return saved_json(save_guide(*store, path, now));
    });
  }

  Napi::Value load(const Napi::CallbackInfo& call) {
    return run(call.Env(), [ingest = ingest_, path = text_of(call[0])] { return loaded_json(ingest->load(path)); });
  }

  Napi::Value leave_snapshot(const Napi::CallbackInfo& call) {
    return run(call.Env(), [ingest = ingest_] { ingest->leave_snapshot(); });
  }

  Napi::Value snapshot_lost(const Napi::CallbackInfo& call) {
    return Napi::Boolean::New(call.Env(), ingest_->snapshot_lost());
  }

  EitOptions eit_options_;
  std::shared_ptr<Ingest> ingest_;
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) { exports.Set("Guide", GuideObject::define(env)); }

std::shared_ptr<Ingest> ingest_of(const Napi::Value& value) {
  return node::unwrapped<GuideObject>(value, kGuideTag, "a guide").ingest();
}

}  // namespace receiverd::epg
