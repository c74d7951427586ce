// What texts without a selection byte are in, by language and multiplex: the knowledge of which senders do not say it.
//
// The shipped entries are doubts, not facts: they name the alternative that TableEvidence weighs against the standard's
// default table. The entries of a user's encoding.conf (formats of Enigma2) are facts.
//
//   CODE TABLE          language code of the descriptor       TABLE: ISO8859-5, ISO6937, UTF-8, GB18030, BIG5, ...
//   TSID ONID TABLE     one multiplex, decimal or 0x...         N:TABLE, NOID:TABLE      texts have no selection byte
//   TSID ONID           it sends two-byte marks                 E:TABLE, ENFORCE:TABLE   do not believe it
//   *  TABLE            everything else                       # to the end of the line is a remark
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "epg/dvb_text.h"
#include "epg/event.h"

namespace receiverd::epg {

class TextDefaults {
 public:
  /// The shipped entries.
  TextDefaults();

  /// Adds the lines of an encoding.conf; they replace shipped entries. Gives the number of lines that are no entries.
  std::size_t add(std::string_view encoding_conf);

  /// Multiplex entry before language entry before `*` before the standard.
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
