// Describes one stream of a PMT: kind, codec, language and the details from its descriptors (EN 300 468 §6.2, Annex D;
// ISO/IEC 13818-1 §2.6 and table 2-34).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dvb/si/tables.h"

namespace receiverd::dvb {

enum class StreamKind : std::uint8_t { video, audio, subtitle, teletext, data };

/// A codec, grouped in this order: video, audio, subtitles, teletext. codec_name() returns the name users know
/// ("H.264", "AC-3"), or "data" for `unknown`.
enum class Codec : std::uint8_t {
  unknown,
  mpeg1_video,
  mpeg2_video,
  mpeg4_video,
  h264,
  hevc,
  vvc,
  av1,
  vc1,
  cavs,
  avs2,
  avs3,
  mpeg_audio,
  aac,
  he_aac,
  ac3,
  eac3,
  ac4,
  dts,
  dts_hd,
  lpcm,
  dra,
  opus,
  mpegh_audio,
  dvb_subtitle,
  ttml_subtitle,
  teletext,
};
std::string_view codec_name(Codec codec);

/// The audience of an audio stream (ISO 639 audio_type, supplementary audio descriptor §6.4.11).
enum class AudioPurpose : std::uint8_t { main, clean_effects, hearing_impaired, visually_impaired, commentary };

/// One entry of a teletext_descriptor (§6.2.43) or a subtitling_descriptor (§6.2.41).
struct SubtitlePage {
  std::string language;
  /// Teletext: 1 initial page, 2 subtitle, 3 additional information, 4 programme schedule, 5 hard of hearing subtitle.
  /// DVB subtitles: 0x10..0x16 and 0x20..0x26 (hard of hearing), the aspect ratio in the low digit.
  std::uint8_t type = 0;
  std::uint16_t page = 0;       ///< teletext: 100..899; DVB subtitles: composition_page_id
  std::uint16_t ancillary = 0;  ///< DVB subtitles only
  bool hearing_impaired = false;
  bool operator==(const SubtitlePage&) const = default;
};

struct ElementaryStream {
  std::uint16_t pid = 0;
  std::uint8_t stream_type = 0;
  StreamKind kind = StreamKind::data;
  Codec codec = Codec::unknown;
  std::string language;  ///< ISO 639-2, lower-cased; empty if unknown. Two for dual mono: "deu/eng"
  AudioPurpose purpose = AudioPurpose::main;
  int component_tag = -1;                    ///< stream_identifier_descriptor 0x52; -1 none
  std::vector<SubtitlePage> pages;           ///< of a teletext or subtitle stream
  std::vector<std::uint16_t> ca_system_ids;  ///< of the CA descriptors of this stream only
  bool operator==(const ElementaryStream&) const = default;
};

ElementaryStream describe_stream(const Pmt::Stream& stream);

/// CA_system_IDs of a loop (CA_descriptor 0x09), each once, in order of appearance.
std::vector<std::uint16_t> read_ca_system_ids(wire::Bytes descriptors);

}  // namespace receiverd::dvb
