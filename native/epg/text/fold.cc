#include "epg/text/fold.h"

#include <algorithm>

#include "epg/text/fold_table.h"
#include "epg/text/utf8.h"

namespace receiverd::epg {
namespace {

void fold_character(char32_t code, std::string& out) {
  if (code > 0xFFFF) {
    // Deseret has case too, but nobody broadcasts in it.
    append_utf8(out, code);
    return;
  }
  const char16_t to = kFoldPages[kFoldPageOf[code >> 8]][code & 0xFF];
  if (to == 0) {
    append_utf8(out, code);
  } else if (to < kFoldSequence || to >= kFoldSequenceEnd) {
    append_utf8(out, to);
  } else {
    const std::size_t sequence = to - kFoldSequence;
    for (std::size_t at = kFoldSequenceOffsets[sequence]; at < kFoldSequenceOffsets[sequence + 1]; ++at) {
      append_utf8(out, kFoldSequences[at]);
    }
  }
}

}  // namespace

void fold(std::string_view text, std::string& out) {
  out.reserve(out.size() + text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t run = ascii_run(text.substr(at));
    out.append(text, at, run);
    std::transform(out.end() - static_cast<std::ptrdiff_t>(run), out.end(),
                   out.end() - static_cast<std::ptrdiff_t>(run), fold_ascii);
    at += run;
    if (at == text.size()) break;
    if (const char32_t code = next_utf8(text, at); code != kNotUtf8) fold_character(code, out);
  }
}

std::string folded(std::string_view text) {
  std::string out;
  fold(text, out);
  return out;
}

}  // namespace receiverd::epg
