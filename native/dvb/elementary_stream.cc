#include "dvb/elementary_stream.h"

#include <algorithm>

#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

namespace tag {
constexpr std::uint8_t kRegistration = 0x05;
constexpr std::uint8_t kCa = 0x09;
constexpr std::uint8_t kLanguage = 0x0A;
constexpr std::uint8_t kStreamIdentifier = 0x52;
constexpr std::uint8_t kTeletext = 0x56;
constexpr std::uint8_t kVbiTeletext = 0x46;
constexpr std::uint8_t kSubtitling = 0x59;
constexpr std::uint8_t kAc3 = 0x6A;
constexpr std::uint8_t kEnhancedAc3 = 0x7A;
constexpr std::uint8_t kDts = 0x7B;
constexpr std::uint8_t kAac = 0x7C;
constexpr std::uint8_t kExtension = 0x7F;
}  // namespace tag

/// descriptor_tag_extension (EN 300 468 table 109).
namespace extension {
constexpr std::uint8_t kSupplementaryAudio = 0x06;
constexpr std::uint8_t kDtsHd = 0x0E;
constexpr std::uint8_t kDtsNeural = 0x0F;
constexpr std::uint8_t kAc4 = 0x15;
constexpr std::uint8_t kTtmlSubtitling = 0x20;
}  // namespace extension

struct KindAndCodec {
  StreamKind kind = StreamKind::data;
  Codec codec = Codec::unknown;
};

/// By stream_type alone (ISO/IEC 13818-1 table 2-34; from 0x80 the values used by ATSC and the AVS family).
KindAndCodec by_stream_type(std::uint8_t stream_type) {
  switch (stream_type) {
    case 0x01:
      return {StreamKind::video, Codec::mpeg1_video};
    case 0x02:
      return {StreamKind::video, Codec::mpeg2_video};
    case 0x03:
    case 0x04:
      return {StreamKind::audio, Codec::mpeg_audio};
    case 0x0F:
    case 0x1C:
      return {StreamKind::audio, Codec::aac};
    case 0x10:
      return {StreamKind::video, Codec::mpeg4_video};
    case 0x11:
      return {StreamKind::audio, Codec::he_aac};
    case 0x1B:
    case 0x20:
      return {StreamKind::video, Codec::h264};
    case 0x24:
    case 0x25:
      return {StreamKind::video, Codec::hevc};
    case 0x2D:
    case 0x2E:
      return {StreamKind::audio, Codec::mpegh_audio};
    case 0x33:
      return {StreamKind::video, Codec::vvc};
    case 0x42:
      return {StreamKind::video, Codec::cavs};
    case 0x81:
      return {StreamKind::audio, Codec::ac3};
    case 0x87:
      return {StreamKind::audio, Codec::eac3};
    case 0xD2:
      return {StreamKind::video, Codec::avs2};
    case 0xD4:
      return {StreamKind::video, Codec::avs3};
    case 0xEA:
      return {StreamKind::video, Codec::vc1};
    default:
      return {};
  }
}

/// By format_identifier of the registration_descriptor (ISO/IEC 13818-1 §2.6.8), from the SMPTE registry.
KindAndCodec by_registration(wire::Bytes body) {
  const std::uint32_t identifier = wire::Cursor(body).u32();
  switch (identifier) {
    case 0x41432D33:  // AC-3
      return {StreamKind::audio, Codec::ac3};
    case 0x45414333:  // EAC3
      return {StreamKind::audio, Codec::eac3};
    case 0x41432D34:  // AC-4
      return {StreamKind::audio, Codec::ac4};
    case 0x44545331:  // DTS1
    case 0x44545332:  // DTS2
    case 0x44545333:  // DTS3
      return {StreamKind::audio, Codec::dts};
    case 0x4F707573:  // Opus
      return {StreamKind::audio, Codec::opus};
    case 0x42535344:  // BSSD: SMPTE 302M
      return {StreamKind::audio, Codec::lpcm};
    case 0x44524131:  // DRA1
      return {StreamKind::audio, Codec::dra};
    case 0x48455643:  // HEVC
      return {StreamKind::video, Codec::hevc};
    case 0x56432D31:  // VC-1
      return {StreamKind::video, Codec::vc1};
    case 0x41563031:  // AV01
      return {StreamKind::video, Codec::av1};
    default:
      return {};
  }
}

