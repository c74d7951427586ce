#include "xmltv/import_report.h"

#include <algorithm>
#include <vector>

#include "wire/json_writer.h"
#include "xmltv/text.h"

namespace receiverd::xmltv {
namespace {

// The most channels without a service to name.
constexpr std::size_t kMostNamed = 100;

std::string_view name_of(Importer::State state) {
  switch (state) {
    case Importer::State::more:
      return "more";
    case Importer::State::asks:
      return "asks";
    case Importer::State::done:
      return "done";
    case Importer::State::failed:
      break;
  }
  return "failed";
}

void write_unmatched(wire::JsonWriter& json, const Importer& importer) {
  std::vector<Importer::ChannelSummary> unmatched;
  importer.each_channel([&](const Importer::ChannelSummary& channel) {
    if (!channel.matched) unmatched.push_back(channel);
  });
  std::stable_sort(unmatched.begin(), unmatched.end(),
                   [](const auto& a, const auto& b) { return a.programmes > b.programmes; });
  if (unmatched.size() > kMostNamed) unmatched.resize(kMostNamed);
  json.key("unmatched").begin_array();
  for (const Importer::ChannelSummary& channel : unmatched) {
    json.begin_object().member("id", channel.id).member("name", channel.name);
    json.member("programmes", channel.programmes).end_object();
  }
  json.end_array();
}

}  // namespace

std::string import_report(const Importer& importer, Importer::State state) {
  wire::JsonWriter json;
  const ImportCounters& counters = importer.counters();
  const XmltvCounters& read = importer.read_counters();
  json.begin_object().member("state", name_of(state));
  json.member("bytes", counters.bytes).member("programmes", read.programmes).member("imported", counters.imported);
  json.member("ended", counters.ended).member("malformed", read.malformed).member("refused", counters.refused);
  json.member("cutTexts", read.cut_texts).member("brokenTexts", read.broken_texts);
  json.member("unknownEntities", importer.unknown_entities());
  json.member("programmesWithoutService", counters.unmatched);
  json.key("channels").begin_object();
  json.member("matched", importer.matched()).member("unmatched", importer.unmatched()).end_object();
  if (state == Importer::State::asks) {
    json.key("asked").begin_array();
    for (const Importer::Question& question : importer.asked()) {
      json.begin_object().member("id", std::string_view(question.id)).key("names").begin_array();
      for (const std::string& name : question.names) json.value(std::string_view(name));
      json.end_array().end_object();
    }
    json.end_array();
  }
  if (state == Importer::State::failed) {
    const XmlError& error = importer.error();
    // A name from the document may be truncated or invalid UTF-8.
    std::string what = error.what;
    tidy(what, Whitespace::folded);
    json.key("error").begin_object().member("what", std::string_view(what));
    json.member("line", error.line).member("column", error.column).end_object();
  }
  if (state == Importer::State::failed || state == Importer::State::done) write_unmatched(json, importer);
  return json.end_object().take();
}

}  // namespace receiverd::xmltv
