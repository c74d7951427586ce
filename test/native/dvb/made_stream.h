// Small transport streams generated for a test, and an analysis of received ones.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dvb/packets/clock_shift.h"
#include "dvb/packets/continuity.h"
#include "dvb/packets/packet.h"
#include "dvb/packets/section_writer.h"
#include "dvb/si/tables.h"

namespace receiverd::dvb {

/// Path of a capture in RECEIVERD_TEST_DATA; empty if that is not set.
inline std::string capture(const std::string& name) {
  const char* const folder = std::getenv("RECEIVERD_TEST_DATA");
  return folder == nullptr ? std::string() : std::string(folder) + "/ts/" + name;
}

inline std::vector<std::uint8_t> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline constexpr std::uint16_t kPmtPid = 0x1000;
inline constexpr std::uint16_t kVideo = 0x100;
inline constexpr std::uint16_t kAudio = 0x101;

/// Writes packets one after the other, with continuity counters by PID.
class MadeStream {
 public:
  struct Pes {
    std::uint16_t pid = 0;
    std::uint8_t stream_id = 0xE0;
    std::optional<std::uint64_t> pts = {};  // 90 kHz
    std::optional<std::uint64_t> dts = {};
    std::optional<std::uint64_t> pcr = {};  // 27 MHz
    bool random_access = false;
    bool bounded = true;  // PES_packet_length is set
    std::uint8_t scrambling = 0;
    std::vector<std::uint8_t> payload = {};
  };

  void section(std::uint16_t pid, wire::Bytes section) {
    packetizers_.try_emplace(pid, pid).first->second.write(section, bytes);
  }
  void tables(const Pat& pat, const std::vector<std::pair<std::uint16_t, Pmt>>& pmts) {
    for (const Section& one : write_sections(pat)) section(0, one);
    for (const auto& [pid, pmt] : pmts) {
      for (const Section& one : write_sections(pmt)) section(pid, one);
    }
  }

  /// PAT and PMT of service 1 on transport stream 7: MPEG-2 video with the PCR in it.
  void video_tables() {
    Pmt pmt;
    pmt.service_id = 1;
    pmt.pcr_pid = kVideo;
    pmt.streams = {{0x02, kVideo, {}}};
    Pat pat;
    pat.transport_stream_id = 7;
    pat.programs = {{1, kPmtPid}};
    tables(pat, {{kPmtPid, pmt}});
  }

  void pes(const Pes& made) {
    std::vector<std::uint8_t> pes = {0, 0, 1, made.stream_id, 0, 0, 0x80, 0, 0};
    if (made.pts) {
      time_stamp(pes, made.dts ? 3 : 2, *made.pts);
      pes[7] = made.dts ? 0xC0 : 0x80;
      if (made.dts) time_stamp(pes, 1, *made.dts);
    }
    pes[8] = static_cast<std::uint8_t>(pes.size() - 9);
    pes.insert(pes.end(), made.payload.begin(), made.payload.end());
    if (made.bounded) {
      pes[4] = static_cast<std::uint8_t>((pes.size() - 6) >> 8);
      pes[5] = static_cast<std::uint8_t>(pes.size() - 6);
    }
    bool first = true;
    for (std::size_t at = 0; at < pes.size();) {
      std::vector<std::uint8_t> field;
      if (first && (made.pcr || made.random_access)) {
        field.push_back(static_cast<std::uint8_t>((made.pcr ? 0x10 : 0) | (made.random_access ? 0x40 : 0)));
        if (made.pcr) clock_reference(field, *made.pcr);
      }
      at += packet(made.pid, first, made.scrambling, field, wire::Bytes(pes).subspan(at));
      first = false;
    }
  }

  /// Adds a packet with only a PCR.
  void clock(std::uint16_t pid, std::uint64_t pcr) {
    std::vector<std::uint8_t> field = {0x10};
    clock_reference(field, pcr);
    packet(pid, false, 0, field, {});
  }

  /// Adds one packet with as much of the payload as fits. Returns the number of payload bytes.
  std::size_t packet(std::uint16_t pid, bool start, std::uint8_t scrambling, std::vector<std::uint8_t> field,
                     wire::Bytes payload) {
    const std::size_t room = kPacketSize - 4 - (field.empty() ? 0 : field.size() + 1);
    const std::size_t part = payload.size() < room ? payload.size() : room;
    const bool has_field = !field.empty() || part < room;
    std::uint8_t& counter = counters_.try_emplace(pid, 15).first->second;
    if (part != 0) counter = (counter + 1) & 0x0F;
    bytes.push_back(kSyncByte);
    bytes.push_back(static_cast<std::uint8_t>((start ? 0x40 : 0) | pid >> 8));
    bytes.push_back(static_cast<std::uint8_t>(pid));
    bytes.push_back(
        static_cast<std::uint8_t>(scrambling << 6 | (has_field ? 0x20 : 0) | (part != 0 ? 0x10 : 0) | counter));
    if (has_field) {
      const std::size_t size = kPacketSize - 4 - 1 - part;
      if (field.empty() && size > 0) field.push_back(0);
      field.resize(size, 0xFF);
      bytes.push_back(static_cast<std::uint8_t>(size));
      bytes.insert(bytes.end(), field.begin(), field.end());
    }
    bytes.insert(bytes.end(), payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(part));
    return part;
  }

