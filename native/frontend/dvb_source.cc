#include "frontend/dvb_source.h"

#include <linux/dvb/dmx.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "dvb/packets/packet.h"

namespace receiverd::frontend {

namespace {

/// Half a second at 64 Mbit/s, and the size to ask for if the driver refuses that.
constexpr unsigned long kRingBytes = 4UL << 20;
constexpr unsigned long kSmallRingBytes = 1UL << 20;
/// Time in which data accumulates for one read: the tuner wakes up fifty times a second, not for each USB transfer.
constexpr std::chrono::milliseconds kReadInterval{20};
using dvb::kWholeMultiplex;
/// DMX_SET_SOURCE (removed from the kernel's headers in 4.14): connects a demux of a set-top box to any front end.
constexpr unsigned long kSetSource = _IOW('o', 49, int);

}  // namespace

DvbSource::DvbSource(System& system, DvbOptions options)
    : system_(system), options_(options), control_(system, path_of("frontend", options.front_end)) {}

std::string DvbSource::path_of(const char* kind, unsigned number) const {
  return "/dev/dvb/adapter" + std::to_string(options_.adapter) + '/' + kind + std::to_string(number);
}

void DvbSource::tune(const dvb::TuningOrder& order, dvb::Attempt attempt) {
  demux_.close();
  filtered_.clear();
  control_.tune(order, attempt);
  view_ = control_.view();
}

void DvbSource::set_wanted_pids(std::span<const std::uint16_t> pids) {
  wanted_ = {pids.begin(), pids.end()};
  wants_all_ = wanted_.size() > kMaxPids;
  if (demux_.is_open()) update_filters();
}

dvb::ReadResult DvbSource::read(std::span<std::uint8_t> buffer) {
  using State = dvb::ReadResult::State;
  view_ = control_.view();
  if (view_.gone) return fail(ENODEV);
  if (!demux_.is_open()) {
    if (!view_.signal.locked) {
      control_.wait(kReadInterval);
      return {State::idle, 0};
    }
    if (!open_demux()) return {State::failed, 0};
  }
  std::this_thread::sleep_until(next_read_);
  const int ready = system_.wait(demux_.number(), kReadInterval);
  if (ready < 0) return fail(-ready);
  if (ready == 0) return {State::idle, 0};
  const std::ptrdiff_t size = system_.read(demux_.number(), buffer);
  switch (-size) {
    case EOVERFLOW:
      ++overflows_;
      [[fallthrough]];
    case EAGAIN:
    case EINTR:
      return {State::idle, 0};
    default:
      break;
  }
  if (size < 0) return fail(static_cast<int>(-size));
  // After a full buffer, there is more to read at once.
  if (static_cast<std::size_t>(size) < buffer.size()) next_read_ = std::chrono::steady_clock::now() + kReadInterval;
  return {State::data, static_cast<std::size_t>(size)};
}

bool DvbSource::open_demux() {
  const auto demuxes = system_.list("/dev/dvb/adapter" + std::to_string(options_.adapter));
  const std::string own = "demux" + std::to_string(options_.front_end);
  const bool has_own = std::ranges::find(demuxes, own) != demuxes.end();
  const std::string path = path_of("demux", has_own ? options_.front_end : 0);
  const int device = system_.open(path, System::Access::write);
  if (device < 0) {
    error_ = reason_of(-device, path);
    return false;
  }
  demux_ = Device(system_, device);
  int source = static_cast<int>(options_.front_end);
  system_.control(device, kSetSource, &source);
  if (system_.control(device, DMX_SET_BUFFER_SIZE, kRingBytes) < 0) {
    system_.control(device, DMX_SET_BUFFER_SIZE, kSmallRingBytes);
  }
  if (update_filters()) return true;
  demux_.close();
  filtered_.clear();
  return false;
}

/// Adds and removes filters to match the wanted PIDs. A PID with two filters would arrive twice.
bool DvbSource::update_filters() {
  std::set<std::uint16_t> target = wants_all_ ? std::set<std::uint16_t>{kWholeMultiplex} : wanted_;
  if (filtered_.contains(kWholeMultiplex) && !wants_all_) return true;
  for (auto at = filtered_.begin(); at != filtered_.end();) {
    std::uint16_t pid = *at;
    if (target.contains(pid)) {
      ++at;
      continue;
    }
    system_.control(demux_.number(), DMX_REMOVE_PID, &pid);
    at = filtered_.erase(at);
  }
  for (const std::uint16_t pid : target) {
    if (filtered_.contains(pid)) continue;
    resumed_.push_back(pid);
    if (!add_filter(pid)) {
      if (pid != kWholeMultiplex) return !filtered_.empty();
      // Not all hardware can deliver the whole multiplex.
      wants_all_ = false;
      return update_filters();
    }
  }
  return true;
}

bool DvbSource::add_filter(std::uint16_t pid) {
  int result = 0;
  if (filtered_.empty()) {
    dmx_pes_filter_params parameters{};
    parameters.pid = pid;
    parameters.input = DMX_IN_FRONTEND;
    parameters.output = DMX_OUT_TSDEMUX_TAP;
    parameters.pes_type = DMX_PES_OTHER;
    parameters.flags = DMX_IMMEDIATE_START;
    result = system_.control(demux_.number(), DMX_SET_PES_FILTER, &parameters);
  } else {
    result = system_.control(demux_.number(), DMX_ADD_PID, &pid);
  }
  if (result < 0) {
    error_ = reason_of(-result, path_of("demux", options_.front_end));
    return false;
  }
  filtered_.insert(pid);
  return true;
}

dvb::ReadResult DvbSource::fail(int error) {
  error_ = reason_of(error, path_of("frontend", options_.front_end));
  demux_.close();
  return {dvb::ReadResult::State::failed, 0};
}

}  // namespace receiverd::frontend
