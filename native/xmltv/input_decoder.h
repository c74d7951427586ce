// Converts the bytes of an XML document to UTF-8, in pieces of any size: XML 1.0 §4.3.3 and appendix F.
//
// The encoding is decided by a byte order mark, else by the pattern of "<?" in two-byte units, else by the XML
// declaration: UTF-8, US-ASCII, UTF-16, ISO 8859-1 to -15, windows-1252. As is usual, "ISO-8859-1" is read as
// windows-1252, its superset with characters in place of the C1 controls.
//
// UTF-8 passes unchanged: the consumer of the texts repairs invalid sequences (xmltv_reader.h). The system's iconv is
// not used: firmware often comes without its tables, and DVB texts need those of ISO 8859 here anyway.
//
// Memory: holds back at most kMaxDeclarationBytes until the encoding is known, then at most three bytes.
// Thread safety: none; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "epg/text/dvb_text.h"
#include "wire/bytes.h"

namespace receiverd::xmltv {

class InputDecoder {
 public:
  /// The XML declaration must end within this many bytes.
  static constexpr std::size_t kMaxDeclarationBytes = 1024;

  /// Appends `bytes`, converted, to `utf8`. False if the encoding is unsupported (see encoding()); nothing more
  /// is appended then.
  bool decode(wire::Bytes bytes, std::string& utf8);

  /// Ends the input: appends the bytes held back. False as in decode().
  bool finish(std::string& utf8);

  /// The encoding named in the declaration, in lower case; '' if there is none.
  const std::string& encoding() const { return encoding_; }

 private:
  enum class Form : std::uint8_t { unknown, utf8, utf16le, utf16be, table, windows1252, unsupported };

  bool start(std::string& utf8, bool last);
  void recognise(bool last);
  void apply_declared_encoding();
  void convert(wire::Bytes bytes, std::string& utf8);
  void convert_utf16(wire::Bytes bytes, std::string& utf8);
  void append_unit(std::uint16_t unit, std::string& utf8);

  Form form_ = Form::unknown;
  epg::CharacterTable table_ = epg::CharacterTable::iso8859_1;
  std::string head_;
  std::string encoding_;
  std::uint16_t high_surrogate_ = 0;
  std::uint8_t odd_byte_ = 0;
  bool has_odd_byte_ = false;
};

}  // namespace receiverd::xmltv
