// Tests of describing the streams of a PMT: kind, codec, language, subtitle pages, and channel numbers.
#include "dvb/si/elementary_stream.h"

#include <doctest/doctest.h>

#include <initializer_list>

#include "dvb/arbitrary.h"
#include "dvb/si/delivery_system.h"
#include "dvb/si/service_description.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

Pmt::Stream stream_of(std::uint8_t stream_type, std::initializer_list<std::uint8_t> descriptors = {}) {
  return {stream_type, 0x100, Section(descriptors)};
}

struct Expected {
  Pmt::Stream stream;
  StreamKind kind;
  Codec codec;
};

}  // namespace

TEST_CASE("Language and audience of AC-3 and E-AC-3 in ATSC") {
  const auto described = [](std::uint8_t type, std::vector<std::uint8_t> loop) {
    return describe_stream({type, 0x34, std::move(loop)});
  };
  const std::vector<std::uint8_t> impaired{0x81, 10, 0x08, 0x38, 0x4D, 0xFF, 0x0F, 0x01, 0xBF, 'e', 'n', 'g'};
  CHECK(described(0x81, impaired).codec == Codec::ac3);
  CHECK(described(0x81, impaired).language == "eng");
  CHECK(described(0x81, impaired).purpose == AudioPurpose::visually_impaired);
  CHECK(described(0x81, {0x81, 3, 0x08, 0x38, 0x0D}).purpose == AudioPurpose::main);
  CHECK(described(0x81, {0x81, 2, 0x08, 0x38}).language.empty());
  CHECK(described(0x06, impaired).language.empty());

  // Of the optional bytes, mainid and the first substream are sent.
  const std::vector<std::uint8_t> enhanced{0xCC, 8, 0xE4, 0xD2, 0xB0, 0xE8, 0x00, 'f', 'r', 'a'};
  CHECK(described(0x87, enhanced).codec == Codec::eac3);
  CHECK(described(0x87, enhanced).language == "fra");
  CHECK(described(0x87, enhanced).purpose == AudioPurpose::visually_impaired);
  CHECK(described(0x87, {0xCC, 6, 0xC0, 0xC4, 0x30, 'f', 'r', 'a'}).language.empty());
  CHECK(described(0x87, {0xCC, 2, 0xC0, 0xD2}).purpose == AudioPurpose::main);
  CHECK(described(0x87, {0xCC, 4, 0xC0, 0xC4, 0xB0, 'f'}).language.empty());
  CHECK(described(0x81, enhanced).language.empty());
}

TEST_CASE("kind and codec by stream_type, and by descriptors where the type is private") {
  const Expected all[] = {
      {stream_of(0x01), StreamKind::video, Codec::mpeg1_video},
      {stream_of(0x02), StreamKind::video, Codec::mpeg2_video},
      {stream_of(0x1B), StreamKind::video, Codec::h264},
      {stream_of(0x24), StreamKind::video, Codec::hevc},
      {stream_of(0x03), StreamKind::audio, Codec::mpeg_audio},
      {stream_of(0x04), StreamKind::audio, Codec::mpeg_audio},
      {stream_of(0x0F), StreamKind::audio, Codec::aac},
      {stream_of(0x11), StreamKind::audio, Codec::he_aac},
      {stream_of(0x81), StreamKind::audio, Codec::ac3},
      {stream_of(0x05), StreamKind::data, Codec::unknown},
      {stream_of(0x0B), StreamKind::data, Codec::unknown},
      {stream_of(0x06), StreamKind::data, Codec::unknown},
      {stream_of(0x06, {0x6A, 1, 0}), StreamKind::audio, Codec::ac3},
      {stream_of(0x06, {0x7A, 1, 0}), StreamKind::audio, Codec::eac3},
      {stream_of(0x06, {0x7B, 0}), StreamKind::audio, Codec::dts},
      {stream_of(0x06, {0x7C, 1, 0x51}), StreamKind::audio, Codec::aac},
      {stream_of(0x06, {0x7F, 1, 0x15}), StreamKind::audio, Codec::ac4},
      {stream_of(0x06, {0x7F, 1, 0x0E}), StreamKind::audio, Codec::dts_hd},
      {stream_of(0x06, {0x56, 0}), StreamKind::teletext, Codec::teletext},
      {stream_of(0x06, {0x59, 0}), StreamKind::subtitle, Codec::dvb_subtitle},
      {stream_of(0x06, {0x05, 4, 'H', 'E', 'V', 'C'}), StreamKind::video, Codec::hevc},
      {stream_of(0x06, {0x05, 4, 'O', 'p', 'u', 's'}), StreamKind::audio, Codec::opus},
      {stream_of(0x06, {0x05, 4, 'A', 'C', '-', '3', 0x7A, 1, 0}), StreamKind::audio, Codec::eac3},
      {stream_of(0x83, {0x6A, 1, 0}), StreamKind::audio, Codec::ac3},
      {stream_of(0x1B, {0x6A, 1, 0}), StreamKind::video, Codec::h264},
  };
  for (const Expected& expected : all) {
    const ElementaryStream stream = describe_stream(expected.stream);
    CAPTURE(static_cast<int>(expected.stream.stream_type));
    CAPTURE(codec_name(expected.codec));
    CHECK(stream.kind == expected.kind);
    CHECK(stream.codec == expected.codec);
  }
}

