// The control protocol of HDHomeRun devices, for one tuner of a device: what is requested next, and what the replies
// mean. docs/hdhomerun.md describes its variables; src/dvb/hdhomerun/packet.ts is the same packet format for servers.
//
//   begin() ─lockkey─► ─target?─► ─channel─► ─filter─► ─target─► playing ─filter; status─► ... end() ─none─►
//
// There is one request at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dvb/source.h"
#include "rtp/client_session.h"
#include "wire/bytes.h"

namespace receiverd::hdhomerun {

/// Bytes of the largest packet.
inline constexpr std::size_t kMaxPacketBytes = 1460;

/// The reply to a request: a value, or an error of the device.
struct Reply {
  std::string value;
  std::string error;  ///< empty unless the request was refused
};

/// Formats a request that reads a variable, or with `value` sets it. `lock_key` 0: none.
std::string format_request(std::string_view name, std::optional<std::string_view> value, std::uint32_t lock_key);

/// Takes the bytes of a connection apart into replies.
class ReplyReader {
 public:
  explicit ReplyReader(std::function<void(const Reply&)> take) : take_(std::move(take)) {}

  /// Returns false if the bytes are not replies; then the connection is of no use any more.
  bool feed(wire::Bytes bytes);
  void reset() { pending_.clear(); }

 private:
  std::function<void(const Reply&)> take_;
  std::vector<std::uint8_t> pending_;  ///< at most one incomplete packet
};

/// The PIDs as values of `filter`: `0x0000 0x0010-0x0012`. All PIDs if there are too many ranges for a device.
std::string format_filter(std::vector<std::uint16_t> pids);

class ControlSession final : public rtp::ClientSession {
 public:
  static constexpr std::chrono::seconds kReplyTimeout{3};
  /// For the channel: a device that is another receiver may tune first.
  static constexpr std::chrono::seconds kChannelTimeout{8};
  static constexpr std::chrono::milliseconds kStatusInterval{1000};

  /// `lock_key`: the same after each start, so that a lock that a killed program has left is its own again.
  ControlSession(unsigned tuner, std::uint32_t lock_key);

  /// Tunes to the channel `query`, such as `auto8t:474000000`.
  void begin(const std::string& server, const std::string& query, std::uint16_t port, Time now) override;
  /// Releases the tuner, if it is locked.
  void end(Time now) override;
  void forget() override;
  void reconnected(Time now) override;
  void set_local_host(const std::string& host) override { local_host_ = host; }
  void tick(Time now) override;
  bool feed(wire::Bytes bytes, Time now) override;
  void reset_input() override { reader_.reset(); }
  void take(const Reply& reply, Time now);

  /// Whether the tuner is locked.
  bool is_open() const override { return is_locked_; }
  bool awaits_reply() const override { return awaited_ != Request::none; }
  dvb::SignalQuality signal(Time now) const override;

 private:
  enum class Request : std::uint8_t { none, lock, use, channel, filter, target, status, untarget, untune, unlock };

  void request(Request request, std::string_view name, std::optional<std::string_view> value, Time now);
  void next(Request done, const std::string& value, Time now);
  void request_filter(Time now);
  void request_target(Time now);
  void refuse(Request refused, const std::string& why, Time now);

  const std::string tuner_;  ///< `/tuner0/`
  const std::uint32_t lock_key_;
  ReplyReader reader_;
  Time fed_at_{};  ///< time of the data that reader_ is parsing
  std::string channel_;
  std::uint16_t port_ = 0;
  std::string local_host_;
  bool is_plain_ = false;  ///< the device has no RTP: it sends transport packets in UDP
  bool is_locked_ = false;
  bool restarts_ = false;  ///< begin() was called during a request
  bool filters_ = true;    ///< the device has `filter`
  std::string filter_;     ///< value that it has confirmed, or that is being requested
  std::vector<std::uint16_t> requested_;
  std::vector<std::uint16_t> delivered_;
  Request awaited_ = Request::none;
  Time status_at_{};
  dvb::SignalQuality status_;
};

/// Reads a value of `status`: `ch=auto:474000000 lock=t8dvbt ss=83 snq=90 seq=100 bps=22394536 pps=2127`.
dvb::SignalQuality read_status(std::string_view text);

}  // namespace receiverd::hdhomerun
