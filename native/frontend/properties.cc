#include "frontend/properties.h"

#include <linux/dvb/frontend.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace receiverd::frontend {

namespace {

using dvb::Transponder;

/// API versions that introduced DTV_LNA and DTV_SCRAMBLING_SEQUENCE_INDEX: older kernels refuse to tune if a property
/// is unknown to them.
constexpr std::uint32_t kLnaSince = 0x509;
constexpr std::uint32_t kScramblingSince = 0x50B;

using Properties = std::vector<Property>;
using Variants = std::vector<Properties>;

/// The entry for lamedb's number, else `otherwise`: files may contain any number.
template <std::size_t Size>
std::uint32_t at(const std::array<std::uint32_t, Size>& table, std::int32_t number, std::uint32_t otherwise) {
  return number >= 0 && static_cast<std::size_t>(number) < Size ? table[static_cast<std::size_t>(number)] : otherwise;
}

constexpr std::array<std::uint32_t, 11> kFec = {FEC_AUTO, FEC_1_2, FEC_2_3, FEC_3_4,  FEC_5_6, FEC_7_8,
                                                FEC_8_9,  FEC_3_5, FEC_4_5, FEC_9_10, FEC_6_7};
constexpr std::int32_t kNoFec = 15;
constexpr std::array<std::uint32_t, 10> kCodeRate = {FEC_1_2,  FEC_2_3, FEC_3_4, FEC_5_6, FEC_7_8,
                                                     FEC_AUTO, FEC_6_7, FEC_8_9, FEC_3_5, FEC_4_5};
constexpr std::array<std::uint32_t, 8> kCableModulation = {QAM_AUTO, QAM_16,  QAM_32, QAM_64,
                                                           QAM_128,  QAM_256, VSB_8,  VSB_16};
constexpr std::array<std::uint32_t, 6> kSatelliteModulation = {PSK_8, QPSK, PSK_8, QAM_16, APSK_16, APSK_32};
constexpr std::array<std::uint32_t, 5> kConstellation = {QPSK, QAM_16, QAM_64, QAM_AUTO, QAM_256};
constexpr std::array<std::uint32_t, 7> kBandwidth = {8'000'000, 7'000'000, 6'000'000, 0,
                                                     5'000'000, 1'712'000, 10'000'000};
constexpr std::array<std::uint32_t, 7> kTransmissionMode = {
    TRANSMISSION_MODE_2K, TRANSMISSION_MODE_8K,  TRANSMISSION_MODE_AUTO, TRANSMISSION_MODE_4K,
    TRANSMISSION_MODE_1K, TRANSMISSION_MODE_16K, TRANSMISSION_MODE_32K};
constexpr std::array<std::uint32_t, 8> kGuardInterval = {
    GUARD_INTERVAL_1_32, GUARD_INTERVAL_1_16,  GUARD_INTERVAL_1_8,    GUARD_INTERVAL_1_4,
    GUARD_INTERVAL_AUTO, GUARD_INTERVAL_1_128, GUARD_INTERVAL_19_128, GUARD_INTERVAL_19_256};
constexpr std::array<std::uint32_t, 5> kHierarchy = {HIERARCHY_NONE, HIERARCHY_1, HIERARCHY_2, HIERARCHY_4,
                                                     HIERARCHY_AUTO};
constexpr std::array<std::uint32_t, 3> kInversion = {INVERSION_OFF, INVERSION_ON, INVERSION_AUTO};
constexpr std::array<std::uint32_t, 4> kRollOff = {ROLLOFF_35, ROLLOFF_25, ROLLOFF_20, ROLLOFF_AUTO};
constexpr std::array<std::uint32_t, 3> kPilot = {PILOT_OFF, PILOT_ON, PILOT_AUTO};

class Builder {
 public:
  Builder(const Transponder& transponder, std::span<const std::uint8_t> systems, std::uint32_t api)
      : transponder_(transponder), systems_(systems), api_(api) {}

  Variants variants() const {
    switch (transponder_.kind) {
      case Transponder::Kind::satellite:
        return satellite();
      case Transponder::Kind::terrestrial:
        return terrestrial();
      case Transponder::Kind::cable:
        return cable();
      case Transponder::Kind::atsc:
        return single(transponder_.system == 1 ? SYS_DVBC_ANNEX_B : SYS_ATSC,
                      {{DTV_MODULATION, at(kCableModulation, transponder_.modulation, QAM_AUTO)}});
    }
    return {};
  }