TEST_CASE("language, purpose, component tag and conditional access") {
  const ElementaryStream dual =
      describe_stream(stream_of(0x04, {0x0A, 8, 'D', 'E', 'U', 0, 'e', 'n', 'g', 0, 0x52, 1, 7}));
  CHECK(dual.language == "deu/eng");
  CHECK(dual.component_tag == 7);
  CHECK(describe_stream(stream_of(0x04, {0x0A, 4, 'e', 'n', 'g', 3})).purpose == AudioPurpose::visually_impaired);
  CHECK(describe_stream(stream_of(0x06, {0x6A, 2, 0x80, 0x58})).purpose == AudioPurpose::hearing_impaired);
  const ElementaryStream supplementary = describe_stream(stream_of(0x04, {0x7F, 5, 0x06, 0x05, 'f', 'r', 'a'}));
  CHECK(supplementary.purpose == AudioPurpose::visually_impaired);
  CHECK(supplementary.language == "fra");
  const ElementaryStream scrambled =
      describe_stream(stream_of(0x1B, {0x09, 4, 0x06, 0x04, 0xE1, 0x00, 0x09, 4, 0x18, 0x30, 0xE1, 0x01, 0x09, 1, 6}));
  CHECK(scrambled.ca_system_ids == std::vector<std::uint16_t>{0x0604, 0x1830});
}

TEST_CASE("teletext and subtitle pages are listed") {
  const ElementaryStream teletext =
      describe_stream(stream_of(0x06, {0x56, 10, 'd', 'e', 'u', 0x09, 0x00, 'd', 'e', 'u', 0x10, 0x88}));
  REQUIRE(teletext.pages.size() == 2);
  CHECK(teletext.pages[0] == SubtitlePage{"deu", 1, 100, 0, false});
  CHECK(teletext.pages[1] == SubtitlePage{"deu", 2, 888, 0, false});
  CHECK(teletext.language == "deu");
  const ElementaryStream subtitle = describe_stream(stream_of(0x06, {0x59, 8, 'n', 'o', 'r', 0x24, 0, 2, 0, 3}));
  REQUIRE(subtitle.pages.size() == 1);
  CHECK(subtitle.pages[0] == SubtitlePage{"nor", 0x24, 2, 3, true});
}

TEST_CASE("random descriptor loops do not crash") {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    Arbitrary any(seed);
    Section loop;
    constexpr std::uint8_t kTags[] = {0x05, 0x09, 0x0A, 0x40, 0x41, 0x43, 0x44, 0x48, 0x52, 0x56, 0x59,
                                      0x5A, 0x5F, 0x6A, 0x73, 0x79, 0x7A, 0x7F, 0x83, 0x87, 0x88};
    for (std::uint32_t count = any.below(6); count > 0; --count) {
      const Section body = any.bytes(30);
      loop.push_back(kTags[any.below(std::size(kTags))]);
      loop.push_back(static_cast<std::uint8_t>(body.size() + (any.below(8) == 0 ? 1 : 0)));
      loop.insert(loop.end(), body.begin(), body.end());
    }
    describe_stream({static_cast<std::uint8_t>(any.coin() ? 0x06 : any.u8()), 0x100, loop});
    describe_service(loop);
    read_network_name(loop);
    find_delivery_system(loop);
    CHECK(read_logical_channels(loop).size() <= loop.size());
  }
}

TEST_CASE("channel numbers follow the private data specifier") {
  const Section eacem{0x5F, 4, 0, 0, 0, 0x28, 0x83, 4, 0, 1, 0xFC, 5};
  CHECK(read_logical_channels(eacem) == std::vector<LogicalChannel>{{1, true, 5}});
  const Section nordig{0x5F, 4, 0, 0, 0, 0x29, 0x83, 4, 0, 1, 0x84, 0xD2};
  CHECK(read_logical_channels(nordig) == std::vector<LogicalChannel>{{1, true, 1234}});
  const Section nordig2{0x5F, 4, 0, 0, 0, 0x29, 0x87, 14, 1, 3, 'L', 'c', 'n', 's', 'w', 'e', 4, 0, 9, 0x7C, 7, 0};
  CHECK(read_logical_channels(nordig2) == std::vector<LogicalChannel>{{9, false, 7}});
  const Section movistar{0x82, 4, 0, 1, 0xFC, 6, 0x5F, 4, 0, 0, 0, 9, 0x82, 4, 0, 2, 0xFC, 7};
  CHECK(read_logical_channels(movistar) == std::vector<LogicalChannel>{{1, true, 6}});
  const Section simulcast{0x83, 4, 0, 1, 0xFC, 5, 0x88, 4, 0, 1, 0xFC, 105};
  CHECK(read_logical_channels(simulcast) == std::vector<LogicalChannel>{{1, true, 5, 105}});
}

TEST_CASE("the channel number for all regions comes before the number of one region") {
  const auto sky = [](std::uint8_t region, std::uint8_t number) {
    return Section{0x5F, 4, 0, 0, 0, 2, 0xB1, 11, 0, region, 0, 1, 25, 1, 2, 0, number, 0, 0};
  };
  Section both = sky(7, 103);
  const Section everywhere = sky(0xFF, 101);
  both.insert(both.end(), everywhere.begin(), everywhere.end());
  CHECK(read_logical_channels(both) == std::vector<LogicalChannel>{{1, true, 101}, {1, true, 103}});
  const Section none{0x5F, 4, 0, 0, 0, 2, 0xB1, 11, 0, 1, 0, 1, 25, 1, 2, 0xFF, 0xFF, 0, 0};
  CHECK(read_logical_channels(none).empty());

  const Section freesat{0x5F, 4, 'F', 'S', 'A', 'T', 0xD3, 13, 0, 1, 1, 2, 8, 0xF0, 101, 0, 9, 0xF0, 102, 0xFF, 0xFF};
  CHECK(read_logical_channels(freesat) == std::vector<LogicalChannel>{{1, true, 102}, {1, true, 101}});
}
