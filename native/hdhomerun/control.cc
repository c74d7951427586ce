#include "hdhomerun/control.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace receiverd::hdhomerun {

namespace {

constexpr std::uint16_t kRequestType = 4;
constexpr std::uint16_t kReplyType = 5;
enum Tag : std::uint8_t { kName = 3, kValue = 4, kError = 5, kLockKey = 0x15 };
constexpr std::size_t kHeadBytes = 4;
constexpr std::size_t kCrcBytes = 4;
/// The first byte of a length of two bytes has this bit, and the low seven bits.
constexpr std::uint8_t kLongLength = 0x80;

/// Ranges of PIDs that devices can filter.
constexpr std::size_t kMaxFilterRanges = 16;
constexpr std::string_view kAllPids = "0x0000-0x1fff";
/// Data that has arrived within it counts as a lock.
constexpr std::chrono::milliseconds kMaxDataAge{1000};
/// Characters of a device's error that messages quote.
constexpr std::size_t kMaxErrorLength = 120;

/// CRC-32 of IEEE 802.3, as in zlib.
std::uint32_t crc_of(wire::Bytes bytes) {
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
  }
  return ~crc;
}

void append_tag(std::string& packet, Tag tag, std::string_view value) {
  packet += static_cast<char>(tag);
  if (value.size() < kLongLength) {
    packet += static_cast<char>(value.size());
  } else {
    packet += static_cast<char>((value.size() & 0x7fU) | kLongLength);
    packet += static_cast<char>(value.size() >> 7);
  }
  packet += value;
}

/// The characters of a text up to NUL that may be shown and logged.
std::string printable(wire::Bytes bytes, std::size_t max_length = kMaxPacketBytes) {
  std::string text(wire::text_of(bytes.first(std::min(bytes.size(), max_length))));
  text.erase(std::min(text.find('\0'), text.size()));
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

std::optional<Reply> read_reply(wire::Bytes packet) {
  const wire::Bytes content = packet.first(packet.size() - kCrcBytes);
  const wire::Bytes crc = packet.last(kCrcBytes);
  if (crc_of(content) != (crc[0] | crc[1] << 8U | crc[2] << 16U | std::uint32_t{crc[3]} << 24U)) return std::nullopt;
  wire::Cursor cursor(content);
  if (cursor.u16() != kReplyType) return std::nullopt;
  cursor.skip(2);
  Reply reply;
  while (cursor.left() > 0) {
    const std::uint8_t tag = cursor.u8();
    std::size_t length = cursor.u8();
    if (length >= kLongLength) length = (length & 0x7fU) | std::size_t{cursor.u8()} << 7U;
    const wire::Bytes value = cursor.take(length);
    if (!cursor.ok()) return std::nullopt;
    if (tag == kValue) reply.value = printable(value);
    if (tag == kError) reply.error = printable(value, kMaxErrorLength);
    if (tag == kError && reply.error.empty()) reply.error = "ERROR";
  }
  return reply;
}

/// The host of `rtp://192.0.2.1:5000`; empty for `none`.
std::string_view host_of(std::string_view target) {
  const std::size_t start = target.find("://");
  if (start == std::string_view::npos) return {};
  target.remove_prefix(start + 3);
  return target.substr(0, target.find(':'));
}

std::uint8_t percent_in(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  unsigned value = 0;
  if (at != std::string_view::npos) {
    text.remove_prefix(at + name.size());
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return static_cast<std::uint8_t>(std::min(value, 100U));
}

}  // namespace

std::string format_request(std::string_view name, std::optional<std::string_view> value, std::uint32_t lock_key) {
  std::string payload;
  append_tag(payload, kName, std::string(name) + '\0');
  if (value) append_tag(payload, kValue, std::string(*value) + '\0');
  if (lock_key != 0) {
    std::string key;
    for (int shift = 24; shift >= 0; shift -= 8) key += static_cast<char>(lock_key >> static_cast<unsigned>(shift));
    append_tag(payload, kLockKey, key);
  }
  std::string packet = {0, kRequestType, static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size())};
  packet += payload;
  const std::uint32_t crc = crc_of(wire::bytes_of(packet));
  for (unsigned shift = 0; shift < 32; shift += 8) packet += static_cast<char>(crc >> shift);
  return packet;
}

