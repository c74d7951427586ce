// One front end (/dev/dvb/adapterA/frontendF) of the Linux DVB API 5: capabilities, tuning, signal, and the satellite
// equipment connected to it. Every call makes one or a few ioctls and never waits. Owned by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dvb/source.h"
#include "dvb/tuning.h"
#include "frontend/properties.h"
#include "frontend/system.h"

namespace receiverd::frontend {

struct Capabilities {
  std::string name;  ///< as the driver reports it
  /// fe_delivery_system, in the driver's order.
  std::vector<std::uint8_t> systems;
  /// Ranges for the delivery system that was set last; 0 if unknown. Frequencies in kHz for satellite, else in Hz.
  std::uint32_t min_frequency = 0;
  std::uint32_t max_frequency = 0;
  std::uint32_t min_symbol_rate = 0;
  std::uint32_t max_symbol_rate = 0;
  bool multistream = false;
  std::uint32_t api = 0;  ///< version of the DVB API: 0x50B for 5.11
};

/// The state of a tuned front end.
struct FrontEndStatus {
  bool locked = false;
  /// The hardware was reset: dish steps and tuning must be repeated (FE_REINIT).
  bool reset = false;
};

class FrontEnd {
 public:
  /// Only one process may have it open with `Access::write`. Check error() afterwards.
  FrontEnd(System& system, std::string path, System::Access access);

  /// errno of the last call that failed, opening included; 0 if none has failed.
  int error() const { return error_; }
  /// The error as a human-readable message.
  std::string reason() const { return reason_of(error_, path_); }

  std::optional<Capabilities> capabilities();
  bool tune(std::span<const Property> properties);
  std::optional<FrontEndStatus> status();
  /// Reads the statistics. Bit errors are counted since the previous call.
  dvb::SignalQuality signal(bool locked);

  bool set_tone(bool on);
  /// 0 off, 13 or 18.
  bool set_voltage(std::uint8_t volts);
  bool increase_voltage(bool on);
  bool send_burst(bool second);
  bool send_diseqc(std::span<const std::uint8_t> command);

 private:
  bool call(unsigned long request, void* argument);
  bool call(unsigned long request, unsigned long value);
  bool succeeded(int result);
  std::optional<std::uint32_t> number(std::uint32_t property);
  std::vector<std::uint8_t> systems_of(std::uint32_t type, std::uint32_t caps);
  void legacy_signal(dvb::SignalQuality& signal);

  System& system_;
  const std::string path_;
  Device device_;
  int error_ = 0;

  /// Counters at the previous call of signal(): wrong bits and all bits.
  std::uint64_t errors_ = 0;
  std::uint64_t bits_ = 0;
  std::uint32_t system_tuned_ = 0;
};

}  // namespace receiverd::frontend
