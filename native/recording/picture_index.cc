#include "recording/picture_index.h"

#include <algorithm>
#include <cstring>

#include "dvb/packets/clock_shift.h"

namespace receiverd::recording {

namespace {

constexpr std::size_t kMaxPayloadBytes = dvb::kPacketSize - 4;
constexpr std::size_t kPesHeader = 9;  // up to and including PES_header_data_length
constexpr std::uint64_t kPtsPresent = 1ULL << 24;
constexpr unsigned kPtsShift = 31;

}  // namespace

std::optional<std::uint64_t> pts_of(dvb::Packet packet) {
  const auto head = dvb::read_pes_head(packet);
  return head ? head->pts : std::nullopt;
}

void PictureIndex::begin(dvb::VideoCodec codec) {
  codec_ = codec;
  in_unit_ = false;
  carried_ = 0;
}

void PictureIndex::push(dvb::Packet packet, std::uint64_t offset) {
  if (codec_ == dvb::VideoCodec::unknown) return;
  wire::Bytes payload = packet.payload();
  if (packet.payload_unit_start()) begin_unit(packet, offset, payload);
  if (!in_unit_) return;
  const std::uint64_t payload_offset =
      offset + (payload.empty() ? 0 : static_cast<std::uint64_t>(payload.data() - packet.bytes().data()));
  const std::size_t skipped = std::min(skip_, payload.size());
  skip_ -= skipped;
  scan(payload.subspan(skipped), payload_offset + skipped);
  if (!detecting_) return;
  const auto verdict = detector_.push(packet);
  if (verdict == dvb::RandomAccessDetector::Verdict::undecided) return;
  detecting_ = false;
  if (verdict == dvb::RandomAccessDetector::Verdict::yes) report_access_point();
}

void PictureIndex::begin_unit(dvb::Packet packet, std::uint64_t offset, wire::Bytes& payload) {
  carried_ = 0;
  in_unit_ = payload.size() >= kPesHeader && payload[0] == 0 && payload[1] == 0 && payload[2] == 1;
  if (!in_unit_) return;
  skip_ = kPesHeader + payload[8];
  unit_offset_ = offset;
  pts_ = access_point_pts_ = pts_of(packet);
  detecting_ = access_point_pts_.has_value();
  if (detecting_) detector_.begin(codec_);
}

/// Searches for 00 00 01 followed by three bytes. Bytes at the end that may start it are kept for the next packet.
void PictureIndex::scan(wire::Bytes payload, std::uint64_t offset) {
  std::array<std::uint8_t, kMaxCarriedBytes + kMaxPayloadBytes> bytes;
  std::memcpy(bytes.data(), carry_.data(), carried_);
  if (!payload.empty()) std::memcpy(bytes.data() + carried_, payload.data(), payload.size());
  const std::size_t size = carried_ + payload.size();
  const auto offset_of = [&](std::size_t at) { return at < carried_ ? carry_offsets_[at] : offset + (at - carried_); };
  std::size_t at = 0;
  while (at + kMaxCarriedBytes < size) {
    const std::uint8_t third = bytes[at + 2];
    if (third > 1) {
      at += 3;
    } else if (third == 1 && bytes[at] == 0 && bytes[at + 1] == 0) {
      start_code(bytes.data() + at + 3, offset_of(at));
      at += 3;
    } else {
      ++at;
    }
  }
  at = std::min(at, size);
  // Bytes before `at` have been searched; the rest may start a prefix.
  const std::size_t rest = size - at;
  std::array<std::uint64_t, kMaxCarriedBytes> offsets{};
  for (std::size_t i = 0; i < rest; ++i) offsets[i] = offset_of(at + i);
  std::memcpy(carry_.data(), bytes.data() + at, rest);
  carry_offsets_ = offsets;
  carried_ = rest;
}

void PictureIndex::start_code(const std::uint8_t* code, std::uint64_t offset) {
  constexpr std::uint8_t kPicture = 0x00;
  constexpr std::uint8_t kSequenceHeader = 0xB3;
  constexpr std::uint8_t kGroup = 0xB8;
  constexpr std::uint8_t kH264Delimiter = 9;
  constexpr std::uint8_t kHevcDelimiter = 35;
  switch (codec_) {
    case dvb::VideoCodec::mpeg2:
      if (code[0] != kPicture && code[0] != kSequenceHeader && code[0] != kGroup) return;
      report_structure(offset, std::uint64_t{code[0]} | std::uint64_t{code[1]} << 8 | std::uint64_t{code[2]} << 16);
      if (code[0] == kSequenceHeader) report_access_point();
      if (code[0] == kPicture) pts_.reset();
      return;
    case dvb::VideoCodec::h264:
      if ((code[0] & 0x1F) != kH264Delimiter) return;
      report_structure(offset, std::uint64_t{code[0]} | std::uint64_t{code[1]} << 8);
      if (pts_ && code[1] >> 5 == 0) report_access_point();
      pts_.reset();
      return;
    case dvb::VideoCodec::hevc:
      if ((code[0] >> 1 & 0x3F) != kHevcDelimiter) return;
      report_structure(offset, std::uint64_t{code[0]} | std::uint64_t{code[2]} << 8);
      if (pts_ && code[2] >> 5 == 0) report_access_point();
      pts_.reset();
      return;
    case dvb::VideoCodec::unknown:
      return;
  }
}

void PictureIndex::report_structure(std::uint64_t offset, std::uint64_t bytes) {
  sink_.structure(offset, pts_ ? bytes | kPtsPresent | *pts_ << kPtsShift : bytes);
}

/// Reports that a decoder can start with the first picture of this PES packet.
void PictureIndex::report_access_point() {
  if (!access_point_pts_) return;
  sink_.access_point(unit_offset_, *access_point_pts_);
  access_point_pts_.reset();
}

}  // namespace receiverd::recording
