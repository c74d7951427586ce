// The parameters with which a tuner is tuned.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace receiverd::dvb {

/// A transponder, in the codes of lamedb, which src/dvb/transponder.ts explains. Fields that do not apply to the kind
/// have their defaults.
struct Transponder {
  enum class Kind : std::uint8_t { satellite, terrestrial, cable, atsc };

  Kind kind = Kind::terrestrial;
  /// Terrestrial and ATSC: Hz. Cable: kHz. Satellite: intermediate frequency at the LNB's output, kHz.
  std::uint64_t frequency = 0;
  std::uint32_t symbol_rate = 0;  ///< symbols per second
  std::int32_t inversion = 2;     ///< 0 off, 1 on, 2 auto
  /// Satellite: 0 DVB-S, 1 DVB-S2. Terrestrial: -1 DVB-T or T2, 0 DVB-T, 1 DVB-T2, 2 ISDB-T. Cable: 0 annex A, 1 annex
  /// C, 2 DVB-C2. ATSC: 0 ATSC, 1 annex B.
  std::int32_t system = 0;
  std::int32_t modulation = 0;  ///< satellite, cable, ATSC
  std::int32_t fec = 0;         ///< satellite, cable

  std::int32_t roll_off = 0;
  std::int32_t pilot = 2;
  std::int32_t stream_id = -1;
  std::uint32_t pls_code = 0;
  std::uint32_t pls_mode = 1;

  std::int32_t bandwidth = 3;
  std::int32_t code_rate_high = 5;
  std::int32_t code_rate_low = 5;
  std::int32_t constellation = 3;
  std::int32_t transmission_mode = 2;
  std::int32_t guard_interval = 4;
  std::int32_t hierarchy = 4;
  std::int32_t plp_id = 0;  ///< DVB-T2, DVB-C2

  bool operator==(const Transponder&) const = default;
};

/// The steps that prepare a satellite dish before tuning; src/dvb/satellite/ plans them.
struct Wait {
  std::chrono::milliseconds time{0};
  bool operator==(const Wait&) const = default;
};
struct SetTone {
  bool on = false;
  bool operator==(const SetTone&) const = default;
};
struct SetVoltage {
  std::uint8_t volts = 0;  ///< 0 off, 13, 18
  bool operator==(const SetVoltage&) const = default;
};
/// Raises the voltage by about 1 V, for long cables.
struct IncreaseVoltage {
  bool on = false;
  bool operator==(const IncreaseVoltage&) const = default;
};
struct SendBurst {
  bool second = false;  ///< tone burst B instead of A
  bool operator==(const SendBurst&) const = default;
};
/// A DiSEqC message: EN 61319-1, EN 50494, EN 50607.
struct SendCommand {
  std::vector<std::uint8_t> bytes;  ///< 3 to 6
  bool operator==(const SendCommand&) const = default;
};
using SatelliteStep = std::variant<Wait, SetTone, SetVoltage, IncreaseVoltage, SendBurst, SendCommand>;

struct TuningOrder {
  Transponder transponder;
  /// Steps before tuning: all of them, and those that differ from the previous order of this front end. The latter are
  /// enough if the dish is still as the previous order left it.
  std::vector<SatelliteStep> all_steps;
  std::vector<SatelliteStep> changed_steps;
  /// Steps when the front end is no longer needed.
  std::vector<SatelliteStep> end_steps;
  /// Front ends whose orders name the same cable do their steps one after the other. Empty: a cable of its own.
  std::string cable;
  /// SAT>IP (EN 50585) and HDHomeRun: the server, such as `192.0.2.9:554`, and the query string or channel for the
  /// transponder, one per variant.
  std::string server;
  std::vector<std::string> queries;
  /// Time from the end of the steps until there must be a lock.
  std::chrono::milliseconds lock_timeout{5000};

  bool operator==(const TuningOrder&) const = default;
};

}  // namespace receiverd::dvb
