// DVB texts: any bytes, in any table, split in two anywhere, must yield valid UTF-8 of bounded length.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "epg/arib/arib_text.h"
#include "epg/eit/text_defaults.h"
#include "epg/text/dvb_text.h"
#include "epg/text/fold.h"
#include "epg/text/huffman_text.h"
#include "epg/text/utf8.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd::epg;
  // The first two bytes choose the assumption, the rest is the text.
  const std::uint8_t table = size > 0 ? data[0] : std::uint8_t{0};
  const std::uint8_t flags = size > 1 ? data[1] : std::uint8_t{0};
  static const HuffmanTables tables("START:0:B:\nSTART:10:C:\nSTART:11:ESCAPE:\nB:0:B:\nB:1:STOP:\nC:0:C:\nC:1:B:\n",
                                    "START:0:ESCAPE:\n");
  TextAssumption assumption;
  assumption.table = static_cast<CharacterTable>(table % (static_cast<int>(CharacterTable::unknown) + 1));
  assumption.alternative = assumption.table;
  assumption.huffman = &tables;
  if ((flags & 1) != 0) assumption = {.huffman = &tables};
  assumption.enforced = (flags & 2) != 0;
  assumption.no_selection_bytes = (flags & 4) != 0;
  assumption.two_byte_marks = (flags & 8) != 0;
  const receiverd::wire::Bytes text = receiverd::wire::Bytes(data, size).subspan(std::min<std::size_t>(size, 2));
  TextErrors errors;
  const std::string whole = decode_dvb_text(text, assumption, &errors);
  check(valid_utf8(whole));
  check(whole.size() <= 3 * text.size() + 4 * kMaxCompressedTextCharacters + 4 * kMaxAribCharacters);
  check(valid_utf8(folded(whole)));
  const ServiceName name = decode_service_name(text, assumption);
  check(valid_utf8(name.abbreviated) && name.full == whole);
  const std::size_t cut = text.empty() ? 0 : flags % text.size();
  const receiverd::wire::Bytes parts[] = {text.first(cut), text.subspan(cut)};
  check(valid_utf8(decode_dvb_text(parts, assumption)));

  TextDefaults defaults;
  defaults.add({reinterpret_cast<const char*>(data), size});
  HuffmanTables({reinterpret_cast<const char*>(data), size}, {});
  return 0;
}