 private:
  bool has(std::uint32_t system) const { return std::ranges::find(systems_, system) != systems_.end(); }
  std::uint32_t fec() const {
    if (transponder_.fec == kNoFec) return FEC_NONE;
    return at(kFec, transponder_.fec, FEC_AUTO);
  }

  Properties complete(std::uint32_t system, const Properties& own) const {
    Properties all = {{DTV_CLEAR, 0},
                      {DTV_DELIVERY_SYSTEM, system},
                      {DTV_FREQUENCY, static_cast<std::uint32_t>(transponder_.frequency)},
                      {DTV_INVERSION, at(kInversion, transponder_.inversion, INVERSION_AUTO)}};
    all.insert(all.end(), own.begin(), own.end());
    // The amplifier at the aerial, if there is one.
    if (transponder_.kind != Transponder::Kind::satellite && api_ >= kLnaSince) all.push_back({DTV_LNA, LNA_AUTO});
    all.push_back({DTV_TUNE, 0});
    return all;
  }

  Variants single(std::uint32_t system, const Properties& own) const {
    return has(system) ? Variants{complete(system, own)} : Variants{};
  }

  Variants satellite() const {
    const bool second = transponder_.system == 1;
    Properties own = {{DTV_SYMBOL_RATE, transponder_.symbol_rate}, {DTV_INNER_FEC, fec()}};
    if (!second) {
      own.insert(own.end(), {{DTV_MODULATION, QPSK}, {DTV_ROLLOFF, ROLLOFF_35}});
      return single(SYS_DVBS, own);
    }
    if (!has(SYS_DVBS2)) return {};
    own.insert(own.end(),
               {{DTV_ROLLOFF, at(kRollOff, transponder_.roll_off, ROLLOFF_AUTO)}, {DTV_STREAM_ID, stream()}});
    if (api_ >= kScramblingSince) own.push_back({DTV_SCRAMBLING_SEQUENCE_INDEX, transponder_.pls_code});
    Variants all;
    for (const std::uint32_t pilot : pilots()) {
      for (const std::uint32_t modulation : modulations()) {
        Properties one = own;
        one.insert(one.end(), {{DTV_MODULATION, modulation}, {DTV_PILOT, pilot}});
        all.push_back(complete(SYS_DVBS2, one));
      }
    }
    return all;
  }

  /// DTV_STREAM_ID. Before API 5.11 it included the scrambling code.
  std::uint32_t stream() const {
    const bool any = transponder_.stream_id >= 0;
    const std::uint32_t stream = any ? static_cast<std::uint32_t>(transponder_.stream_id) : NO_STREAM_ID_FILTER;
    if (api_ >= kScramblingSince || transponder_.pls_code == 0) return stream;
    return (any ? stream & 0xFF : 0) | transponder_.pls_code << 8 | transponder_.pls_mode << 26;
  }

  /// Old demodulators do not detect pilots, and take automatic for none.
  std::vector<std::uint32_t> pilots() const {
    const std::uint32_t pilot = at(kPilot, transponder_.pilot, PILOT_AUTO);
    if (pilot == PILOT_AUTO) return {PILOT_AUTO, PILOT_ON};
    return {pilot};
  }

  std::vector<std::uint32_t> modulations() const {
    if (transponder_.modulation == 0) return {PSK_8, QPSK};
    return {at(kSatelliteModulation, transponder_.modulation, PSK_8)};
  }

  /// Hz. Some demodulators silently refuse 0, which is automatic. VHF channels have 7 MHz, others 8 MHz.
  std::uint32_t bandwidth() const {
    const std::uint32_t known = at(kBandwidth, transponder_.bandwidth, 0);
    constexpr std::uint64_t kEndOfVhf = 300'000'000;
    if (known != 0) return known;
    return transponder_.frequency < kEndOfVhf ? 7'000'000 : 8'000'000;
  }

