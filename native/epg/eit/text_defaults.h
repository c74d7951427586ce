// The character table of texts without a selection byte, by language and multiplex of broadcasters that omit it.
//
// The built-in entries are only assumptions: they name the alternative that TableEvidence compares with the standard's
// default table. The entries of a user's encoding.conf (format of Enigma2) are binding.
//
//   CODE TABLE          language code of the descriptor       TABLE: ISO8859-5, ISO6937, UTF-8, GB18030, BIG5, ...
//   TSID ONID TABLE     one multiplex, decimal or 0x...         N:TABLE, NOID:TABLE      texts have no selection byte
//   TSID ONID           it sends two-byte marks                 E:TABLE, ENFORCE:TABLE   ignore the selection byte
//   *  TABLE            everything else                       # starts a comment to the end of the line
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "epg/event/event.h"
#include "epg/text/dvb_text.h"

namespace receiverd::epg {

/// The table of this name. Ignores case and punctuation: `ISO8859-5`, `UTF-8`, `Big5`.
std::optional<CharacterTable> table_named(std::string_view name);

class TextDefaults {
 public:
  /// The built-in entries.
  TextDefaults();

  /// Adds the lines of an encoding.conf, which replace built-in entries. Returns the number of invalid lines.
  std::size_t add(std::string_view encoding_conf);

  /// Precedence: multiplex entry, language entry, `*`, the standard.
  TextAssumption assumption(Language language, std::uint16_t original_network_id,
                            std::uint16_t transport_stream_id) const;

 private:
  static std::uint32_t multiplex(std::uint16_t original_network_id, std::uint16_t transport_stream_id) {
    return static_cast<std::uint32_t>(original_network_id) << 16 | transport_stream_id;
  }

  std::unordered_map<Language, TextAssumption> languages_;
  std::unordered_map<std::uint32_t, TextAssumption> multiplexes_;
  std::unordered_map<std::uint16_t, TextAssumption> networks_;
  TextAssumption other_;
};

}  // namespace receiverd::epg
