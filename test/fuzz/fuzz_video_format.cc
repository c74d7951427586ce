// Bytes to picture size and aspect ratio. The first byte selects the codec, and whether they are packets.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "dvb/si/video_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace receiverd;
  using namespace receiverd::dvb;
  if (size < 3) return 0;
  const auto codec = static_cast<VideoCodec>(data[0] % 4);
  const wire::Bytes bytes(data + 1, size - 1);
  std::optional<VideoFormat> format = video_format(bytes, codec);
  if ((data[0] & 0x80) != 0) {
    VideoFormatFinder finder(static_cast<std::uint16_t>((data[2] & 0x1F) << 8 | data[3 % size]), codec);
    finder.feed(bytes);
    format = finder.format();
  }
  if (format && (format->width == 0 || format->height == 0 || !(format->ratio > 0))) std::abort();
  return 0;
}
