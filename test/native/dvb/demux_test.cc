// Tests of sections sent through packets, continuity counter, demux and assembler, intact and damaged.
#include "dvb/multiplex/demux.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "dvb/arbitrary.h"
#include "dvb/packets/section_writer.h"

using namespace receiverd;
using namespace receiverd::dvb;

namespace {

using Stream = std::vector<std::uint8_t>;

constexpr std::uint16_t kPid = 0x12;

class Recorder final : public SectionHandler {
 public:
  void section(wire::Bytes section, std::uint16_t pid) override {
    sections.emplace_back(section.begin(), section.end());
    pids.push_back(pid);
  }
  std::vector<Section> sections;
  std::vector<std::uint16_t> pids;
};

Section section_of(std::size_t size, Arbitrary& any, std::uint8_t id = 0x4E) {
  SectionWriter writer({id, any.u16(), 0, true, 0, 0});
  while (writer.size() + kCrcSize < size) writer.u8(any.u8());
  return writer.finish();
}

/// Packs sections without gaps, as most senders do: a packet in which one starts has a pointer_field.
Stream packed(const std::vector<Section>& sections, std::uint16_t pid) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::size_t> starts;
  for (const Section& section : sections) {
    starts.push_back(bytes.size());
    bytes.insert(bytes.end(), section.begin(), section.end());
  }
  Stream stream;
  std::uint8_t counter = 0;
  std::size_t next_start = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    while (next_start < starts.size() && starts[next_start] < at) ++next_start;
    const std::size_t ahead = next_start < starts.size() ? starts[next_start] - at : kPacketSize;
    // A section that would start in the last byte, where there is no room for a pointer_field, is postponed by an
    // adaptation field.
    const bool begins = ahead < 183;
    const bool put_off = ahead == 183;
    const std::size_t room = begins || put_off ? 183 : 184;
    stream.insert(stream.end(),
                  {kSyncByte, static_cast<std::uint8_t>((begins ? 0x40 : 0) | pid >> 8), static_cast<std::uint8_t>(pid),
                   static_cast<std::uint8_t>((put_off ? 0x30 : 0x10) | counter)});
    counter = (counter + 1) & 15;
    if (begins) stream.push_back(static_cast<std::uint8_t>(ahead));
    if (put_off) stream.push_back(0);
    for (std::size_t i = 0; i < room; ++i, ++at) stream.push_back(at < bytes.size() ? bytes[at] : 0xFF);
  }
  return stream;
}

std::vector<Section> some_sections(Arbitrary& any, std::size_t count) {
  std::vector<Section> sections;
  for (std::size_t i = 0; i < count; ++i) {
    sections.push_back(section_of(any.coin() ? 12 + any.below(300) : 12 + any.below(4085), any));
  }
  return sections;
}

PidStatistics statistics_of(const Demux& demux, std::uint16_t pid) {
  for (const PidStatistics& one : demux.statistics()) {
    if (one.pid == pid) return one;
  }
  return {};
}

void erase_packet(Stream& stream, std::size_t number) {
  const auto at = stream.begin() + static_cast<std::ptrdiff_t>(number * kPacketSize);
  stream.erase(at, at + kPacketSize);
}

