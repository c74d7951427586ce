#include "frontend/front_end.h"

#include <linux/dvb/frontend.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

namespace receiverd::frontend {

namespace {

/// Delivery systems that the kernel returns at most.
constexpr std::size_t kMaxSystems = 32;

/// Signal-to-noise ratio in dB that counts as 100 %, as in Enigma2.
float full_scale_decibel(std::uint32_t system) {
  switch (system) {
    case SYS_DVBS:
    case SYS_DVBS2:
      return 15;
    case SYS_DVBC_ANNEX_A:
    case SYS_DVBC_ANNEX_B:
    case SYS_DVBC_ANNEX_C:
      return 28;
    default:
      return 19;
  }
}

std::uint8_t percent(double share) { return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 100)); }

/// The first entry of a DTV_STAT_* property: the sum of all layers.
struct Statistic {
  std::uint8_t scale = FE_SCALE_NOT_AVAILABLE;
  std::uint64_t bits = 0;

  std::optional<float> decibel(float min, float max) const {
    if (scale != FE_SCALE_DECIBEL) return std::nullopt;
    const float value = static_cast<float>(static_cast<std::int64_t>(bits)) / 1000;
    // Drivers report impossible values without a signal.
    return value >= min && value <= max ? std::optional(value) : std::nullopt;
  }
  std::optional<double> relative() const {
    constexpr double kFull = 65535;
    return scale == FE_SCALE_RELATIVE ? std::optional(static_cast<double>(bits) / kFull) : std::nullopt;
  }
  std::optional<std::uint64_t> counter() const {
    return scale == FE_SCALE_COUNTER ? std::optional(bits) : std::nullopt;
  }
};

constexpr std::array<std::uint32_t, 5> kStatistics = {DTV_STAT_SIGNAL_STRENGTH, DTV_STAT_CNR,
                                                      DTV_STAT_POST_ERROR_BIT_COUNT, DTV_STAT_POST_TOTAL_BIT_COUNT,
                                                      DTV_STAT_ERROR_BLOCK_COUNT};

}  // namespace

FrontEnd::FrontEnd(System& system, std::string path, System::Access access) : system_(system), path_(std::move(path)) {
  const int device = system_.open(path_, access);
  if (device < 0) {
    error_ = -device;
  } else {
    device_ = Device(system_, device);
  }
}

bool FrontEnd::call(unsigned long request, void* argument) {
  return succeeded(system_.control(device_.number(), request, argument));
}

bool FrontEnd::call(unsigned long request, unsigned long value) {
  return succeeded(system_.control(device_.number(), request, value));
}

bool FrontEnd::succeeded(int result) {
  if (result < 0) error_ = -result;
  return result >= 0;
}

std::optional<Capabilities> FrontEnd::capabilities() {
  dvb_frontend_info info{};
  if (!call(FE_GET_INFO, &info)) return std::nullopt;
  Capabilities capabilities;
  capabilities.name.assign(info.name, strnlen(info.name, sizeof info.name));
  capabilities.min_frequency = info.frequency_min;
  capabilities.max_frequency = info.frequency_max;
  capabilities.min_symbol_rate = info.symbol_rate_min;
  capabilities.max_symbol_rate = info.symbol_rate_max;
  capabilities.multistream = (info.caps & FE_CAN_MULTISTREAM) != 0;
  capabilities.systems = systems_of(info.type, info.caps);
  capabilities.api = number(DTV_API_VERSION).value_or(0);
  return capabilities;
}

std::optional<std::uint32_t> FrontEnd::number(std::uint32_t property) {
  dtv_property one{};
  one.cmd = property;
  dtv_properties request = {1, &one};
  if (system_.control(device_.number(), FE_GET_PROPERTY, &request) < 0) return std::nullopt;
  const std::uint32_t value = one.u.data;
  return value;
}

/// The delivery systems. Drivers older than API 5.5 report only a type.
std::vector<std::uint8_t> FrontEnd::systems_of(std::uint32_t type, std::uint32_t caps) {
  dtv_property property{};
  property.cmd = DTV_ENUM_DELSYS;
  dtv_properties request = {1, &property};
  if (system_.control(device_.number(), FE_GET_PROPERTY, &request) >= 0) {
    const std::size_t count =
        std::min({static_cast<std::size_t>(property.u.buffer.len), sizeof property.u.buffer.data, kMaxSystems});
    return {property.u.buffer.data, property.u.buffer.data + count};
  }
  const bool second = (caps & FE_CAN_2G_MODULATION) != 0;
  std::vector<std::uint8_t> systems;
  switch (type) {
    case FE_QPSK:
      systems = {SYS_DVBS};
      if (second) systems.push_back(SYS_DVBS2);
      break;
    case FE_QAM:
      systems = {SYS_DVBC_ANNEX_A};
      break;
    case FE_OFDM:
      systems = {SYS_DVBT};
      if (second) systems.push_back(SYS_DVBT2);
      break;
    case FE_ATSC:
      systems = {SYS_ATSC};
      break;
    default:
      break;
  }
  return systems;
}

