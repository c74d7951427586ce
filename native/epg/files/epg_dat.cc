#include "epg/files/epg_dat.h"

#include "wire/json_writer.h"

namespace receiverd::epg {
namespace {

std::string problem_json(std::string_view problem) {
  wire::JsonWriter json;
  json.begin_object().member("problem", problem).end_object();
  return json.take();
}

}  // namespace

std::string import_epg_dat_file(Store& store, const EitOptions& options, const std::string& path,
                                wire::UnixSeconds from) {
  const storage::FileSource file(path);
  if (file.error() != 0) return problem_json(storage::error_text(file.error()));
  const EpgDatImport result = import_epg_dat(store, options, file, from);
  if (!result.problem.empty()) return problem_json(result.problem);
  wire::JsonWriter json;
  json.begin_object()
      .member("version", result.version)
      .member("byteOrder", std::string_view(result.big_endian ? "big" : "little"))
      .member("services", result.services)
      .member("events", result.events)
      .member("descriptors", result.descriptors)
      .member("ended", result.ended)
      .member("malformed", result.malformed)
      .member("missingDescriptors", result.missing_descriptors)
      .member("complete", result.complete)
      .end_object();
  return json.take();
}

std::string export_epg_dat_file(const Store& store, const std::string& path, wire::UnixSeconds now) {
  const EpgDatExport result = export_epg_dat(store, path, now);
  if (!result.problem.empty()) return problem_json(result.problem);
  wire::JsonWriter json;
  json.begin_object()
      .member("services", result.services)
      .member("events", result.events)
      .member("descriptors", result.descriptors)
      .member("bytes", result.bytes)
      .member("leftOut", result.left_out)
      .member("cut", result.cut)
      .member("collisions", result.collisions)
      .end_object();
  return json.take();
}

}  // namespace receiverd::epg