std::string code_of(wire::Bytes bytes) {
  std::string code;
  for (const std::uint8_t byte : bytes) {
    if (byte < 0x20 || byte > 0x7E) return {};
    code.push_back(byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : static_cast<char>(byte));
  }
  return code;
}

/// ISO_639_language_descriptor: one or two languages (dual mono), and the intended audience.
void read_language(wire::Bytes body, ElementaryStream& stream) {
  wire::Cursor cursor(body);
  for (int number = 0; number < 2 && cursor.left() >= 4; ++number) {
    const std::string code = code_of(cursor.take(3));
    const std::uint8_t audio_type = cursor.u8();
    if (number == 0) {
      stream.language = code;
      if (audio_type >= 1 && audio_type <= 3) stream.purpose = static_cast<AudioPurpose>(audio_type);
    } else if (!code.empty() && code != stream.language) {
      stream.language += '/' + code;
    }
  }
}

/// component_type of the (enhanced) AC-3 descriptor (EN 300 468 Annex D): service_type_flags in bits 5..3.
void read_ac3_purpose(wire::Bytes body, ElementaryStream& stream) {
  wire::Cursor cursor(body);
  const bool has_component_type = (cursor.u8() & 0x80) != 0;
  const std::uint8_t component_type = cursor.u8();
  if (!cursor.ok() || !has_component_type || stream.purpose != AudioPurpose::main) return;
  switch (component_type >> 3 & 7) {
    case 1:
      stream.purpose = AudioPurpose::clean_effects;
      break;
    case 2:
      stream.purpose = AudioPurpose::visually_impaired;
      break;
    case 3:
      stream.purpose = AudioPurpose::hearing_impaired;
      break;
    case 5:
      stream.purpose = AudioPurpose::commentary;
      break;
    default:
      break;
  }
}

/// §6.4.11, after descriptor_tag_extension.
void read_supplementary_audio(wire::Cursor cursor, ElementaryStream& stream) {
  const std::uint8_t flags = cursor.u8();
  if (!cursor.ok()) return;
  switch (flags >> 2 & 0x1F) {
    case 1:
    case 3:  // spoken subtitles
      stream.purpose = AudioPurpose::visually_impaired;
      break;
    case 2:
      stream.purpose = AudioPurpose::hearing_impaired;
      break;
    default:
      break;
  }
  if ((flags & 1) == 0) return;
  const std::string code = code_of(cursor.take(3));
  if (cursor.ok() && stream.language.empty()) stream.language = code;
}

void read_teletext(wire::Bytes body, ElementaryStream& stream) {
  for (wire::Cursor cursor(body); cursor.left() >= 5;) {
    SubtitlePage page;
    page.language = code_of(cursor.take(3));
    const std::uint8_t type_and_magazine = cursor.u8();
    const std::uint8_t number = cursor.u8();
    const int magazine = (type_and_magazine & 7) == 0 ? 8 : type_and_magazine & 7;
    page.type = type_and_magazine >> 3;
    page.page = static_cast<std::uint16_t>(magazine * 100 + (number >> 4) * 10 + (number & 0xF));
    page.hearing_impaired = page.type == 5;
    stream.pages.push_back(std::move(page));
  }
}

void read_subtitling(wire::Bytes body, ElementaryStream& stream) {
  for (wire::Cursor cursor(body); cursor.left() >= 8;) {
    SubtitlePage page;
    page.language = code_of(cursor.take(3));
    page.type = cursor.u8();
    page.page = cursor.u16();
    page.ancillary = cursor.u16();
    page.hearing_impaired = page.type >= 0x20 && page.type <= 0x26;
    stream.pages.push_back(std::move(page));
  }
}

}  // namespace

