#include "xmltv/xmltv_binding.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "epg/epg_binding.h"
#include "epg/ingest.h"
#include "epg/query_binding.h"
#include "xmltv/exporter.h"
#include "xmltv/import_report.h"
#include "xmltv/importer.h"

namespace receiverd::xmltv {
namespace {

/// Runs `work` on a worker thread and resolves a promise with its text as a Buffer. `busy` is true meanwhile.
class Step : public Napi::AsyncWorker {
 public:
  Step(Napi::Env env, std::shared_ptr<bool> busy, Napi::Value held, std::function<std::string()> work)
      : AsyncWorker(env, "receiverd.xmltv"),
        promise_(Napi::Promise::Deferred::New(env)),
        busy_(std::move(busy)),
        work_(std::move(work)) {
    if (held.IsObject()) held_ = Napi::Persistent(held.As<Napi::Object>());
    *busy_ = true;
  }

  Napi::Promise promise() const { return promise_.Promise(); }

 protected:
  void Execute() override { result_ = work_(); }
  void OnOK() override {
    *busy_ = false;
    // The Buffer takes over the string's memory instead of copying it.
    auto owned = std::make_unique<std::string>(std::move(result_));
    std::string* const released = owned.release();
    promise_.Resolve(Napi::Buffer<char>::NewOrCopy(
        Env(), released->data(), released->size(), [](Napi::Env, char*, std::string* mine) { delete mine; }, released));
  }
  void OnError(const Napi::Error& error) override {
    *busy_ = false;
    promise_.Reject(error.Value());
  }

 private:
  Napi::Promise::Deferred promise_;
  std::shared_ptr<bool> busy_;
  Napi::ObjectReference held_;
  std::function<std::string()> work_;
  std::string result_;
};

Napi::Value run(Napi::Env env, const std::shared_ptr<bool>& busy, Napi::Value held, std::function<std::string()> work) {
  if (*busy) throw Napi::Error::New(env, "the previous step has not finished");
  auto step = std::make_unique<Step>(env, busy, held, std::move(work));
  const Napi::Promise promise = step->promise();
  step.release()->Queue();  // deletes itself when it is done
  return promise;
}

/// Texts joined by NUL.
std::vector<std::string> texts_of(const Napi::Value& value) {
  const std::string joined = value.As<Napi::String>().Utf8Value();
  std::vector<std::string> texts;
  for (std::size_t at = 0; at <= joined.size();) {
    const std::size_t end = std::min(joined.find('\0', at), joined.size());
    texts.push_back(joined.substr(at, end - at));
    at = end + 1;
  }
  return texts;
}

class ImportObject : public Napi::ObjectWrap<ImportObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "XmltvImport",
        {InstanceMethod<&ImportObject::feed>("feed"), InstanceMethod<&ImportObject::finish>("finish"),
         InstanceMethod<&ImportObject::advance>("advance"), InstanceMethod<&ImportObject::answer>("answer")});
  }

  /// (guide, {notBefore, languages, categories: joined names, genres: Uint8Array, one per name})
  explicit ImportObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto options = call[1].As<Napi::Object>();
    XmltvOptions xmltv;
    xmltv.languages = epg::languages_of(options.Get("languages"));
    const std::vector<std::string> categories = texts_of(options.Get("categories"));
    const auto genres = options.Get("genres").As<Napi::Uint8Array>();
    for (std::size_t i = 0; i < categories.size() && i < genres.ElementLength(); ++i) {
      xmltv.categories.add(categories[i], genres[i]);
    }
    importer_ = std::make_shared<Importer>(epg::ingest_of(call[0])->store(), std::move(xmltv),
                                           options.Get("notBefore").As<Napi::Number>().Int64Value());
  }

 private:
  /// (piece) -> report. The piece must not change before the report.
  Napi::Value feed(const Napi::CallbackInfo& call) {
    const auto piece = call[0].As<Napi::Uint8Array>();
    return run(call.Env(), busy_, piece,
               [importer = importer_, bytes = wire::Bytes(piece.Data(), piece.ElementLength())] {
                 importer->feed(bytes);
                 return import_report(*importer, importer->advance());
               });
  }

  Napi::Value finish(const Napi::CallbackInfo& call) {
    return run(call.Env(), busy_, call.Env().Undefined(), [importer = importer_] {
      importer->finish();
      return import_report(*importer, importer->advance());
    });
  }

  Napi::Value advance(const Napi::CallbackInfo& call) {
    return run(call.Env(), busy_, call.Env().Undefined(),
               [importer = importer_] { return import_report(*importer, importer->advance()); });
  }

  /// (counts: Uint8Array, services: packed): the services of each channel asked about.
  void answer(const Napi::CallbackInfo& call) {
    if (*busy_) throw Napi::Error::New(call.Env(), "the previous step has not finished");
    const auto counts = call[0].As<Napi::Uint8Array>();
    const std::vector<epg::ServiceKey> all = epg::services_of(call[1]);
    std::vector<std::vector<epg::ServiceKey>> services(counts.ElementLength());
    std::size_t at = 0;
    for (std::size_t i = 0; i < services.size(); ++i) {
      for (std::size_t left = counts[i]; left > 0 && at < all.size(); --left) services[i].push_back(all[at++]);
    }
    importer_->answer(std::move(services));
  }

  std::shared_ptr<Importer> importer_;
  std::shared_ptr<bool> busy_ = std::make_shared<bool>(false);
};

class ExportObject : public Napi::ObjectWrap<ExportObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "XmltvExport", {InstanceMethod<&ExportObject::next>("next")});
  }

  /// (guide, {services: packed, channels: joined, an id and a name by turns, from, until, lang, generator,
  ///          genres: 256 joined names, genreNumbers})
  explicit ExportObject(const Napi::CallbackInfo& call) : ObjectWrap(call) {
    const auto options = call[1].As<Napi::Object>();
    const std::vector<epg::ServiceKey> keys = epg::services_of(options.Get("services"));
    std::vector<std::string> channels = texts_of(options.Get("channels"));
    std::vector<ExportedService> services;
    for (std::size_t i = 0; i < keys.size() && i * 2 + 1 < channels.size(); ++i) {
      services.push_back({keys[i], std::move(channels[i * 2]), std::move(channels[i * 2 + 1])});
    }
    ExportOptions xmltv;
    xmltv.from = options.Get("from").As<Napi::Number>().Int64Value();
    xmltv.until = options.Get("until").As<Napi::Number>().Int64Value();
    xmltv.lang = options.Get("lang").As<Napi::String>().Utf8Value();
    xmltv.generator = options.Get("generator").As<Napi::String>().Utf8Value();
    xmltv.genre_numbers = options.Get("genreNumbers").ToBoolean().Value();
    const std::vector<std::string> genres = texts_of(options.Get("genres"));
    for (std::size_t i = 0; i < genres.size() && i < xmltv.genres.size(); ++i) xmltv.genres[i] = genres[i];
    exporter_ = std::make_shared<Exporter>(epg::ingest_of(call[0])->store(), std::move(services), std::move(xmltv));
  }

 private:
  Napi::Value next(const Napi::CallbackInfo& call) {
    return run(call.Env(), busy_, call.Env().Undefined(), [exporter = exporter_] { return exporter->next(); });
  }

  std::shared_ptr<Exporter> exporter_;
  std::shared_ptr<bool> busy_ = std::make_shared<bool>(false);
};

}  // namespace

void register_binding(Napi::Env env, Napi::Object exports) {
  exports.Set("XmltvImport", ImportObject::define(env));
  exports.Set("XmltvExport", ExportObject::define(env));
}

}  // namespace receiverd::xmltv
