// Playlists: any packed list, reference and path must yield complete lines without control characters.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "m3u/playlist.h"

namespace {

void check_lines(std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = list.find('\n');
    if (end == std::string_view::npos) std::abort();
    for (const char c : list.substr(0, end)) {
      if (static_cast<unsigned char>(c) < 0x20) std::abort();
    }
    list.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd::m3u;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t half = text.find('\n');
  const std::string_view first = text.substr(0, half);
  const std::string_view second = half == std::string_view::npos ? std::string_view{} : text.substr(half + 1);
  check_lines(channel_list(text, {"http://box:8001", "http://box", {}}));
  check_lines(stream(first, second, {"http://box:8001", {}, {}, {}}));
  check_lines(recording({first, second, 0, first}, {{}, "http://box", {}, {}}));
  return 0;
}
