// EIT sections to events (EN 300 468 §5.2.4 and the descriptors of §6.2 that an event may have).
//
//   section: table_id .. last_table_id (14 bytes) | event* | CRC_32
//   event:   event_id 16 | start MJD 16, BCD 24 | duration BCD 24 | running_status 3 | free_CA_mode 1 | length 12 |
//   descriptors
//
// Two passes over a section: the first collects the texts that do not say which character table they are in, so that
// the whole section decides together (table_evidence.h); the second decodes. Nothing in a section is trusted: what does
// not fit is counted and left out, an event with a broken time is left out as a whole.
//
// Thread safety: none; one decoder per thread. The section and its events are reused from call to call.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "epg/event.h"
#include "epg/huffman_text.h"
#include "epg/table_evidence.h"
#include "epg/text_defaults.h"

namespace receiverd::epg {

struct EitOptions {
  /// Which language to take when an event comes in several, best first; then the first one sent.
  std::vector<Language> languages;
  std::shared_ptr<const TextDefaults> defaults = std::make_shared<TextDefaults>();
  std::shared_ptr<const HuffmanTables> huffman;
  /// "The Long..." with a text "...Title. About it" becomes one title.
  bool join_split_titles = true;
  /// Empty the short text when the extended text begins with it.
  bool drop_repeated_short_text = false;
};

/// Sums since the decoder was made.
struct EitCounters {
  std::uint64_t sections = 0;
  std::uint64_t malformed_sections = 0;  ///< no EIT, shorter than it says, section_number over the last
  std::uint64_t events = 0;
  std::uint64_t malformed_events = 0;       ///< loop cut short, times that are no BCD
  std::uint64_t undefined_starts = 0;       ///< NVOD reference events: no start time
  std::uint64_t malformed_descriptors = 0;  ///< longer than their loop or too short for their fields
  TextErrors text;
};

/// An event as it is sent: event_id, start and duration (10 bytes), which running_status, free_CA_mode and the length
/// of the loop may follow (12 bytes), and its descriptors.
struct CodedEvent {
  wire::Bytes head;
  wire::Bytes descriptors;
};

class EitDecoder {
 public:
  explicit EitDecoder(EitOptions options = {});

  /// The section, valid until the next call; nothing when it is not a whole, current EIT section. The CRC_32 is read
  /// but not checked: that is done where sections are put together.
  const EitSection* decode(wire::Bytes section);

  /// Events of one service that come in no section (files); like those of a section they decide together which table
  /// their texts are in. Valid until the next call. Those with a broken time are left out.
  std::span<const Event> decode_events(const ServiceKey& service, std::span<const CodedEvent> events);

  const EitCounters& counters() const { return counters_; }

 private:
  /// An extended_event_descriptor (§6.2.15).
  struct ExtendedPart {
    /// False when it is shorter than it says.
    bool read(wire::Bytes body);

    std::uint8_t number = 0;
    Language language = 0;
    wire::Bytes items;
    wire::Bytes text;
  };
  struct LanguageEvidence {
    Language language;
    TextAssumption assumption;  ///< before the texts themselves say more
    TableEvidence evidence;
  };

  void decode_coded(std::span<const CodedEvent> events);
  void collect_evidence(std::span<const CodedEvent> events);
  void add_evidence(Language language, wire::Bytes text);
  bool decode_event(const CodedEvent& coded, Event& event);
  void decode_descriptors(wire::Bytes descriptors, Event& event);
  void decode_extended(wire::Bytes descriptors, Language wanted, Event& event);
  Language choose_language(wire::Bytes descriptors, std::uint8_t tag) const;
  TextAssumption assumption(Language language) const;
  void read_text(wire::Bytes bytes, Language language, std::string& text);

  const EitOptions options_;
  EitSection section_;
  std::vector<CodedEvent> coded_;
  EitCounters counters_;
  std::vector<LanguageEvidence> evidence_;
  // Of decode_extended(), kept for their memory.
  std::vector<ExtendedPart> parts_;
  std::vector<wire::Bytes> part_texts_;
};

/// "The Long..." and "...Title. About it" become "The Long Title" and "About it"; true when they did. Both have to be
/// longer than five bytes; the part that moves ends at the first of . : ! ? and has three characters or more, as has
/// the rest.
bool join_split_title(std::string& title, std::string& text);

}  // namespace receiverd::epg
