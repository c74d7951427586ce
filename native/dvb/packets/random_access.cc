#include "dvb/packets/random_access.h"

#include <utility>

namespace receiverd::dvb {

namespace {

using Verdict = RandomAccessDetector::Verdict;

Verdict mpeg2_start_code(std::uint8_t value) {
  constexpr std::uint8_t kPicture = 0x00;
  constexpr std::uint8_t kSequenceHeader = 0xB3;
  if (value == kSequenceHeader) return Verdict::yes;
  return value == kPicture ? Verdict::no : Verdict::undecided;
}

Verdict h264_start_code(std::uint8_t value) {
  switch (value & 0x1F) {
    case 5:  // IDR slice
    case 7:  // sequence parameter set
      return Verdict::yes;
    case 1:  // slice
    case 2:  // slice data partition A
      return Verdict::no;
    default:
      return Verdict::undecided;
  }
}

Verdict hevc_start_code(std::uint8_t value) {
  const unsigned type = value >> 1 & 0x3F;
  if (type == 32 || type == 33 || (type >= 16 && type <= 21)) return Verdict::yes;
  return type <= 9 ? Verdict::no : Verdict::undecided;
}

/// The first start code after the PES header: a sequence, picture or slice of MPEG-2, an access unit delimiter of HEVC
/// (0x46, impossible in H.264: an SEI with nal_ref_idc), or anything of H.264.
VideoCodec guess(std::uint8_t value) {
  if (value == 0xB3 || value == 0xB8 || value == 0x00) return VideoCodec::mpeg2;
  if (value == 0x46 || value == 0x40) return VideoCodec::hevc;
  return VideoCodec::h264;
}

}  // namespace

VideoCodec video_codec(std::uint8_t stream_type) {
  switch (stream_type) {
    case 0x01:
    case 0x02:
      return VideoCodec::mpeg2;
    case 0x1B:
      return VideoCodec::h264;
    case 0x24:
      return VideoCodec::hevc;
    default:
      return VideoCodec::unknown;
  }
}

void RandomAccessDetector::begin(VideoCodec codec, bool guess_codec) {
  *this = RandomAccessDetector{};
  codec_ = codec;
  guess_ = guess_codec;
}

Verdict RandomAccessDetector::push(Packet packet) {
  wire::Bytes payload = packet.payload();
  if (first_) {
    first_ = false;
    if (packet.random_access_indicator()) return Verdict::yes;
    if (codec_ == VideoCodec::unknown && !guess_) return Verdict::yes;
    // PES header: start code and stream_id 4, length 2, flags 2, PES_header_data_length 1, that many bytes.
    if (payload.size() < 9) return Verdict::no;
    skip_ = 9 + std::size_t{payload[8]};
  }
  const std::size_t skipped = skip_ < payload.size() ? skip_ : payload.size();
  skip_ -= skipped;
  for (const std::uint8_t byte : payload.subspan(skipped)) {
    window_ = window_ << 8 | byte;
    if ((window_ & 0xFFFFFF00) == 0x00000100) {
      sei_ = Sei::none;
      const Verdict verdict = start_code(byte);
      if (verdict != Verdict::undecided) return verdict;
    } else if (sei_ != Sei::none) {
      const Verdict verdict = sei_byte(byte);
      if (verdict != Verdict::undecided) return verdict;
    }
  }
  return Verdict::undecided;
}

Verdict RandomAccessDetector::start_code(std::uint8_t value) {
  if (codec_ == VideoCodec::unknown) codec_ = guess(value);
  switch (codec_) {
    case VideoCodec::mpeg2:
      return mpeg2_start_code(value);
    case VideoCodec::hevc:
      return hevc_start_code(value);
    default:
      if ((value & 0x1F) == 6) {
        sei_ = Sei::type;
        sei_type_ = 0;
      }
      return h264_start_code(value);
  }
}

/// SEI messages (ISO/IEC 14496-10 §7.3.2.3.1): payloadType and payloadSize, each as a series of 0xFF bytes and a last
/// byte. Only small messages matter here. Emulation prevention bytes inside larger ones may be miscounted, but the next
/// start code ends the walk in any case.
Verdict RandomAccessDetector::sei_byte(std::uint8_t value) {
  constexpr std::size_t kRecoveryPoint = 6;
  switch (sei_) {
    case Sei::type:
      sei_type_ += value;
      if (value != 0xFF) {
        sei_ = Sei::size;
        sei_left_ = 0;
      }
      break;
    case Sei::size:
      sei_left_ += value;
      if (value == 0xFF) break;
      if (std::exchange(sei_type_, 0) == kRecoveryPoint) return Verdict::yes;
      sei_ = sei_left_ == 0 ? Sei::type : Sei::body;
      break;
    case Sei::body:
      if (--sei_left_ == 0) sei_ = Sei::type;
      break;
    case Sei::none:
      break;
  }
  return Verdict::undecided;
}

}  // namespace receiverd::dvb