/// Whether all of `received` were sent, and arrived in that order.
bool come_in_order(const std::vector<Section>& received, const std::vector<Section>& sent) {
  auto at = sent.begin();
  for (const Section& section : received) {
    at = std::find(at, sent.end(), section);
    if (at == sent.end()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("sections arrive as sent, one per packet run and packed without gaps") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Arbitrary any(seed);
    const auto sections = some_sections(any, 40);
    Stream separate;
    SectionPacketizer packetizer(kPid);
    for (const Section& section : sections) packetizer.write(section, separate);
    for (const Stream& stream : {separate, packed(sections, kPid)}) {
      Demux demux;
      Recorder recorder;
      demux.add_handler(kPid, recorder);
      demux.feed(stream);
      CHECK(recorder.sections == sections);
      const PidStatistics statistics = statistics_of(demux, kPid);
      CHECK(statistics.packets == stream.size() / kPacketSize);
      CHECK(statistics.sections == sections.size());
      CHECK(statistics.continuity_errors == 0);
      CHECK(statistics.section_errors == SectionErrors{});
    }
  }
}

TEST_CASE("a lost packet costs only the sections that had bytes in it") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Arbitrary any(seed);
    const auto sections = some_sections(any, 40);
    Stream stream = packed(sections, kPid);
    const auto lost = 1 + any.below(static_cast<std::uint32_t>(stream.size() / kPacketSize - 2));
    erase_packet(stream, lost);
    Demux demux;
    Recorder recorder;
    demux.add_handler(kPid, recorder);
    demux.feed(stream);
    // The test finds the sections with a byte in the lost packet by checking which ones are missing.
    CHECK(come_in_order(recorder.sections, sections));
    CHECK(recorder.sections.size() < sections.size());
    CHECK(statistics_of(demux, kPid).continuity_errors == 1);
    CHECK(statistics_of(demux, kPid).section_errors.crc == 0);
  }
}

TEST_CASE("a damaged byte never yields a section that was not sent") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Arbitrary any(seed);
    const auto sections = some_sections(any, 10);
    Stream stream = packed(sections, kPid);
    const std::size_t at = any.below(static_cast<std::uint32_t>(stream.size()));
    if (at % kPacketSize == 0) continue;  // the packet reader handles sync bytes
    stream[at] ^= static_cast<std::uint8_t>(1U << any.below(8));
    Demux demux;
    Recorder recorder;
    demux.add_handler(kPid, recorder);
    demux.feed(stream);
    CHECK(come_in_order(recorder.sections, sections));
    CHECK(recorder.sections.size() + 9 >= sections.size());
  }
}

TEST_CASE("a duplicate packet is ignored once, a third one is an error") {
  Arbitrary any(1);
  const std::vector<Section> sections{section_of(1000, any), section_of(300, any)};
  Stream stream;
  SectionPacketizer packetizer(kPid);
  for (const Section& section : sections) packetizer.write(section, stream);
  const Stream third(stream.begin() + 2 * kPacketSize, stream.begin() + 3 * kPacketSize);
  stream.insert(stream.begin() + 3 * kPacketSize, third.begin(), third.end());
  {
    Demux demux;
    Recorder recorder;
    demux.add_handler(kPid, recorder);
    demux.feed(stream);
    CHECK(recorder.sections == sections);
    CHECK(statistics_of(demux, kPid).duplicates == 1);
    CHECK(statistics_of(demux, kPid).continuity_errors == 0);
  }
  stream.insert(stream.begin() + 4 * kPacketSize, third.begin(), third.end());
  Demux demux;
  Recorder recorder;
  demux.add_handler(kPid, recorder);
  demux.feed(stream);
  CHECK(recorder.sections == std::vector<Section>{sections[1]});
  CHECK(statistics_of(demux, kPid).continuity_errors == 1);
  CHECK(statistics_of(demux, kPid).section_errors.lost == 1);
}

TEST_CASE("whole sections whose packets all have the same counter are not ignored") {
  Arbitrary any(2);
  const std::vector<Section> sections{section_of(100, any), section_of(90, any), section_of(400, any)};
  Stream stream;
  for (const Section& section : sections) SectionPacketizer(kPid).write(section, stream);
  Demux demux;
  Recorder recorder;
  demux.add_handler(kPid, recorder);
  demux.feed(stream);
  CHECK(recorder.sections == sections);
}

TEST_CASE("transport errors and scrambled packets are counted and dropped") {
  Arbitrary any(2);
  const Section section = section_of(100, any);
  Stream stream;
  SectionPacketizer packetizer(kPid);
  for (int i = 0; i < 3; ++i) packetizer.write(section, stream);
  stream[1] |= 0x80;
  stream[kPacketSize + 3] |= 0x80;
  Demux demux;
  Recorder recorder;
  demux.add_handler(kPid, recorder);
  demux.feed(stream);
  CHECK(recorder.sections.size() == 1);
  CHECK(statistics_of(demux, kPid).transport_errors == 1);
  CHECK(statistics_of(demux, kPid).scrambled == 1);
  CHECK(demux.totals().packets == 3);
}