  Variants terrestrial() const {
    constexpr std::int32_t kEither = -1;
    constexpr std::int32_t kIsdb = 2;
    if (transponder_.system == kIsdb) return single(SYS_ISDBT, isdb());
    Variants all;
    if (transponder_.system != 1 && has(SYS_DVBT)) all.push_back(complete(SYS_DVBT, ofdm(transponder_)));
    if ((transponder_.system == 1 || transponder_.system == kEither) && has(SYS_DVBT2)) {
      const auto with_pipe = [&](std::uint32_t pipe) {
        // Only the bandwidth must be known: the other parameters are signalled (EN 302 755).
        Properties own = ofdm(Transponder{});
        own.push_back({DTV_STREAM_ID, pipe});
        return complete(SYS_DVBT2, own);
      };
      all.push_back(with_pipe(static_cast<std::uint32_t>(transponder_.plp_id)));
      // In files, 0 may also stand for an unknown PLP.
      if (transponder_.plp_id == 0) all.push_back(with_pipe(NO_STREAM_ID_FILTER));
    }
    return all;
  }

  Properties ofdm(const Transponder& parameters) const {
    return {{DTV_BANDWIDTH_HZ, bandwidth()},
            {DTV_MODULATION, at(kConstellation, parameters.constellation, QAM_AUTO)},
            {DTV_CODE_RATE_HP, at(kCodeRate, parameters.code_rate_high, FEC_AUTO)},
            {DTV_CODE_RATE_LP, at(kCodeRate, parameters.code_rate_low, FEC_AUTO)},
            {DTV_TRANSMISSION_MODE, at(kTransmissionMode, parameters.transmission_mode, TRANSMISSION_MODE_AUTO)},
            {DTV_GUARD_INTERVAL, at(kGuardInterval, parameters.guard_interval, GUARD_INTERVAL_AUTO)},
            {DTV_HIERARCHY, at(kHierarchy, parameters.hierarchy, HIERARCHY_AUTO)}};
  }

  /// All three layers (ARIB STD-B31), as the transmission signals them.
  Properties isdb() const {
    constexpr std::uint32_t kAllLayers = 7;
    Properties own = {{DTV_BANDWIDTH_HZ, 6'000'000},
                      {DTV_GUARD_INTERVAL, GUARD_INTERVAL_AUTO},
                      {DTV_TRANSMISSION_MODE, TRANSMISSION_MODE_AUTO},
                      {DTV_ISDBT_PARTIAL_RECEPTION, 1},
                      {DTV_ISDBT_SOUND_BROADCASTING, 0},
                      {DTV_ISDBT_LAYER_ENABLED, kAllLayers}};
    for (const std::uint32_t fec : {DTV_ISDBT_LAYERA_FEC, DTV_ISDBT_LAYERB_FEC, DTV_ISDBT_LAYERC_FEC}) {
      own.push_back({fec, FEC_AUTO});
    }
    for (const std::uint32_t modulation :
         {DTV_ISDBT_LAYERA_MODULATION, DTV_ISDBT_LAYERB_MODULATION, DTV_ISDBT_LAYERC_MODULATION}) {
      own.push_back({modulation, QAM_AUTO});
    }
    return own;
  }

  Variants cable() const {
    constexpr std::int32_t kAnnexC = 1;
    constexpr std::int32_t kSecond = 2;
    Builder in_hertz = *this;
    in_hertz.transponder_.frequency *= 1000;
    if (transponder_.system == kSecond) {
      return in_hertz.single(kDvbC2, {{DTV_STREAM_ID, static_cast<std::uint32_t>(transponder_.plp_id)}});
    }
    return in_hertz.single(transponder_.system == kAnnexC ? SYS_DVBC_ANNEX_C : SYS_DVBC_ANNEX_A,
                           {{DTV_SYMBOL_RATE, transponder_.symbol_rate},
                            {DTV_MODULATION, at(kCableModulation, transponder_.modulation, QAM_AUTO)},
                            {DTV_INNER_FEC, fec()}});
  }

  Transponder transponder_;
  std::span<const std::uint8_t> systems_;
  std::uint32_t api_;
};

}  // namespace

std::vector<std::vector<Property>> variants_of(const dvb::Transponder& transponder,
                                               std::span<const std::uint8_t> systems, std::uint32_t api) {
  return Builder(transponder, systems, api).variants();
}

}  // namespace receiverd::frontend
