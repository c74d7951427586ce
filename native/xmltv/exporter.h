// The guide as XMLTV, written piece by piece straight from the store.
//
//   <tv>
//     <channel id="SREF"> <display-name>..</display-name> </channel>*
//     <programme start stop channel> title sub-title desc category* icon rating* </programme>*
//   </tv>
//
// Service by service, by start. What XMLTV cannot express is left out: event ids, running status, components, CRIDs and
// broadcaster-defined genres.
//
// Thread safety: none; one call at a time, from any thread. A call holds the store's reading lock for the events of one
// service within kWindow at most, so the document may mix states of the guide.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "epg/event/event_details.h"
#include "epg/store/store.h"

namespace receiverd::xmltv {

struct ExportedService {
  epg::ServiceKey key;
  std::string id;  ///< identifies it in the document: a service reference
  std::string name;
};

struct ExportOptions {
  wire::UnixSeconds from = 0;  ///< the export starts with the events running then
  wire::UnixSeconds until = 0xFFFFFFFF;
  /// `lang` of texts in an unknown language; '' = none.
  std::string lang;
  /// English names by content_nibble_level_1 and _2; '' = not written.
  std::array<std::string, 256> genres;
  /// Writes a genre's number beside its name, as the web interface does.
  bool genre_numbers = false;
  std::string generator;
};

class Exporter {
 public:
  /// Approximate size of a piece in bytes.
  static constexpr std::size_t kPiece = std::size_t{64} << 10;
  /// The time span, in seconds, of a service's events written under one lock.
  static constexpr wire::UnixSeconds kWindow = 2 * 86400;

  Exporter(std::shared_ptr<const epg::Store> store, std::vector<ExportedService> services, ExportOptions options);

  /// The next piece of the document; '' at the end.
  std::string next();

 private:
  void write_head(std::string& out) const;
  void write_channel(std::string& out, const ExportedService& service) const;
  void write_window(std::string& out);
  void write_programme(std::string& out, const ExportedService& service, const epg::EventView& event) const;

  const std::shared_ptr<const epg::Store> store_;
  const std::vector<ExportedService> services_;
  const ExportOptions options_;
  bool started_ = false;
  bool ended_ = false;
  std::size_t channel_ = 0;  // the next one, and the next service to write programmes of
  std::size_t service_ = 0;
  wire::UnixSeconds from_ = 0;
  bool begun_ = false;  // a window of this service has been written
};

}  // namespace receiverd::xmltv