TEST_CASE("bad lengths and CRCs are counted") {
  Arbitrary any(3);
  Demux demux;
  Recorder recorder;
  demux.add_handler(kPid, recorder);
  SectionPacketizer packetizer(kPid);
  Stream stream;

  Section crc = section_of(100, any);
  crc[50] ^= 1;
  packetizer.write(crc, stream);
  Section oversized = section_of(200, any, 0x02);
  oversized[1] |= 0x0F;
  packetizer.write(oversized, stream);
  Section truncated = section_of(200, any);
  truncated.resize(150);
  packetizer.write(truncated, stream);  // stuffing replaces the rest, then a new section starts
  Section cut = section_of(1000, any);
  cut.resize(300);
  packetizer.write(cut, stream);
  const Section good = section_of(60, any);
  packetizer.write(good, stream);
  demux.feed(stream);

  CHECK(recorder.sections == std::vector<Section>{good});
  const SectionErrors errors = statistics_of(demux, kPid).section_errors;
  CHECK(errors.crc == 1);
  CHECK(errors.oversized == 1);
  CHECK(errors.truncated == 2);
  CHECK(errors.lost == 0);
}

TEST_CASE("a signalled discontinuity and a seek are not errors") {
  Arbitrary any(4);
  const Section section = section_of(100, any);
  Stream stream;
  SectionPacketizer packetizer(kPid);
  for (int i = 0; i < 3; ++i) packetizer.write(section, stream);
  erase_packet(stream, 1);
  Demux demux;
  Recorder recorder;
  demux.add_handler(kPid, recorder);
  demux.feed(wire::Bytes(stream).first(kPacketSize));
  demux.discontinuity();
  demux.feed(wire::Bytes(stream).last(kPacketSize));
  CHECK(recorder.sections.size() == 2);
  CHECK(demux.totals().continuity_errors == 0);
  // The first packet again is a gap, unless its PID was not delivered for a while.
  demux.restart(kPid);
  demux.restart(kPid + 1);
  demux.feed(wire::Bytes(stream).first(kPacketSize));
  CHECK(demux.totals().continuity_errors == 0);
  demux.restart(kPid + 1);
  demux.feed(wire::Bytes(stream).last(kPacketSize));
  CHECK(demux.totals().continuity_errors == 1);
  CHECK(demux.statistics().size() == 1);
}

TEST_CASE("handlers may be added and removed during delivery") {
  class Leaver final : public SectionHandler {
   public:
    Leaver(Demux& demux, Recorder& other) : demux_(demux), other_(other) {}
    void section(wire::Bytes, std::uint16_t pid) override {
      ++calls;
      demux_.add_handler(0x100, other_);
      demux_.add_handler(pid, other_);
      demux_.remove_handler(pid, *this);
    }
    int calls = 0;

   private:
    Demux& demux_;
    Recorder& other_;
  };
  Arbitrary any(5);
  const std::vector<Section> sections{section_of(50, any), section_of(50, any), section_of(50, any)};
  Demux demux;
  Recorder recorder;
  Leaver leaver(demux, recorder);
  demux.add_handler(kPid, leaver);
  demux.feed(packed(sections, kPid));
  demux.feed(packed(sections, 0x100));
  CHECK(leaver.calls == 1);
  CHECK(recorder.sections.size() == 6);
  demux.remove_handler(0x100, recorder);
  demux.feed(packed(sections, 0x100));
  CHECK(recorder.sections.size() == 6);
  CHECK(statistics_of(demux, 0x100).sections == 3);
}

TEST_CASE("the null PID has no continuity") {
  Stream stream;
  for (int i = 0; i < 5; ++i) {
    stream.resize(stream.size() + kPacketSize);
    write_null_packet(std::span(stream).last<kPacketSize>());
  }
  Demux demux;
  demux.feed(stream);
  CHECK(demux.totals().packets == 5);
  CHECK(demux.totals().duplicates == 0);
  CHECK(demux.totals().continuity_errors == 0);
}
