// Finds the front ends of this machine.
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
  /// Missing if the front end could not be opened or queried.
  std::optional<Capabilities> capabilities;
  /// The human-readable reason if `capabilities` is missing.
  std::string error;
  /// The adapter has several front ends but one demultiplexer: only one of them works at a time.
  bool shared = false;
};

/// Opens each front end for reading, which does not disturb its user. Takes seconds if a driver loads firmware.
std::vector<FoundFrontEnd> find_front_ends(System& system);

/// The front ends as JSON: FrontEndInformation[] of native/addon.d.ts.
std::string front_ends_json(const std::vector<FoundFrontEnd>& found);

}  // namespace receiverd::frontend
