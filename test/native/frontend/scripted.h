// A scripted front end that logs the calls made to it, for tests of what the kernel's virtual adapter cannot do.
#pragma once

#include <linux/dvb/dmx.h>
#include <linux/dvb/frontend.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/system.h"
#include "waits.h"

namespace receiverd::frontend {

class Scripted final : public System {
 public:
  // --- The hardware ---
  std::map<std::string, std::vector<std::string>> folders = {{"/dev/dvb", {"adapter0"}},
                                                             {"/dev/dvb/adapter0/", {"demux0", "dvr0", "frontend0"}},
                                                             {"/dev/dvb/adapter0", {"demux0", "dvr0", "frontend0"}}};
  std::vector<std::uint8_t> systems = {SYS_DVBT, SYS_DVBT2};
  std::uint32_t api = 0x50B;
  bool enumerates = true;  ///< supports DTV_ENUM_DELSYS
  std::uint32_t type = FE_OFDM;
  std::uint32_t capabilities = 0;
  std::map<std::string, int> refused;           ///< errno of opening a path
  std::map<unsigned long, int> failing;         ///< errno of a request
  std::map<std::uint32_t, dtv_stats> measured;  ///< by DTV_STAT_*; empty: the driver has no statistics
  std::uint16_t legacy_snr = 0;
  std::uint16_t legacy_strength = 0;
  std::size_t hardware_pids = 10'000;  ///< filters that the demultiplexer has
  bool passes_all = true;              ///< supports PID 0x2000

  // --- Events, which any thread may trigger ---
  void lock(bool on) {
    change([=, this] { status_ = on ? FE_HAS_LOCK | FE_HAS_SIGNAL : FE_HAS_SIGNAL; });
  }
  /// If set: tuning locks if this returns true for the properties.
  std::function<bool(const std::map<std::uint32_t, std::uint32_t>&)> locks_at;
  void reset() {
    change([this] { status_ |= FE_REINIT; });
  }
  void unplug() {
    change([this] { gone_ = true; });
  }
  void plug() {
    change([this] { gone_ = false; });
  }
  /// Calls to the front end do not return until release().
  void hang() {
    change([this] { hanging_ = true; });
  }
  bool is_stuck() {
    const std::lock_guard lock(mutex_);
    return stuck_ > 0;
  }
  void release() {
    change([this] { hanging_ = false; });
  }
  /// The next read returns the bytes, or EOVERFLOW for none.
  void push(std::vector<std::uint8_t> bytes) {
    change([&] { data_.push_back(std::move(bytes)); });
  }

