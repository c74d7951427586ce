#include "demo/lineup.h"

namespace receiverd::demo {
namespace {

// Component types: video 0x03 is SD 16:9 at 25 Hz, 0x0B HD 16:9 at 25 Hz, HEVC 0x00 HD. Audio: 1 mono, 3 stereo; AC-3
// 0x42 stereo. Subtitles 0x12: for 16:9.
constexpr StreamEntry kAldermoor[] = {{0x0111, Coding::h264, 0x03}, {0x0112, Coding::aac, 3, "eng"}};
constexpr StreamEntry kTalblick[] = {{0x0121, Coding::h264, 0x0B}, {0x0122, Coding::aac, 3, "deu"}};
constexpr StreamEntry kOree[] = {{0x0131, Coding::h264, 0x03},
                                 {0x0132, Coding::aac, 3, "fra"},
                                 {0x0133, Coding::aac, 3, "eng"},
                                 {0x0134, Coding::ac3, 0x42, "fra", 384},
                                 {0x0135, Coding::subtitles, 0x12, "fra"}};
constexpr StreamEntry kBrincolin[] = {{0x0141, Coding::h264, 0x03}, {0x0142, Coding::aac, 3, "spa"}};
constexpr StreamEntry kClunek[] = {{0x0151, Coding::hevc, 0x00}, {0x0152, Coding::aac, 3, "ces"}};
constexpr StreamEntry kPelagos[] = {{0x0161, Coding::h264, 0x03}, {0x0162, Coding::aac, 1, "ell"}};
constexpr StreamEntry kOzhyna[] = {{0x0172, Coding::mp2, 3, "ukr", 192}};
constexpr StreamEntry kCinaralti[] = {{0x0182, Coding::mp2, 1, "tur", 144}};

using epg::CharacterTable;
using namespace service_type;

constexpr LineupEntry kLineup[] = {
    {0x0D11, 1, kTelevision, "Aldermoor One", "Aldermoor Television", "eng", "GBR", CharacterTable::iso6937,
     "aldermoor-one", 0x0110, kAldermoor},
    {0x0D12, 2, kHdTelevision, "Talblick 24", "Talblick Medien Süd", "deu", "DEU", CharacterTable::iso6937,
     "talblick-24", 0x0120, kTalblick},
    {0x0D13, 3, kTelevision, "Canal Orée", "Orée Télévision", "fra", "FRA", CharacterTable::iso8859_15, "canal-oree",
     0x0130, kOree},
    {0x0D14, 4, kTelevision, "Brincolín", "Grupo Ventolera", "spa", "ESP", CharacterTable::utf8, "brincolin", 0x0140,
     kBrincolin},
    {0x0D15, 5, kHevcTelevision, "Člunek", "Člunek Média", "ces", "CZE", CharacterTable::utf16be, "clunek", 0x0150,
     kClunek},
    {0x0D16, 6, kTelevision, "Πέλαγος Σπορ", "Πέλαγος Τηλεόραση", "ell", "GRC", CharacterTable::iso8859_7,
     "pelagos-spor", 0x0160, kPelagos},
    {0x0D21, 101, kRadio, "Радіо Ожина", "Ожина Медіа", "ukr", "UKR", CharacterTable::iso8859_5, "radio-ozhyna", 0x0170,
     kOzhyna},
    {0x0D22, 102, kRadio, "Radyo Çınaraltı", "Çınaraltı Yayıncılık", "tur", "TUR", CharacterTable::iso8859_9,
     "radyo-cinaralti", 0x0180, kCinaralti},
};

// Video and subtitle loops last one minute. Audio frames have 1024, 1536 and 1152 samples at 48 kHz. stream_id 0xE0 is
// video, 0xC0 MPEG audio, 0xBD private.
constexpr CodingTraits kTraits[] = {
    {"h264", 0x1B, 0xE0, 0xF5, 3'600, 1500}, {"hevc", 0x24, 0xE0, 0x09, 3'600, 1500},
    {"aac", 0x0F, 0xC0, 0xF6, 1'920},        {"ac3", 0x06, 0xBD, 0xF4, 2'880},
    {"mp2", 0x03, 0xC0, 0xF2, 2'160},        {"sub", 0x06, 0xBD, 0xF3, 450'000, 12},
};

}  // namespace

std::span<const LineupEntry> lineup() { return kLineup; }

const CodingTraits& traits(Coding coding) { return kTraits[static_cast<std::size_t>(coding)]; }

}  // namespace receiverd::demo
