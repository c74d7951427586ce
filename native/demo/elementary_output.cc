#include "demo/elementary_output.h"

#include <algorithm>
#include <cstring>

namespace receiverd::demo {
namespace {

constexpr std::size_t kPcrBytes = 6;

/// §2.4.3.4: writes an adaptation field of `size` bytes including its length byte; the rest is stuffing.
void write_adaptation(std::uint8_t* field, std::size_t size, std::int64_t pcr, bool discontinuity, bool random_access) {
  field[0] = static_cast<std::uint8_t>(size - 1);
  if (size == 1) return;
  field[1] = static_cast<std::uint8_t>((discontinuity ? 0x80 : 0) | (random_access ? 0x40 : 0) | (pcr >= 0 ? 0x10 : 0));
  std::size_t used = 2;
  if (pcr >= 0) {
    const auto base = static_cast<std::uint64_t>(pcr) / 300;
    const auto extension = static_cast<std::uint64_t>(pcr) % 300;
    const std::uint64_t bits = base << 15 | 0x3FULL << 9 | extension;
    for (std::size_t i = 0; i < kPcrBytes; ++i) field[used++] = static_cast<std::uint8_t>(bits >> (40 - 8 * i));
  }
  std::memset(field + used, 0xFF, size - used);
}

void write_header(std::uint8_t* packet, std::uint16_t pid, bool start, std::uint8_t adaptation_control,
                  std::uint8_t continuity) {
  packet[0] = dvb::kSyncByte;
  packet[1] = static_cast<std::uint8_t>((start ? 0x40 : 0) | pid >> 8);
  packet[2] = static_cast<std::uint8_t>(pid);
  packet[3] = static_cast<std::uint8_t>(adaptation_control << 4 | continuity);
}

}  // namespace

void ElementaryOutput::begin(std::uint8_t stream_id, std::int64_t pts, bool random_access) {
  const auto bits = [pts](int shift, int mask) { return static_cast<std::uint8_t>(pts >> shift & mask); };
  pes_ = {0,
          0,
          1,
          stream_id,
          0,
          0,
          0x84,
          0x80,
          5,  // §2.4.3.6: aligned; PTS only
          static_cast<std::uint8_t>(0x21 | bits(30, 7) << 1),
          bits(22, 0xFF),
          static_cast<std::uint8_t>(1 | bits(15, 0x7F) << 1),
          bits(7, 0xFF),
          static_cast<std::uint8_t>(1 | bits(0, 0x7F) << 1)};
  sent_ = 0;
  random_access_ = random_access;
}

void ElementaryOutput::append(wire::Bytes unit) {
  constexpr std::uint8_t kVideo = 0xE0;  // its PES packets may be too long for PES_packet_length, which stays 0
  pes_.insert(pes_.end(), unit.begin(), unit.end());
  if (pes_[3] == kVideo) return;
  const std::size_t length = pes_.size() - 6;
  pes_[4] = static_cast<std::uint8_t>(length >> 8);
  pes_[5] = static_cast<std::uint8_t>(length);
}

void ElementaryOutput::write(std::uint8_t* packet, std::int64_t pcr, bool discontinuity) {
  const bool start = sent_ == 0;
  const bool mark = start && random_access_;
  const std::size_t left = pes_.size() - sent_;
  std::size_t adaptation = pcr >= 0 ? 2 + kPcrBytes : mark ? 2 : 0;
  if (left < dvb::kPacketSize - 4 - adaptation) adaptation = dvb::kPacketSize - 4 - left;
  write_header(packet, pid_, start, adaptation > 0 ? 3 : 1, continuity_);
  if (adaptation > 0) write_adaptation(packet + 4, adaptation, pcr, discontinuity && pcr >= 0, mark);
  const std::size_t payload = dvb::kPacketSize - 4 - adaptation;
  std::memcpy(packet + 4 + adaptation, pes_.data() + sent_, payload);
  sent_ += payload;
  continuity_ = (continuity_ + 1) & 0x0F;
}

void ElementaryOutput::write_pcr_only(std::uint8_t* packet, std::int64_t pcr, bool discontinuity) const {
  write_header(packet, pid_, false, 2, (continuity_ + 15) & 0x0F);
  write_adaptation(packet + 4, dvb::kPacketSize - 4, pcr, discontinuity, false);
}

}  // namespace receiverd::demo
