// One front end (/dev/dvb/adapterA/frontendF) of the Linux DVB API 5: what it can, tuning it, its signal, and the
// satellite equipment behind it. Every call is one ioctl or a few; none waits. Owned by one thread.
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

struct Abilities {
  std::string name;  ///< the driver's, for people and for its quirks
  /// fe_delivery_system, in the driver's order.
  std::vector<std::uint8_t> systems;
  /// Of the system that the front end was last set to: kHz for a satellite, else Hz. 0: not told.
  std::uint32_t lowest_frequency = 0;
  std::uint32_t highest_frequency = 0;
  std::uint32_t lowest_symbol_rate = 0;
  std::uint32_t highest_symbol_rate = 0;
  bool multistream = false;
  std::uint32_t api = 0;  ///< version of the interface: 0x50B for 5.11
};

/// The whole state of a tuned front end.
struct FrontEndStatus {
  bool locked = false;
  /// The hardware was reset: switches and tuning are to be sent again (FE_REINIT).
  bool reset = false;
};

class FrontEnd {
 public:
  /// For `Access::write` one process may open it at a time. Check `error()`.
  FrontEnd(System& system, std::string path, System::Access access);

  /// errno of the opening or of the last call that failed; 0 if none has.
  int error() const { return error_; }
  /// The same for people.
  std::string reason() const { return reason_of(error_, path_); }

  std::optional<Abilities> abilities();
  bool tune(std::span<const Property> properties);
  std::optional<FrontEndStatus> status();
  /// Reads the statistics; `previous` are those of the last call, for what only counts up.
  dvb::SignalQuality signal(bool locked);

  bool set_tone(bool on);
  /// 0 off, 13 or 18.
  bool set_voltage(std::uint8_t volts);
  bool increase_voltage(bool on);
  bool send_burst(bool second);
  bool send(std::span<const std::uint8_t> command);

 private:
  bool call(unsigned long request, void* argument);
  bool call(unsigned long request, unsigned long value);
  bool noted(int result);
  std::optional<std::uint32_t> number(std::uint32_t property);
  std::vector<std::uint8_t> systems_of(std::uint32_t type, std::uint32_t capabilities);
  void legacy_signal(dvb::SignalQuality& signal);

  System& system_;
  const std::string path_;
  Device device_;
  int error_ = 0;

  /// Counters at the last call of signal(): errors and bits.
  std::uint64_t errors_ = 0;
  std::uint64_t bits_ = 0;
  std::uint32_t system_tuned_ = 0;
};

}  // namespace receiverd::frontend
