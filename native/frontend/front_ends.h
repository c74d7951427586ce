// The front ends of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/front_end.h"
#include "frontend/system.h"

namespace receiverd::frontend {

struct FoundFrontEnd {
  unsigned adapter = 0;
  unsigned number = 0;
  /// Missing if it could not be asked.
  std::optional<Abilities> abilities;
  /// Why not, for people.
  std::string error;
  /// Front ends of an adapter with one demultiplexer are one tuner with several sockets: only one works at a time.
  bool shared = false;
};

/// Opens each for reading, which disturbs nobody; takes seconds with drivers that load firmware then.
std::vector<FoundFrontEnd> find_front_ends(System& system);

/// The same as JSON: FrontEndInformation[] of native/addon.d.ts.
std::string front_ends_json(const std::vector<FoundFrontEnd>& found);

}  // namespace receiverd::frontend