bool ReplyReader::feed(wire::Bytes bytes) {
  while (!bytes.empty()) {
    const auto length = [&] { return kHeadBytes + (std::size_t{pending_[2]} << 8U | pending_[3]) + kCrcBytes; };
    const std::size_t needed = pending_.size() < kHeadBytes ? kHeadBytes : length();
    const std::size_t size = std::min(bytes.size(), needed - pending_.size());
    pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
    if (pending_.size() < kHeadBytes) continue;
    if (length() > kMaxPacketBytes) return false;
    if (pending_.size() < length()) continue;
    const auto reply = read_reply(pending_);
    pending_.clear();
    if (!reply) return false;
    take_(*reply);
  }
  return true;
}

std::string format_filter(std::vector<std::uint16_t> pids) {
  std::ranges::sort(pids);
  std::string filter;
  std::size_t ranges = 0;
  for (std::size_t first = 0, last = 0; first < pids.size(); first = ++last) {
    while (last + 1 < pids.size() && pids[last + 1] - pids[last] <= 1) ++last;
    if (++ranges > kMaxFilterRanges) return std::string(kAllPids);
    std::array<char, 32> text{};
    const char* const format = pids[first] == pids[last] ? "%s0x%04x" : "%s0x%04x-0x%04x";
    std::snprintf(text.data(), text.size(), format, filter.empty() ? "" : " ", pids[first], pids[last]);
    filter += text.data();
  }
  return filter;
}

dvb::SignalQuality read_status(std::string_view text) {
  constexpr std::string_view kLock = "lock=";
  const std::size_t at = text.find(kLock);
  const std::string_view lock = at == std::string_view::npos ? "none" : text.substr(at + kLock.size());
  // Brackets: a signal of a kind that the device does not receive.
  dvb::SignalQuality signal{.locked = !lock.starts_with("none") && !lock.starts_with('(')};
  signal.strength_percent = percent_in(text, " ss=");
  signal.snr_percent = percent_in(text, " snq=");
  // The share of the last second that was received without errors.
  if (signal.locked) signal.bit_errors = 100U - percent_in(text, " seq=");
  return signal;
}

ControlSession::ControlSession(unsigned tuner, std::uint32_t lock_key)
    : tuner_("/tuner" + std::to_string(tuner) + '/'),
      lock_key_(lock_key),
      reader_([this](const Reply& reply) { take(reply, fed_at_); }) {}

bool ControlSession::feed(wire::Bytes bytes, Time now) {
  fed_at_ = now;
  return reader_.feed(bytes);
}

void ControlSession::request(Request request, std::string_view name, std::optional<std::string_view> value, Time now) {
  last_request_ = format_request(tuner_ + std::string(name), value, value ? lock_key_ : 0);
  output_ += last_request_;
  awaited_ = request;
  sent_at_ = now;
}

void ControlSession::begin(const std::string& server, const std::string& query, std::uint16_t port, Time now) {
  server_ = server;
  channel_ = query;
  port_ = port;
  error_.clear();
  playing_ = false;
  filter_.clear();
  delivered_.clear();
  resumed_.clear();
  data_at_.reset();
  status_ = {};
  // A request in progress is answered first.
  restarts_ = awaits_reply();
  if (!restarts_) next(is_locked_ ? Request::use : Request::none, {}, now);
}

void ControlSession::end(Time now) {
  if (is_locked_) request(Request::untarget, "target", "none", now);
}

void ControlSession::forget() {
  playing_ = is_locked_ = restarts_ = false;
  awaited_ = Request::none;
  output_.clear();
}

void ControlSession::reconnected(Time now) {
  if (awaits_reply()) {
    output_ = last_request_;
    sent_at_ = now;
  } else if (playing_) {
    request(Request::status, "status", std::nullopt, now);
  }
}

