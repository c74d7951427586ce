#include "demo/loop.h"

#include <stdexcept>

#include "storage/file_io.h"

namespace receiverd::demo {
namespace {

constexpr std::size_t kMaxFileBytes = 4 << 20;

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path) {
  const storage::FileSource file(path);
  if (file.error() != 0) throw std::runtime_error(path + ": " + storage::error_text(file.error()));
  if (file.size() > kMaxFileBytes) throw std::runtime_error(path + ": too large for the demo");
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(file.size()));
  if (!file.read(0, bytes)) throw std::runtime_error(path + ": cannot be read");
  return bytes;
}

Loop::Loop(const std::string& path, const StreamEntry& stream)
    : bytes_(read_file(path)), duration_(traits(stream.coding).duration) {
  const std::size_t expected = traits(stream.coding).units;
  const bool divided = divide(stream) && !units_.empty() && units_.front().begin == 0 && units_.front().random_access;
  if (!divided || (expected != 0 && units_.size() != expected)) throw std::runtime_error(path + ": damaged");
}

std::size_t Loop::index(std::int64_t number) const {
  return static_cast<std::size_t>(number % static_cast<std::int64_t>(units_.size()));
}

wire::Bytes Loop::unit(std::int64_t number) const {
  const std::size_t at = index(number);
  const std::size_t end = at + 1 < units_.size() ? units_[at + 1].begin : bytes_.size();
  return wire::Bytes(bytes_).subspan(units_[at].begin, end - units_[at].begin);
}

bool Loop::divide(const StreamEntry& stream) {
  switch (stream.coding) {
    case Coding::h264:
    case Coding::hevc:
      return divide_video(stream.coding == Coding::hevc);
    case Coding::aac:
    case Coding::mp2:
      return divide_audio(stream.frame_size, 0xFFF0, 0xFFF0);
    case Coding::ac3:
      return divide_audio(stream.frame_size, 0x0B77, 0xFFFF);
    case Coding::subtitles:
      return divide_subtitles();
  }
  return false;
}

/// A unit starts with an access unit delimiter. A unit with a sequence parameter set starts a closed group of pictures.
/// NAL unit types: ISO/IEC 14496-10 table 7-1, ISO/IEC 23008-2 table 7-1.
bool Loop::divide_video(bool hevc) {
  const int delimiter = hevc ? 35 : 9;
  const int parameters = hevc ? 33 : 7;
  for (std::size_t at = 0; at + 3 < bytes_.size(); ++at) {
    if (bytes_[at] != 0 || bytes_[at + 1] != 0 || bytes_[at + 2] != 1) continue;
    const int type = hevc ? bytes_[at + 3] >> 1 & 63 : bytes_[at + 3] & 31;
    if (type == delimiter) units_.push_back({at > 0 && bytes_[at - 1] == 0 ? at - 1 : at, false});
    if (type == parameters && !units_.empty()) units_.back().random_access = true;
  }
  return true;
}

/// Divides into frames of `frame_size` bytes, or, if that is 0, of the size in the ADTS header (ISO/IEC 13818-7
/// §6.2.1).
bool Loop::divide_audio(std::size_t frame_size, std::uint16_t sync_word, std::uint16_t sync_mask) {
  constexpr std::size_t kHeader = 7;
  std::size_t at = 0;
  while (at + kHeader <= bytes_.size()) {
    const std::uint8_t* frame = bytes_.data() + at;
    const std::size_t size =
        frame_size != 0 ? frame_size : static_cast<std::size_t>((frame[3] & 3) << 11 | frame[4] << 3 | frame[5] >> 5);
    if (((frame[0] << 8 | frame[1]) & sync_mask) != sync_word || size < kHeader) return false;
    units_.push_back({at, true});
    at += size;
  }
  return at == bytes_.size();
}

/// Each unit is a PES data field with the segments of one display set (ETSI EN 300 743 §7.2).
bool Loop::divide_subtitles() {
  constexpr std::size_t kSegmentHeader = 6;
  std::size_t at = 0;
  while (at + 2 < bytes_.size()) {
    if (bytes_[at] != 0x20 || bytes_[at + 1] != 0x00) return false;
    units_.push_back({at, true});
    at += 2;
    while (at + kSegmentHeader <= bytes_.size() && bytes_[at] == 0x0F) {
      at += kSegmentHeader + static_cast<std::size_t>(bytes_[at + 4] << 8 | bytes_[at + 5]);
    }
    if (at >= bytes_.size() || bytes_[at++] != 0xFF) return false;
  }
  return at == bytes_.size();
}

}  // namespace receiverd::demo
