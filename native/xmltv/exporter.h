// Writes the guide as an XMLTV document, piece by piece, directly from the store.
//
//   <tv>
//     <channel id="SREF"> <display-name>..</display-name>+ icon? </channel>*
//     <programme start stop channel> title sub-title desc category* icon rating* </programme>*
//   </tv>
//
// Programmes are ordered by service, then by start. XMLTV cannot express event ids, running status, components, CRIDs
// and broadcaster-defined genres, so these are left out.
//
// Thread safety: none; one call at a time, from any thread. The store's reading lock is held for kWindowSeconds of one
// service at a time, so the document may mix states of the guide.
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
  epg::DvbTriplet key;
  std::string id;  ///< identifies it in the document: a service reference
  std::string name;
  std::string number;  ///< a second display-name; '' = none
  std::string icon;    ///< address of a logo; '' = none
};

struct ExportOptions {
  wire::UnixSeconds from = 0;  ///< the first programme of a service is the one running then
  wire::UnixSeconds until = 0xFFFFFFFF;
  /// Attribute `lang` of texts in an unknown language; '' = no attribute.
  std::string lang;
  /// English names, indexed by content_nibble_level_1 << 4 | content_nibble_level_2; '' = genre not written.
  std::array<std::string, 256> genres;
  /// Adds the nibbles of a genre as attribute `id`, as `/web/epgxmltv` does.
  bool genre_numbers = false;
  std::string generator;
};

class Exporter {
 public:
  /// Approximate size of a piece.
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  /// The time span of a service's events written under one lock.
  static constexpr wire::UnixSeconds kWindowSeconds = 2 * 86400;

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
  std::size_t channel_ = 0;  // the next service to write as a channel
  std::size_t service_ = 0;  // the next service to write programmes of
  wire::UnixSeconds from_ = 0;
  bool window_written_ = false;  // of this service
};

}  // namespace receiverd::xmltv
