// Collects the sections of one sub-table (EN 300 468 §5.1.1: same table_id, extension and version) from the carousel.
//
// The shown version is the last complete one. Until there is one, it consists of the sections of the newest version
// received so far. A repeated section is recognised by its CRC_32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

class SubTable {
 public:
  /// Returns true if the shown version has changed. `section` must be the one `header` was read from.
  bool add(const SectionHeader& header, wire::Bytes section);

  bool empty() const { return shown_.held == 0; }
  bool complete() const { return !empty() && shown_.held == shown_.sections.size(); }

  /// Bytes stored, of the shown version and of a partial next one.
  std::size_t bytes() const { return shown_.bytes + next_.bytes; }

  /// Visits the sections of the shown version, in order of section_number.
  template <typename Visit>
  void each(Visit visit) const {
    for (const Section& section : shown_.sections) {
      if (!section.empty()) visit(section);
    }
  }

  template <typename Table>
  Table table() const {
    Table table;
    each([&](wire::Bytes section) { append_section(section, table); });
    return table;
  }

 private:
  struct Edition {
    std::uint8_t version = 0;
    std::size_t held = 0;
    std::size_t bytes = 0;
    std::vector<Section> sections;  // by section_number; missing ones are empty

    bool is(const SectionHeader& header) const;
    /// Returns false if this section is already stored.
    bool put(const SectionHeader& header, wire::Bytes section);
  };

  Edition shown_;
  Edition next_;
};

}  // namespace receiverd::dvb
