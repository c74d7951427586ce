#include "epg/text/multibyte_text.h"

#include <iconv.h>

#include <array>
#include <cerrno>
#include <initializer_list>

#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

/// What iconv_open returns on failure. POSIX defines it as this cast.
const iconv_t kUnusable = reinterpret_cast<iconv_t>(-1);  // NOLINT(performance-no-int-to-ptr): no other way to say it

// Only one thread at a time may use a conversion descriptor, so every thread has its own.
class Converter {
 public:
  explicit Converter(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      descriptor_ = iconv_open("UTF-8", name);
      if (usable()) return;
    }
  }
  ~Converter() {
    if (usable()) iconv_close(descriptor_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  bool usable() const { return descriptor_ != kUnusable; }

  void convert(wire::Bytes text, std::string& utf8, std::uint64_t& malformed) {
    iconv(descriptor_, nullptr, nullptr, nullptr, nullptr);
    // iconv takes the input as char* but does not write to it.
    char* in = const_cast<char*>(reinterpret_cast<const char*>(text.data()));
    std::size_t left = text.size();
    std::array<char, 512> buffer;
    while (left > 0) {
      char* out = buffer.data();
      std::size_t room = buffer.size();
      const std::size_t result = iconv(descriptor_, &in, &left, &out, &room);
      const int reason = result == static_cast<std::size_t>(-1) ? errno : 0;
      utf8.append(buffer.data(), out);
      if (reason == 0) return;
      if (reason == E2BIG) continue;
      // EILSEQ, or EINVAL if the last character is truncated: skip one byte.
      const auto byte = static_cast<std::uint8_t>(*in);
      if (byte >= 0x80 && byte < 0xA0) {
        append_utf8(utf8, byte);
      } else {
        ++malformed;
      }
      ++in;
      --left;
    }
  }

 private:
  iconv_t descriptor_ = kUnusable;
};

Converter& converter(CharacterTable table) {
  if (table == CharacterTable::euc_kr) {
    thread_local Converter korean{"UHC", "CP949", "EUC-KR"};
    return korean;
  }
  if (table == CharacterTable::gb18030) {
    thread_local Converter chinese{"GB18030", "GBK", "GB2312"};
    return chinese;
  }
  thread_local Converter taiwanese{"CP950", "BIG5"};
  return taiwanese;
}

// Code page 950 maps four signs of Big5 to wide or special forms. Unicode's own table of Big5 has the plain ones, which
// people type when they search.
char32_t plain_form(char32_t code) {
  switch (code) {
    case 0x2027:
      return 0x2022;
    case 0xFFE0:
      return 0xA2;
    case 0xFFE1:
      return 0xA3;
    case 0xFFE5:
      return 0xA5;
    default:
      return code;
  }
}

// 0x86, 0x87 and 0x8A are control codes in DVB, but also lead bytes in the extensions of EUC-KR and GB 2312. They are
// control codes if the following bytes form whole characters without them.
bool is_control_code(wire::Bytes text, std::size_t at) {
  if (text[at] != 0x86 && text[at] != 0x87 && text[at] != 0x8A) return false;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] >= 0xA1) ++end;
  return (end - at) % 2 == 1;
}

void convert(Converter& from, wire::Bytes text, CharacterTable table, std::string& utf8, std::uint64_t& malformed) {
  std::size_t begin = 0;
  for (std::size_t at = 0; table != CharacterTable::big5 && at < text.size(); ++at) {
    if (text[at] < 0x80) continue;
    if (!is_control_code(text, at)) {
      ++at;  // the second byte
      continue;
    }
    from.convert(text.subspan(begin, at - begin), utf8, malformed);
    append_utf8(utf8, text[at]);
    begin = at + 1;
  }
  from.convert(text.subspan(begin), utf8, malformed);
}

}  // namespace

bool decode_multibyte(wire::Bytes text, CharacterTable table, std::u32string& out, std::uint64_t& malformed) {
  Converter& from = converter(table);
  if (!from.usable()) return false;
  std::string utf8;
  utf8.reserve(text.size() * 3 / 2);
  convert(from, text, table, utf8, malformed);
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t code = next_utf8(utf8, at);
    if (code != kNotUtf8) out.push_back(table == CharacterTable::big5 ? plain_form(code) : code);
  }
  return true;
}

}  // namespace receiverd::epg
