// What the demo reads at run time: the guide texts and loops of assets/demo/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "demo/guide_text.h"
#include "demo/loop.h"

namespace receiverd::demo {

struct ServiceAssets {
  GuideText guide;
  std::vector<Loop> loops;  ///< in the order of LineupEntry::streams
};

/// In the order of the line-up.
using Assets = std::vector<ServiceAssets>;

/// Reads the files of `folder`, about 2 MB. They are in memory once, however many tuners play them, and until the last
/// of them is closed. Any thread. @throws std::runtime_error that names the file which is missing or damaged
std::shared_ptr<const Assets> load_assets(const std::string& folder);

}  // namespace receiverd::demo
