// XMLTV documents of any bytes, in chunks of any size: import and export.
//
// The import must not depend on the chunks, and an export of the imported data must be importable again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "xmltv/exporter.h"
#include "xmltv/importer.h"

using namespace receiverd;
using namespace receiverd::xmltv;

namespace {

constexpr epg::DvbTriplet kService{1, 2, 3};

std::string import(wire::Bytes document, std::size_t chunk_size, const std::shared_ptr<epg::Store>& store) {
  XmltvOptions options;
  options.languages = {0x646575};
  options.categories.add("News", 0x20);
  Importer importer(store, std::move(options), 0);
  Importer::State state = Importer::State::more;
  const auto settle = [&] {
    for (state = importer.advance(); state == Importer::State::asks; state = importer.advance()) {
      std::vector<std::vector<epg::DvbTriplet>> services;
      for (const Importer::Question& question : importer.asked()) {
        services.push_back(question.id.size() % 2 == 0 ? std::vector<epg::DvbTriplet>{}
                                                       : std::vector<epg::DvbTriplet>{kService});
      }
      importer.answer(std::move(services));
    }
  };
  for (std::size_t at = 0; at < document.size() && state == Importer::State::more; at += chunk_size) {
    importer.feed(document.subspan(at, std::min(chunk_size, document.size() - at)));
    settle();
  }
  if (state == Importer::State::more) {
    importer.finish();
    settle();
  }
  // In a damaged document, the place at which the import stops varies by a few bytes with the chunks.
  return state == Importer::State::done ? importer.report() : "failed";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t chunk_size = 1 + data[0] % 64;
  const wire::Bytes document(data + 1, size - 1);
  const auto store = std::make_shared<epg::Store>();
  const std::string whole = import(document, document.size() + 1, store);
  if (import(document, chunk_size, std::make_shared<epg::Store>()) != whole) std::abort();
  Exporter exporter(store, {{kService, "x", "X"}}, {});
  std::string written;
  for (std::string next = exporter.next(); !next.empty(); next = exporter.next()) written += next;
  const wire::Bytes bytes(reinterpret_cast<const std::uint8_t*>(written.data()), written.size());
  if (import(bytes, chunk_size, std::make_shared<epg::Store>()) == "failed") std::abort();
  return 0;
}
