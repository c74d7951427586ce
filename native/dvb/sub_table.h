// Collects the sections of one sub-table (EN 300 468 §5.1.1: same table_id, extension and version) from the carousel.
//
// Shown is the last complete version; while there is none, whatever has come of the newest. A section that is already
// known is recognised by its CRC_32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

class SubTable {
 public:
  /// True when what is shown has changed. `section` must be the one `header` was read from.
  bool add(const SectionHeader& header, wire::Bytes section);

  bool empty() const { return shown_.held == 0; }
  bool complete() const { return !empty() && shown_.held == shown_.sections.size(); }

  /// Bytes kept, of the shown version and of one under way.
  std::size_t bytes() const { return shown_.bytes + next_.bytes; }

  /// What is shown, in order of section_number.
  template <typename Table>
  Table table() const {
    Table table;
    for (const Section& section : shown_.sections) {
      if (!section.empty()) append_section(section, table);
    }
    return table;
  }

 private:
  struct Edition {
    std::uint8_t version = 0;
    std::size_t held = 0;
    std::size_t bytes = 0;
    std::vector<Section> sections;  // by section_number; empty ones have not come

    bool is(const SectionHeader& header) const;
    /// False when that very section is already there.
    bool put(const SectionHeader& header, wire::Bytes section);
  };

  Edition shown_;
  Edition next_;
};

}  // namespace receiverd::dvb
