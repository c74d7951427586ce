#include "dvb/si/elementary_stream.h"

#include <algorithm>
#include <iterator>

#include "dvb/si/descriptor_tags.h"
#include "epg/atsc/ac3_audio.h"
#include "wire/descriptors.h"

namespace receiverd::dvb {
namespace {

/// descriptor_tag_extension (EN 300 468 table 109).
namespace extension {
constexpr std::uint8_t kSupplementaryAudio = 0x06;
constexpr std::uint8_t kDtsHd = 0x0E;
constexpr std::uint8_t kDtsNeural = 0x0F;
constexpr std::uint8_t kAc4 = 0x15;
constexpr std::uint8_t kTtmlSubtitling = 0x20;
}  // namespace extension

/// By Codec.
constexpr std::string_view kCodecNames[] = {
    "data", "MPEG-1", "MPEG-2", "MPEG-4 Visual", "H.264",         "HEVC",           "VVC",     "AV1",  "VC-1", "AVS",
    "AVS2", "AVS3",   "MPEG",   "AAC",           "HE-AAC",        "AC-3",           "E-AC-3",  "AC-4", "DTS",  "DTS-HD",
    "LPCM", "DRA",    "Opus",   "MPEG-H",        "DVB subtitles", "TTML subtitles", "Teletext"};
static_assert(std::size(kCodecNames) == static_cast<std::size_t>(Codec::teletext) + 1);

StreamKind kind_of(Codec codec) {
  if (codec == Codec::unknown) return StreamKind::data;
  if (codec <= Codec::avs3) return StreamKind::video;
  if (codec <= Codec::mpegh_audio) return StreamKind::audio;
  return codec == Codec::teletext ? StreamKind::teletext : StreamKind::subtitle;
}

template <typename Key>
struct KnownCodec {
  Key key;
  Codec codec;
};

constexpr std::uint8_t kAtscAc3Stream = 0x81;
constexpr std::uint8_t kAtscEac3Stream = 0x87;

/// By stream_type alone (ISO/IEC 13818-1 table 2-34; from 0x80 the values used by ATSC and the AVS family).
constexpr KnownCodec<std::uint8_t> kByStreamType[] = {
    {0x01, Codec::mpeg1_video}, {0x02, Codec::mpeg2_video}, {0x03, Codec::mpeg_audio}, {0x04, Codec::mpeg_audio},
    {0x0F, Codec::aac},         {0x10, Codec::mpeg4_video}, {0x11, Codec::he_aac},     {0x1B, Codec::h264},
    {0x1C, Codec::aac},         {0x20, Codec::h264},        {0x24, Codec::hevc},       {0x25, Codec::hevc},
    {0x2D, Codec::mpegh_audio}, {0x2E, Codec::mpegh_audio}, {0x33, Codec::vvc},        {0x42, Codec::cavs},
    {0x81, Codec::ac3},         {0x87, Codec::eac3},        {0xD2, Codec::avs2},       {0xD4, Codec::avs3},
    {0xEA, Codec::vc1}};

/// By format_identifier of the registration_descriptor (ISO/IEC 13818-1 §2.6.8), from the SMPTE registry. BSSD is SMPTE
/// 302M.
constexpr KnownCodec<std::string_view> kByRegistration[] = {
    {"AC-3", Codec::ac3}, {"EAC3", Codec::eac3}, {"AC-4", Codec::ac4},  {"DTS1", Codec::dts},
    {"DTS2", Codec::dts}, {"DTS3", Codec::dts},  {"Opus", Codec::opus}, {"BSSD", Codec::lpcm},
    {"DRA1", Codec::dra}, {"HEVC", Codec::hevc}, {"VC-1", Codec::vc1},  {"AV01", Codec::av1}};

template <typename Key, std::size_t kCount>
Codec find_codec(const KnownCodec<Key> (&known)[kCount], Key key) {
  const auto found = std::ranges::find(known, key, &KnownCodec<Key>::key);
  return found != std::end(known) ? found->codec : Codec::unknown;
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

/// component_type of AC-3 (EN 300 468 Annex D): service_type_flags in bits 5..3.
void set_ac3_purpose(std::uint8_t component_type, ElementaryStream& stream) {
  if (stream.purpose != AudioPurpose::main) return;
  using enum AudioPurpose;
  constexpr AudioPurpose kPurposes[] = {main, clean_effects, visually_impaired, hearing_impaired, main, commentary,
                                        main, main};
  stream.purpose = kPurposes[component_type >> 3 & 7];
}

/// The (enhanced) AC-3 descriptor.
void read_ac3_purpose(wire::Bytes body, ElementaryStream& stream) {
  wire::Cursor cursor(body);
  const bool has_component_type = (cursor.u8() & 0x80) != 0;
  const std::uint8_t component_type = cursor.u8();
  if (cursor.ok() && has_component_type) set_ac3_purpose(component_type, stream);
}

void set_atsc_audio(const std::optional<epg::Ac3Audio>& audio, ElementaryStream& stream) {
  if (!audio) return;
  set_ac3_purpose(audio->component_type, stream);
  if (stream.language.empty()) stream.language = epg::language_text(audio->language);
}

/// §6.4.11, after descriptor_tag_extension.
void read_supplementary_audio(wire::Cursor cursor, ElementaryStream& stream) {
  const std::uint8_t flags = cursor.u8();
  if (!cursor.ok()) return;
  const unsigned classification = flags >> 2 & 0x1F;
  // 3: spoken subtitles.
  if (classification == 1 || classification == 3) stream.purpose = AudioPurpose::visually_impaired;
  if (classification == 2) stream.purpose = AudioPurpose::hearing_impaired;
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

std::string_view codec_name(Codec codec) { return kCodecNames[static_cast<std::size_t>(codec)]; }

ElementaryStream describe_stream(const Pmt::Stream& source) {
  ElementaryStream stream;
  stream.pid = source.pid;
  stream.stream_type = source.stream_type;
  stream.codec = find_codec(kByStreamType, source.stream_type);
  // Private data in PES packets gets its type from descriptors; for other stream types the stream_type is enough.
  const bool is_private = source.stream_type == 0x06 || (source.stream_type >= 0x80 && stream.codec == Codec::unknown);
  const auto be = [&](Codec codec) {
    if (is_private) stream.codec = codec;
  };
  wire::DescriptorLoop loop(source.descriptors);
  for (wire::Descriptor descriptor; loop.next(descriptor);) {
    const wire::Bytes body = descriptor.body;
    switch (descriptor.tag) {
      case tag::kRegistration:
        if (stream.codec == Codec::unknown) {
          be(find_codec(kByRegistration, wire::text_of(body.first(std::min<std::size_t>(body.size(), 4)))));
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
        be(Codec::teletext);
        read_teletext(body, stream);
        break;
      case tag::kSubtitling:
        be(Codec::dvb_subtitle);
        read_subtitling(body, stream);
        break;
      case tag::kAc3:
      case tag::kEnhancedAc3:
        be(descriptor.tag == tag::kAc3 ? Codec::ac3 : Codec::eac3);
        read_ac3_purpose(body, stream);
        break;
      case tag::kAtscAc3:
        if (stream.stream_type == kAtscAc3Stream) set_atsc_audio(epg::read_ac3_audio(body), stream);
        break;
      case tag::kAtscEac3:
        if (stream.stream_type == kAtscEac3Stream) set_atsc_audio(epg::read_eac3_audio(body), stream);
        break;
      case tag::kDts:
        be(Codec::dts);
        break;
      case tag::kAac:
        be(Codec::aac);
        break;
      case tag::kExtension: {
        wire::Cursor cursor(body);
        switch (cursor.u8()) {
          case extension::kSupplementaryAudio:
            read_supplementary_audio(cursor, stream);
            break;
          case extension::kDtsHd:
          case extension::kDtsNeural:
            be(Codec::dts_hd);
            break;
          case extension::kAc4:
            be(Codec::ac4);
            break;
          case extension::kTtmlSubtitling:
            be(Codec::ttml_subtitle);
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
  stream.kind = kind_of(stream.codec);
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
