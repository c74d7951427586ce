// Word segments of any bytes: adopt() must refuse them, or using them must stay within the bytes and terminate.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "epg/index/word_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd::epg;
  // The first byte selects the action, the rest is the segment. Its mark is corrected, so that the fuzzer need not
  // guess it. The copy has the exact size, so that reading beyond it is detected.
  if (size < 1 + sizeof(segment_format::Header)) return 0;
  std::vector<std::byte> bytes(size - 1);
  std::memcpy(bytes.data(), data + 1, bytes.size());
  segment_format::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.mark = segment_format::kMark;
  std::memcpy(bytes.data(), &header, sizeof header);

  WordIndex index(data[0] % 4 < 2 ? IndexedWords::tokens : IndexedWords::grams);
  if (!index.adopt(nullptr, bytes)) return 0;
  for (const std::string_view wanted : {"news", "e", "of", "the news", "ния", ""}) {
    for (const TextMatch match : {TextMatch::contains, TextMatch::word, TextMatch::word_prefix, TextMatch::suffix}) {
      const auto found = index.find(wanted, match);
      if (found.ids.size() > index.size()) std::abort();
    }
  }
  if (data[0] % 2 != 0 && index.size() > 1) {
    index.add(1, "the latest news");
    index.remove(1);
    index.remove(data[0]);
    index.add(0x1000000, "the latest news");
    for (int i = 0; i < 2; ++i) {
      if (auto work = index.maintenance(true)) {
        work->run();
        if (!index.install(std::move(*work))) std::abort();
      }
    }
    // Merged with a vocabulary that is out of order, the text may be missed.
    index.find("latest", TextMatch::word);
    index.take_forgotten();
  }
  return 0;
}