std::string_view codec_name(Codec codec) {
  switch (codec) {
    case Codec::unknown:
      return "data";
    case Codec::mpeg1_video:
      return "MPEG-1";
    case Codec::mpeg2_video:
      return "MPEG-2";
    case Codec::mpeg4_video:
      return "MPEG-4 Visual";
    case Codec::h264:
      return "H.264";
    case Codec::hevc:
      return "HEVC";
    case Codec::vvc:
      return "VVC";
    case Codec::av1:
      return "AV1";
    case Codec::vc1:
      return "VC-1";
    case Codec::cavs:
      return "AVS";
    case Codec::avs2:
      return "AVS2";
    case Codec::avs3:
      return "AVS3";
    case Codec::mpeg_audio:
      return "MPEG";
    case Codec::aac:
      return "AAC";
    case Codec::he_aac:
      return "HE-AAC";
    case Codec::ac3:
      return "AC-3";
    case Codec::eac3:
      return "E-AC-3";
    case Codec::ac4:
      return "AC-4";
    case Codec::dts:
      return "DTS";
    case Codec::dts_hd:
      return "DTS-HD";
    case Codec::lpcm:
      return "LPCM";
    case Codec::dra:
      return "DRA";
    case Codec::opus:
      return "Opus";
    case Codec::mpegh_audio:
      return "MPEG-H";
    case Codec::dvb_subtitle:
      return "DVB subtitles";
    case Codec::ttml_subtitle:
      return "TTML subtitles";
    case Codec::teletext:
      return "Teletext";
  }
  return "data";
}

ElementaryStream describe_stream(const Pmt::Stream& source) {
  ElementaryStream stream;
  stream.pid = source.pid;
  stream.stream_type = source.stream_type;
  KindAndCodec what = by_stream_type(source.stream_type);
  // The descriptors of private data in PES packets define its type. Other stream types speak for themselves.
  const bool is_private = source.stream_type == 0x06 || (source.stream_type >= 0x80 && what.codec == Codec::unknown);
  const auto be = [&what, is_private](StreamKind kind, Codec codec) {
    if (is_private) what = {kind, codec};
  };
  wire::DescriptorLoop loop(source.descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    const wire::Bytes body = descriptor.body;
    switch (descriptor.tag) {
      case tag::kRegistration:
        if (const KindAndCodec registered = by_registration(body);
            registered.codec != Codec::unknown && what.codec == Codec::unknown) {
          be(registered.kind, registered.codec);
        }
        break;
      case tag::kLanguage:
        read_language(body, stream);
        break;
      case tag::kStreamIdentifier:
        if (!body.empty()) stream.component_tag = body[0];
        break;
      case tag::kTeletext:
      case tag::kVbiTeletext:
        be(StreamKind::teletext, Codec::teletext);
        read_teletext(body, stream);
        break;
      case tag::kSubtitling:
        be(StreamKind::subtitle, Codec::dvb_subtitle);
        read_subtitling(body, stream);
        break;
      case tag::kAc3:
        be(StreamKind::audio, Codec::ac3);
        read_ac3_purpose(body, stream);
        break;
      case tag::kEnhancedAc3:
        be(StreamKind::audio, Codec::eac3);
        read_ac3_purpose(body, stream);
        break;
      case tag::kDts:
        be(StreamKind::audio, Codec::dts);
        break;
      case tag::kAac:
        be(StreamKind::audio, Codec::aac);
        break;
      case tag::kExtension: {
        wire::Cursor cursor(body);
        switch (cursor.u8()) {
          case extension::kSupplementaryAudio:
            read_supplementary_audio(cursor, stream);
            break;
          case extension::kDtsHd:
          case extension::kDtsNeural:
            be(StreamKind::audio, Codec::dts_hd);
            break;
          case extension::kAc4:
            be(StreamKind::audio, Codec::ac4);
            break;
          case extension::kTtmlSubtitling:
            be(StreamKind::subtitle, Codec::ttml_subtitle);
            if (stream.language.empty()) stream.language = code_of(cursor.take(3));
            break;
          default:
            break;
        }
        break;
      }
      default:
        break;
    }
  }
  stream.kind = what.kind;
  stream.codec = what.codec;
  if (stream.language.empty() && !stream.pages.empty()) stream.language = stream.pages.front().language;
  if (stream.kind != StreamKind::audio) stream.purpose = AudioPurpose::main;
  stream.ca_system_ids = read_ca_system_ids(source.descriptors);
  return stream;
}

std::vector<std::uint16_t> read_ca_system_ids(wire::Bytes descriptors) {
  std::vector<std::uint16_t> ids;
  wire::DescriptorLoop loop(descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    if (descriptor.tag != tag::kCa || descriptor.body.size() < 4) continue;
    const std::uint16_t id = wire::Cursor(descriptor.body).u16();
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

}  // namespace receiverd::dvb