  /// The calls since the last take_log(), one line each, without reads of status and statistics.
  std::vector<std::string> take_log() {
    const std::lock_guard lock(mutex_);
    return std::exchange(log_, {});
  }
  /// Adds a line of the test, such as a wait.
  void log(const std::string& line) {
    const std::lock_guard lock(mutex_);
    log_.push_back(line);
  }
  std::set<std::uint16_t> pids() {
    const std::lock_guard lock(mutex_);
    return pids_;
  }
  std::size_t open_devices() {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  // --- System ---
  int open(const std::string& path, Access access) override {
    std::unique_lock lock(mutex_);
    pass(lock);
    log_.push_back("open " + path.substr(path.rfind('/') + 1) + (access == Access::read ? " to read" : ""));
    if (const auto found = refused.find(path); found != refused.end()) return -found->second;
    if (gone_) return -ENOENT;
    open_.insert(++last_);
    return last_;
  }
  void close(int device) override {
    const std::lock_guard lock(mutex_);
    log_.push_back("close");
    open_.erase(device);
    pids_.clear();
  }
  int control(int device, unsigned long request, void* argument) override {
    std::unique_lock lock(mutex_);
    pass(lock);
    if (gone_ || !open_.contains(device)) return -ENODEV;
    if (const auto found = failing.find(request); found != failing.end()) return -found->second;
    switch (request) {
      case FE_GET_INFO:
        return info(*static_cast<dvb_frontend_info*>(argument));
      case FE_GET_PROPERTY:
        return get(*static_cast<dtv_properties*>(argument));
      case FE_SET_PROPERTY:
        return set(*static_cast<dtv_properties*>(argument));
      case FE_READ_STATUS:
        *static_cast<fe_status_t*>(argument) = static_cast<fe_status_t>(status_);
        return 0;
      case FE_READ_SNR:
        *static_cast<std::uint16_t*>(argument) = legacy_snr;
        return 0;
      case FE_READ_SIGNAL_STRENGTH:
        *static_cast<std::uint16_t*>(argument) = legacy_strength;
        return 0;
      case FE_DISEQC_SEND_MASTER_CMD:
        return command(*static_cast<dvb_diseqc_master_cmd*>(argument));
      case DMX_SET_PES_FILTER:
        return filter(static_cast<dmx_pes_filter_params*>(argument)->pid);
      case DMX_ADD_PID:
        return filter(*static_cast<std::uint16_t*>(argument));
      case DMX_REMOVE_PID:
        pids_.erase(*static_cast<std::uint16_t*>(argument));
        return 0;
      default:
        return -ENOTTY;
    }
  }
  int control(int device, unsigned long request, unsigned long value) override {
    std::unique_lock lock(mutex_);
    pass(lock);
    if (gone_ || !open_.contains(device)) return -ENODEV;
    if (const auto found = failing.find(request); found != failing.end()) return -found->second;
    switch (request) {
      case FE_SET_TONE:
        log_.push_back(value == SEC_TONE_ON ? "tone on" : "tone off");
        return 0;
      case FE_SET_VOLTAGE:
        log_.push_back(value == SEC_VOLTAGE_OFF ? "0 V" : value == SEC_VOLTAGE_18 ? "18 V" : "13 V");
        return 0;
      case FE_ENABLE_HIGH_LNB_VOLTAGE:
        log_.push_back(value != 0 ? "more voltage" : "normal voltage");
        return 0;
      case FE_DISEQC_SEND_BURST:
        log_.push_back(value == SEC_MINI_A ? "burst A" : "burst B");
        return 0;
      case DMX_SET_BUFFER_SIZE:
        return 0;
      default:
        return -ENOTTY;
    }
  }
  std::ptrdiff_t read(int device, std::span<std::uint8_t> buffer) override {
    const std::lock_guard lock(mutex_);
    if (gone_ || !open_.contains(device)) return -ENODEV;
    if (data_.empty()) return -EAGAIN;
    const std::vector<std::uint8_t> bytes = std::move(data_.front());
    data_.pop_front();
    if (bytes.empty()) return -EOVERFLOW;
    const std::size_t size = std::min(bytes.size(), buffer.size());
    std::copy_n(bytes.begin(), size, buffer.begin());
    return static_cast<std::ptrdiff_t>(size);
  }
  int wait(int /*device*/, std::chrono::milliseconds time) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return gone_ || !data_.empty(); });
    return gone_ || !data_.empty() ? 1 : 0;
  }
  std::vector<std::string> list(const std::string& folder) override {
    const auto found = folders.find(folder);
    return found == folders.end() ? std::vector<std::string>{} : found->second;
  }

 private:
  void pass(std::unique_lock<std::mutex>& lock) {
    ++stuck_;
    changed_.wait(lock, [this] { return !hanging_; });
    --stuck_;
  }

  template <typename Change>
  void change(Change apply) {
    const std::lock_guard lock(mutex_);
    apply();
    changed_.notify_all();
  }

  int info(dvb_frontend_info& info) const {
    std::strncpy(info.name, "Scripted", sizeof info.name - 1);
    info.type = static_cast<fe_type_t>(type);
    info.caps = static_cast<fe_caps_t>(capabilities);
    return 0;
  }

  int get(dtv_properties& request) {
    for (std::uint32_t i = 0; i < request.num; ++i) {
      dtv_property& one = request.props[i];
      if (one.cmd == DTV_ENUM_DELSYS) {
        if (!enumerates) return -EINVAL;
        one.u.buffer.len = static_cast<std::uint32_t>(systems.size());
        std::copy_n(systems.begin(), std::min(systems.size(), sizeof one.u.buffer.data), one.u.buffer.data);
      } else if (one.cmd == DTV_API_VERSION) {
        one.u.data = api;
      } else {
        dtv_fe_stats statistics{};
        if (const auto found = measured.find(one.cmd); found != measured.end()) {
          statistics.len = 1;
          std::memcpy(&statistics.stat[0], &found->second, sizeof found->second);
        }
        std::memcpy(&one.u.st, &statistics, sizeof statistics);
      }
    }
    return 0;
  }

  int set(const dtv_properties& request) {
    tuned_.clear();
    for (std::uint32_t i = 0; i < request.num; ++i) tuned_[request.props[i].cmd] = request.props[i].u.data;
    log_.push_back("tune " + std::to_string(tuned_[DTV_DELIVERY_SYSTEM]) + " at " +
                   std::to_string(tuned_[DTV_FREQUENCY]));
    if (locks_at) status_ = locks_at(tuned_) ? FE_HAS_LOCK : 0;
    changed_.notify_all();
    return 0;
  }

  int command(const dvb_diseqc_master_cmd& message) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string text = "send";
    for (std::size_t i = 0; i < message.msg_len; ++i) {
      text += ' ';
      text += kDigits[message.msg[i] >> 4];
      text += kDigits[message.msg[i] & 15];
    }
    log_.push_back(text);
    return 0;
  }

  int filter(std::uint16_t pid) {
    if (pid == 0x2000 && !passes_all) return -EINVAL;
    if (pids_.size() >= hardware_pids) return -EBUSY;
    pids_.insert(pid);
    return 0;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> log_;
  std::deque<std::vector<std::uint8_t>> data_;
  std::set<int> open_;
  std::set<std::uint16_t> pids_;
  std::map<std::uint32_t, std::uint32_t> tuned_;
  int last_ = 0;
  unsigned status_ = 0;
  bool gone_ = false;
  bool hanging_ = false;
  int stuck_ = 0;
};

}  // namespace receiverd::frontend