  std::vector<std::uint8_t> bytes;

 private:
  static void time_stamp(std::vector<std::uint8_t>& out, unsigned mark, std::uint64_t value) {
    out.push_back(static_cast<std::uint8_t>(mark << 4 | (value >> 30 & 7) << 1 | 1));
    out.push_back(static_cast<std::uint8_t>(value >> 22));
    out.push_back(static_cast<std::uint8_t>((value >> 15 & 0x7F) << 1 | 1));
    out.push_back(static_cast<std::uint8_t>(value >> 7));
    out.push_back(static_cast<std::uint8_t>((value & 0x7F) << 1 | 1));
  }
  static void clock_reference(std::vector<std::uint8_t>& out, std::uint64_t pcr) {
    const std::uint64_t base = pcr / 300;
    const std::uint64_t extension = pcr % 300;
    for (const int shift : {25, 17, 9, 1}) out.push_back(static_cast<std::uint8_t>(base >> shift));
    out.push_back(static_cast<std::uint8_t>((base & 1) << 7 | 0x7E | extension >> 8));
    out.push_back(static_cast<std::uint8_t>(extension));
  }

  std::map<std::uint16_t, SectionPacketizer> packetizers_;
  std::map<std::uint16_t, std::uint8_t> counters_;
};

/// Analysis of one PID of a stream, packet by packet.
struct SeenPid {
  std::uint64_t packets = 0;
  std::uint64_t gaps = 0;
  std::uint64_t pcrs = 0;
  std::int64_t max_pcr_step = 0;  // 27 MHz
  std::int64_t min_pcr_step = std::int64_t{1} << 62;
  std::uint64_t pes = 0;
  std::int64_t max_dts_step = 0;  // 90 kHz
  std::int64_t min_dts_step = std::int64_t{1} << 62;
  std::vector<std::uint8_t> payload;  // of all packets, stored on request
};

class Seen {
 public:
  explicit Seen(bool keep_payload = false) : keep_payload_(keep_payload) {}

  void take(wire::Bytes bytes) {
    for (; bytes.size() >= kPacketSize; bytes = bytes.subspan(kPacketSize)) {
      const Packet packet(bytes.data());
      if (bytes[0] != kSyncByte) ++bad;
      One& one = pids_[packet.pid()];
      SeenPid& seen = one.seen;
      ++seen.packets;
      if (packet.pid() != kNullPid && one.counter.check(packet) == Continuity::gap) ++seen.gaps;
      if (const auto pcr = packet.pcr()) {
        if (seen.pcrs++ != 0) step(pcr_difference(*pcr, one.pcr), seen.min_pcr_step, seen.max_pcr_step);
        one.pcr = *pcr;
      }
      if (const auto head = read_pes_head(packet); head && head->dts) {
        if (seen.pes++ != 0) step(pts_difference(*head->dts, one.dts), seen.min_dts_step, seen.max_dts_step);
        one.dts = *head->dts;
      }
      if (keep_payload_) {
        const wire::Bytes payload = packet.payload();
        seen.payload.insert(seen.payload.end(), payload.begin(), payload.end());
      }
    }
    bad += bytes.size();
  }

  bool has(std::uint16_t pid) const { return pids_.contains(pid); }
  const SeenPid& operator[](std::uint16_t pid) { return pids_[pid].seen; }
  std::vector<std::uint16_t> pids() const {
    std::vector<std::uint16_t> all;
    for (const auto& [pid, one] : pids_) all.push_back(pid);
    return all;
  }
  std::uint64_t gaps() const {
    std::uint64_t sum = 0;
    for (const auto& [pid, one] : pids_) sum += one.seen.gaps;
    return sum;
  }

  std::uint64_t bad = 0;  // packets without sync byte, bytes outside packets

 private:
  struct One {
    SeenPid seen;
    ContinuityCounter counter;
    std::uint64_t pcr = 0;
    std::uint64_t dts = 0;
  };
  static void step(std::int64_t value, std::int64_t& min, std::int64_t& max) {
    if (value < min) min = value;
    if (value > max) max = value;
  }

  bool keep_payload_;
  std::map<std::uint16_t, One> pids_;
};

}  // namespace receiverd::dvb
