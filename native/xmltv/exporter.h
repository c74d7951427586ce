// The guide as XMLTV, written piece by piece straight from the store.
//
//   <tv> <channel id="SREF"><display-name>..</display-name></channel>* <programme start stop channel> title sub-title
//   desc category* rating* </programme>* </tv>
//
// Service by service, by start. What XMLTV has no word for is left out: event ids, running status, components, CRIDs,
// genres of the broadcaster's own.
//
// Thread safety: none; one call at a time, from any thread. A reading lock of the store is held for the events of one
// service and kWindow at most, and the answer may so mix states of the guide.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event_details.h"
#include "epg/store.h"

namespace receiverd::xmltv {

struct ExportedService {
  epg::ServiceKey key;
  std::string id;  ///< what names it in the document: a service reference
  std::string name;
};

struct ExportOptions {
  wire::UnixSeconds from = 0;  ///< the first events are those that run then
  wire::UnixSeconds until = 0xFFFFFFFF;
  /// `lang` of texts whose language is not known; '' = none.
  std::string lang;
  /// Name of content_nibble_level_1 and _2, English; '' = not to be written.
  std::array<std::string, 256> genres;
  /// Writes the number of a genre beside its name, as the web interface does.
  bool genre_numbers = false;
  std::string generator;
};

class Exporter {
 public:
  /// About the bytes of a piece.
  static constexpr std::size_t kPiece = std::size_t{64} << 10;
  /// Seconds of events of a service that are written under one lock.
  static constexpr wire::UnixSeconds kWindow = 2 * 86400;

  Exporter(std::shared_ptr<const epg::Store> store, std::vector<ExportedService> services, ExportOptions options);

  /// The next piece of the document; '' when it was all.
  std::string next();

 private:
  enum class Stage : std::uint8_t { head, channels, programmes, end };

  void write_head(std::string& out) const;
  void write_channel(std::string& out, const ExportedService& service) const;
  void write_window(std::string& out);
  void write_programme(std::string& out, const ExportedService& service, const epg::EventView& event) const;

  const std::shared_ptr<const epg::Store> store_;
  const std::vector<ExportedService> services_;
  const ExportOptions options_;
  Stage stage_ = Stage::head;
  std::size_t service_ = 0;
  wire::UnixSeconds from_ = 0;
  bool begun_ = false;  // a window of this service has been written
};

}  // namespace receiverd::xmltv
