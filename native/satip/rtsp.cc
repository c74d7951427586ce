#include "satip/rtsp.h"

#include <algorithm>
#include <charconv>

namespace receiverd::satip {

namespace {

constexpr std::string_view kProtocol = "RTSP/";
/// Channels that count as a frame: some servers use others than the two requested.
constexpr unsigned kMaxChannels = 8;
constexpr std::size_t kFrameHead = 4;
constexpr std::size_t kMaxTextLength = 120;
constexpr std::size_t kMaxWordLength = 256;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

unsigned number_in(std::string_view text) {
  unsigned value = 0;
  text = trimmed(text);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool same_name(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; };
  return std::ranges::equal(one, other, {}, lower, lower);
}

/// Removes the part before `separator`, and the separator, from the text. Returns the part.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

/// A value that later requests contain; empty unless it is one word, so that it cannot add a header.
std::string_view word_in(std::string_view text) {
  text = trimmed(text);
  const bool is_word = std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  return is_word && text.size() <= kMaxWordLength ? text : std::string_view{};
}

void take_session(std::string_view value, Reply& reply) {
  reply.session = word_in(take_until(value, ';'));
  while (!value.empty()) {
    std::string_view parameter = trimmed(take_until(value, ';'));
    if (same_name(trimmed(take_until(parameter, '=')), "timeout")) reply.timeout = number_in(parameter);
  }
}

/// The length of the head, including the empty line that ends it; npos if that line is missing.
std::size_t head_length(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const std::size_t next = at + 1 < text.size() && text[at + 1] == '\r' ? at + 2 : at + 1;
    if (next < text.size() && text[next] == '\n') return next + 1;
  }
  return std::string_view::npos;
}

/// Reads status line and headers. Returns the length of the body.
std::size_t read_head(std::string_view head, Reply& reply) {
  std::string_view first = take_until(head, '\n');
  take_until(first, ' ');
  reply.code = number_in(take_until(first, ' '));
  reply.phrase = trimmed(first);
  std::size_t body = 0;
  while (!head.empty()) {
    std::string_view value = take_until(head, '\n');
    const std::string_view name = trimmed(take_until(value, ':'));
    value = trimmed(value);
    if (same_name(name, "CSeq")) reply.sequence = number_in(value);
    if (same_name(name, "Session")) take_session(value, reply);
    if (same_name(name, "com.ses.streamID")) reply.stream = word_in(value);
    if (same_name(name, "Content-Length")) body = number_in(value);
  }
  return body;
}

}  // namespace

std::string text_of(const Reply& reply) {
  std::string text = std::to_string(reply.code) + ' ' + reply.phrase;
  std::string_view body = reply.body;
  const std::string_view line = trimmed(take_until(body, '\n'));
  // The first line of the body is the reason: "No-More: frontends", "Out-of-Range: freq".
  if (reply.code >= 400 && !line.empty()) text.append(" (").append(line).append(")");
  text.resize(std::min(text.size(), kMaxTextLength));
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

void RtspReader::feed(wire::Bytes bytes) {
  if (!waiting_.empty()) {
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    const std::size_t consumed = consume(waiting_);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(consumed));
    return;
  }
  const std::size_t consumed = consume(bytes);
  waiting_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(consumed), bytes.end());
}

/// Returns the number of bytes that were consumed.
std::size_t RtspReader::consume(wire::Bytes bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const wire::Bytes rest = bytes.subspan(at);
    if (rest[0] == '$') {
      if (rest.size() < kFrameHead) return at;
      const std::size_t length = std::size_t{rest[2]} << 8 | rest[3];
      if (rest[1] < kMaxChannels) {
        if (rest.size() < kFrameHead + length) return at;
        frame_(rest[1], rest.subspan(kFrameHead, length));
        at += kFrameHead + length;
        continue;
      }
    } else if (const std::size_t shared = std::min(rest.size(), kProtocol.size());
               wire::text_of(rest.first(shared)) == kProtocol.substr(0, shared)) {
      const std::size_t length = consume_text(rest);
      if (length == 0) return at;
      at += length;
      continue;
    }
    const auto next = std::find_if(rest.begin() + 1, rest.end(), [](auto c) { return c == '$' || c == kProtocol[0]; });
    at += static_cast<std::size_t>(next - rest.begin());
  }
  return at;
}

/// Returns the number of bytes consumed; 0 if the reply is incomplete.
std::size_t RtspReader::consume_text(wire::Bytes bytes) {
  const std::string_view text = wire::text_of(bytes.first(std::min(bytes.size(), kMaxHeadBytes)));
  const std::size_t head = head_length(text);
  // Skips all of it: searching for a reply at each byte of garbage would take long.
  if (head == std::string_view::npos) return text.size() < kMaxHeadBytes ? 0 : text.size();
  Reply reply;
  const std::size_t body = read_head(text.substr(0, head), reply);
  if (body > kMaxBodyBytes) return head;
  if (bytes.size() < head + body) return 0;
  reply.body = wire::text_of(bytes.subspan(head, body));
  reply_(reply);
  return head + body;
}

}  // namespace receiverd::satip