bool FrontEnd::tune(std::span<const Property> properties) {
  std::array<dtv_property, DTV_IOCTL_MAX_MSGS> all{};
  const std::size_t count = std::min(properties.size(), all.size());
  for (std::size_t i = 0; i < count; ++i) {
    all[i].cmd = properties[i].command;
    all[i].u.data = properties[i].value;
    if (properties[i].command == DTV_DELIVERY_SYSTEM) system_tuned_ = properties[i].value;
  }
  dtv_properties request = {static_cast<std::uint32_t>(count), all.data()};
  errors_ = bits_ = 0;
  return call(FE_SET_PROPERTY, &request);
}

std::optional<FrontEndStatus> FrontEnd::status() {
  fe_status_t status{};
  // EAGAIN: no status yet, since the front end is waking up.
  const int result = system_.control(device_.number(), FE_READ_STATUS, &status);
  if (result == -EAGAIN) return FrontEndStatus{};
  if (!succeeded(result)) return std::nullopt;
  return FrontEndStatus{.locked = (status & FE_HAS_LOCK) != 0, .reset = (status & FE_REINIT) != 0};
}

dvb::SignalQuality FrontEnd::signal(bool locked) {
  dvb::SignalQuality signal;
  signal.locked = locked;
  std::array<dtv_property, kStatistics.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i].cmd = kStatistics[i];
  dtv_properties request = {static_cast<std::uint32_t>(all.size()), all.data()};
  std::array<Statistic, kStatistics.size()> read{};
  bool any = false;
  if (system_.control(device_.number(), FE_GET_PROPERTY, &request) >= 0) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      // The structures are packed, so no reference into them is allowed.
      dtv_fe_stats statistic;
      std::memcpy(&statistic, &all[i].u.st, sizeof statistic);
      any = any || statistic.len > 0;
      if (statistic.len == 0) continue;
      dtv_stats first;
      std::memcpy(&first, statistic.stat, sizeof first);
      read[i] = {first.scale, first.uvalue};
    }
  }
  if (!any) {
    legacy_signal(signal);
    return signal;
  }
  const auto& [strength, snr, errors, bits, blocks] = read;
  constexpr float kMinStrength = -120;
  constexpr float kMaxStrength = 20;
  constexpr float kMaxSnr = 60;
  signal.strength_decibel = strength.decibel(kMinStrength, kMaxStrength);
  signal.snr_decibel = snr.decibel(0, kMaxSnr);
  // 0 % to 100 % are -85 dBm to -25 dBm, the range that receivers are built for.
  if (const auto share = strength.relative()) signal.strength_percent = percent(*share);
  if (signal.strength_decibel) signal.strength_percent = percent((*signal.strength_decibel + 85) / 60);
  if (const auto share = snr.relative()) signal.snr_percent = percent(*share);
  if (signal.snr_decibel) signal.snr_percent = percent(*signal.snr_decibel / full_scale_decibel(system_tuned_));
  signal.bad_blocks = blocks.counter();
  if (const auto wrong = errors.counter(), all_bits = bits.counter(); wrong && all_bits) {
    // The driver resets its counters when it tunes.
    if (*all_bits > bits_ && *wrong >= errors_) {
      signal.bit_errors = *wrong - errors_;
      signal.bit_error_rate = static_cast<double>(*signal.bit_errors) / static_cast<double>(*all_bits - bits_);
    }
    errors_ = *wrong;
    bits_ = *all_bits;
  }
  return signal;
}

/// Reads the signal with the calls of API 3, whose scale is undefined.
void FrontEnd::legacy_signal(dvb::SignalQuality& signal) {
  constexpr double kFull = 65535;
  std::uint16_t share = 0;
  if (system_.control(device_.number(), FE_READ_SIGNAL_STRENGTH, &share) >= 0) {
    signal.strength_percent = percent(share / kFull);
  }
  share = 0;
  if (system_.control(device_.number(), FE_READ_SNR, &share) >= 0) signal.snr_percent = percent(share / kFull);
  std::uint32_t errors = 0;
  if (system_.control(device_.number(), FE_READ_BER, &errors) >= 0) signal.bit_errors = errors;
  std::uint32_t blocks = 0;
  if (system_.control(device_.number(), FE_READ_UNCORRECTED_BLOCKS, &blocks) >= 0) signal.bad_blocks = blocks;
}

bool FrontEnd::set_tone(bool on) {
  return call(FE_SET_TONE, static_cast<unsigned long>(on ? SEC_TONE_ON : SEC_TONE_OFF));
}

bool FrontEnd::set_voltage(std::uint8_t volts) {
  const auto voltage = volts == 0 ? SEC_VOLTAGE_OFF : volts == 18 ? SEC_VOLTAGE_18 : SEC_VOLTAGE_13;
  return call(FE_SET_VOLTAGE, static_cast<unsigned long>(voltage));
}

bool FrontEnd::increase_voltage(bool on) { return call(FE_ENABLE_HIGH_LNB_VOLTAGE, static_cast<unsigned long>(on)); }

bool FrontEnd::send_burst(bool second) {
  return call(FE_DISEQC_SEND_BURST, static_cast<unsigned long>(second ? SEC_MINI_B : SEC_MINI_A));
}

bool FrontEnd::send_diseqc(std::span<const std::uint8_t> command) {
  dvb_diseqc_master_cmd message{};
  const std::size_t size = std::min(command.size(), sizeof message.msg);
  std::copy_n(command.begin(), size, message.msg);
  message.msg_len = static_cast<std::uint8_t>(size);
  return call(FE_DISEQC_SEND_MASTER_CMD, &message);
}

}  // namespace receiverd::frontend
