// Decodes EIT sections into events (EN 300 468 §5.2.4, and the descriptors of §6.2 that an event may have).
//
//   section: table_id .. last_table_id (14 bytes) | event* | CRC_32
//   event:   event_id 16 | start MJD 16, BCD 24 | duration BCD 24 | running_status 3 | free_CA_mode 1 | length 12
//            | descriptors
//
// Each section is read in two passes. The first collects the texts that do not state their character table, so that the
// whole section decides together (text/table_evidence.cc); the second decodes. Nothing in a section is trusted:
// malformed parts are counted and dropped, and an event with an invalid time is dropped as a whole.
//
// Thread safety: none; one decoder per thread. The section and its events are reused from call to call.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "epg/eit/text_defaults.h"
#include "epg/event/event.h"
#include "epg/text/dvb_text.h"
#include "epg/text/huffman_text.h"

namespace receiverd::epg {

struct EitOptions {
  /// Preferred languages of events that are sent in several, in order of preference. If an event has none of them, the
  /// first one sent is used.
  std::vector<Language> languages;
  std::shared_ptr<const TextDefaults> defaults = std::make_shared<TextDefaults>();
  std::shared_ptr<const HuffmanTables> huffman;
  /// "The Long..." with a text "...Title. About it" becomes one title.
  bool join_split_titles = true;
};

/// Sums since the decoder was created.
struct EitCounters {
  std::uint64_t sections = 0;
  std::uint64_t malformed_sections = 0;  ///< not an EIT, truncated, or section_number > last_section_number
  std::uint64_t events = 0;
  std::uint64_t malformed_events = 0;       ///< loop cut short, times that are not BCD
  std::uint64_t undefined_starts = 0;       ///< NVOD reference events: no start time
  std::uint64_t malformed_descriptors = 0;  ///< longer than their loop or too short for their fields
  TextErrors text;
};

/// An event as sent: a head of event_id, start and duration (10 bytes), optionally followed by running_status,
/// free_CA_mode and the loop length (12 bytes); then its descriptors.
struct CodedEvent {
  wire::Bytes head;
  wire::Bytes descriptors;
};

class EitDecoder {
 public:
  explicit EitDecoder(EitOptions options = {});

  /// The decoded section of a multiplex with these rules, valid until the next call. Returns null unless it is a
  /// complete, current EIT section. The CRC_32 is read but not checked: the section assembler has done that.
  EitSection* decode(wire::Bytes section, const SiRules& rules = {});

  /// Decodes events of one service from a file, where they are not in sections. As in a section, their character table
  /// is decided from all texts together. The result is valid until the next call. Events with an invalid time are
  /// dropped.
  std::span<const Event> decode_events(const DvbTriplet& service, std::span<const CodedEvent> events);

  const EitCounters& counters() const { return counters_; }

 private:
  /// An extended_event_descriptor (§6.2.15).
  struct ExtendedPart {
    /// False if the body is shorter than its length fields say.
    bool read(wire::Bytes body);

    std::uint8_t number = 0;
    Language language = 0;
    wire::Bytes items;
    wire::Bytes text;
  };
  struct LanguageEvidence {
    Language language;
    TextAssumption assumption;  ///< before the texts themselves add evidence
    TableEvidence evidence;
  };

  void decode_coded(std::span<const CodedEvent> events);
  void collect_evidence(std::span<const CodedEvent> events);
  void add_evidence(Language language, wire::Bytes text);
  bool decode_event(const CodedEvent& coded, Event& event);
  void decode_descriptors(wire::Bytes descriptors, Event& event);
  bool decode_arib(std::uint8_t tag, wire::Bytes body, Event& event);
  void decode_extended(wire::Bytes descriptors, Language wanted, Event& event);
  Language choose_language(wire::Bytes descriptors, std::uint8_t tag) const;
  TextAssumption assumption(Language language) const;
  void read_text(wire::Bytes bytes, Language language, std::string& text);

  const EitOptions options_;
  EitSection section_;
  std::vector<CodedEvent> coded_;
  EitCounters counters_;
  std::vector<LanguageEvidence> evidence_;
  // Working memory of decode_extended().
  std::vector<ExtendedPart> parts_;
  std::vector<wire::Bytes> part_texts_;
};

/// Joins a title that is continued in the text: "The Long..." and "...Title. About it" become "The Long Title" and
/// "About it". Returns true if it did. Both must be longer than five bytes. The part that moves ends at the first of
/// . : ! ?; it and the rest of the text must have at least three bytes.
bool join_split_title(std::string& title, std::string& text);

}  // namespace receiverd::epg
