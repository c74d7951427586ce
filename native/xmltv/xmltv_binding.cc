#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "epg/epg_binding.h"
#include "epg/ingest/ingest.h"
#include "node/bindings.h"
#include "node/values.h"
#include "xmltv/exporter.h"
#include "xmltv/importer.h"

namespace receiverd::xmltv {
namespace {

using node::text_of;
using node::texts_of;

class ImportObject : public Napi::ObjectWrap<ImportObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "XmltvImport",
        {InstanceMethod<&ImportObject::feed>("feed"), InstanceMethod<&ImportObject::finish>("finish"),
         InstanceMethod<&ImportObject::advance>("advance"), InstanceMethod<&ImportObject::answer>("answer")});
  }

  explicit ImportObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto options = call[1].As<Napi::Object>();
    XmltvOptions xmltv;
    xmltv.languages = epg::languages_of(options.Get("languages"));
    const std::vector<std::string> categories = texts_of(options.Get("categories"));
    const auto genres = options.Get("genres").As<Napi::Uint8Array>();
    for (std::size_t i = 0; i < categories.size() && i < genres.ElementLength(); ++i) {
      xmltv.categories.add(categories[i], genres[i]);
    }
    const auto rank_of = [](int given) { return std::clamp(given, epg::kMinRank, epg::kMaxRank); };
    Importer::Ranks ranks;
    ranks.usual = rank_of(options.Get("rank").As<Napi::Number>().Int32Value());
    const std::vector<epg::DvbTriplet> ranked = epg::services_of(options.Get("ranked"));
    const auto own = options.Get("ranks").As<Napi::Int8Array>();
    for (std::size_t i = 0; i < std::min(ranked.size(), own.ElementLength()); ++i)
      ranks.of[ranked[i]] = rank_of(own[i]);
    importer_ = std::make_shared<Importer>(epg::ingest_of(call[0])->store(), std::move(xmltv),
                                           options.Get("notBefore").As<Napi::Number>().Int64Value(), std::move(ranks));
  }

 private:
  /// Runs `step` and advance() on a worker thread. The promise resolves to report().
  template <typename Step>
  Napi::Value run(const Napi::CallbackInfo& call, const Napi::Value& held, Step step) {
    return node::run(
        call.Env(),
        [importer = importer_, step] {
          step(*importer);
          importer->advance();
          return importer->report();
        },
        held, busy_);
  }

  Napi::Value feed(const Napi::CallbackInfo& call) {
    const auto piece = call[0].As<Napi::Uint8Array>();
    return run(call, piece, [bytes = wire::Bytes(piece.Data(), piece.ElementLength())](Importer& importer) {
      importer.feed(bytes);
    });
  }

  Napi::Value finish(const Napi::CallbackInfo& call) {
    return run(call, {}, [](Importer& importer) { importer.finish(); });
  }

  Napi::Value advance(const Napi::CallbackInfo& call) {
    return run(call, {}, [](Importer&) {});
  }

  void answer(const Napi::CallbackInfo& call) {
    node::require_idle(call.Env(), busy_);
    const auto counts = call[0].As<Napi::Uint8Array>();
    const std::vector<epg::DvbTriplet> all = epg::services_of(call[1]);
    std::vector<std::vector<epg::DvbTriplet>> services(counts.ElementLength());
    std::size_t at = 0;
    for (std::size_t i = 0; i < services.size(); ++i) {
      for (std::size_t left = counts[i]; left > 0 && at < all.size(); --left) services[i].push_back(all[at++]);
    }
    importer_->answer(std::move(services));
  }

  std::shared_ptr<Importer> importer_;
  const node::Busy busy_ = std::make_shared<bool>(false);
};

class ExportObject : public Napi::ObjectWrap<ExportObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "XmltvExport", {InstanceMethod<&ExportObject::next>("next")});
  }

  explicit ExportObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto options = call[1].As<Napi::Object>();
    const std::vector<epg::DvbTriplet> keys = epg::services_of(options.Get("services"));
    std::vector<std::string> ids = texts_of(options.Get("ids"));
    std::vector<std::string> names = texts_of(options.Get("names"));
    std::vector<std::string> numbers = texts_of(options.Get("numbers"));
    std::vector<std::string> icons = texts_of(options.Get("icons"));
    std::vector<ExportedService> services;
    for (std::size_t i = 0; i < std::min({keys.size(), ids.size(), names.size(), numbers.size(), icons.size()}); ++i) {
      services.push_back({keys[i], std::move(ids[i]), std::move(names[i]), std::move(numbers[i]), std::move(icons[i])});
    }
    ExportOptions xmltv;
    xmltv.from = options.Get("from").As<Napi::Number>().Int64Value();
    xmltv.until = options.Get("until").As<Napi::Number>().Int64Value();
    xmltv.lang = text_of(options.Get("lang"));
    xmltv.generator = text_of(options.Get("generator"));
    xmltv.genre_numbers = options.Get("genreNumbers").ToBoolean().Value();
    const std::vector<std::string> genres = texts_of(options.Get("genres"));
    for (std::size_t i = 0; i < genres.size() && i < xmltv.genres.size(); ++i) xmltv.genres[i] = genres[i];
    exporter_ = std::make_shared<Exporter>(epg::ingest_of(call[0])->store(), std::move(services), std::move(xmltv));
  }

 private:
  Napi::Value next(const Napi::CallbackInfo& call) {
    return node::run(
        call.Env(), [exporter = exporter_] { return exporter->next(); }, {}, busy_);
  }

  std::shared_ptr<Exporter> exporter_;
  const node::Busy busy_ = std::make_shared<bool>(false);
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("XmltvImport", ImportObject::define(env));
  exports.Set("XmltvExport", ExportObject::define(env));
}

}  // namespace receiverd::xmltv