void ControlSession::take(const Reply& reply, Time now) {
  const Request done = std::exchange(awaited_, Request::none);
  // Not requested: the reply to a request before an error.
  if (done == Request::none) return;
  if (done == Request::lock && reply.error.empty()) is_locked_ = true;
  if (std::exchange(restarts_, false) && (done != Request::lock || is_locked_))
    return next(is_locked_ ? Request::use : Request::none, {}, now);
  const bool releases = done == Request::untarget || done == Request::untune || done == Request::unlock;
  if (!reply.error.empty() && !releases) return refuse(done, reply.error, now);
  next(done, reply.value, now);
}

/// Sends the request that follows the one that is done.
void ControlSession::next(Request done, const std::string& value, Time now) {
  switch (done) {
    case Request::none:
      return request(Request::lock, "lockkey", std::to_string(lock_key_), now);
    case Request::lock:
      return request(Request::use, "target", std::nullopt, now);
    case Request::use:
      // Some programs use a tuner without locking it.
      if (!host_of(value).empty() && host_of(value) != local_host_) {
        const std::string user(host_of(value));
        request(Request::unlock, "lockkey", "none", now);
        std::string unlocking = std::move(output_);
        fail("the tuner is in use by " + user);
        output_ = std::move(unlocking);
        return;
      }
      return request(Request::channel, "channel", channel_, now);
    case Request::channel:
      return filters_ ? request_filter(now) : request_target(now);
    case Request::filter:
      if (!delivered_.empty()) {
        for (const std::uint16_t pid : requested_) {
          if (!std::ranges::binary_search(delivered_, pid)) resumed_.push_back(pid);
        }
      }
      delivered_ = requested_;
      return playing_ ? void() : request_target(now);
    case Request::target:
      playing_ = true;
      status_at_ = now;
      return;
    case Request::status:
      status_ = read_status(value);
      return;
    case Request::untarget:
      return request(Request::untune, "channel", "none", now);
    case Request::untune:
      return request(Request::unlock, "lockkey", "none", now);
    case Request::unlock:
      is_locked_ = false;
      return;
  }
}

void ControlSession::request_filter(Time now) {
  requested_ = wanted_;
  std::ranges::sort(requested_);
  filter_ = format_filter(requested_);
  request(Request::filter, "filter", filter_, now);
}

void ControlSession::request_target(Time now) {
  const std::string_view protocol = is_plain_ ? "udp://" : "rtp://";
  request(Request::target, "target", std::string(protocol) + local_host_ + ':' + std::to_string(port_), now);
}

void ControlSession::refuse(Request refused, const std::string& why, Time now) {
  if (refused == Request::filter) {
    filters_ = false;
    return playing_ ? void() : request_target(now);
  }
  if (refused == Request::target && !is_plain_) {
    is_plain_ = true;
    return request_target(now);
  }
  if (refused == Request::status) return;
  // The lock stays ours for the next attempt, and is released with the source.
  const bool is_ours = refused != Request::lock && is_locked_;
  fail(why);
  is_locked_ = is_ours;
}

void ControlSession::tick(Time now) {
  if (awaits_reply()) {
    if (now - sent_at_ >= (awaited_ == Request::channel ? kChannelTimeout : kReplyTimeout)) fail("it does not answer");
    return;
  }
  if (!playing_) return;
  if (filters_) {
    std::vector<std::uint16_t> sorted = wanted_;
    std::ranges::sort(sorted);
    if (sorted != requested_) return request_filter(now);
  }
  if (now - status_at_ < kStatusInterval) return;
  status_at_ = now;
  request(Request::status, "status", std::nullopt, now);
}

dvb::SignalQuality ControlSession::signal(Time now) const {
  if (!playing_) return {};
  dvb::SignalQuality signal = status_;
  signal.locked = signal.locked || (data_at_ && now - *data_at_ < kMaxDataAge);
  return signal;
}

}  // namespace receiverd::hdhomerun
