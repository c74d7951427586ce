// Loads the files of the demo at run time: the guide texts and loops of assets/demo/.
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

/// One entry per service, in the order of the line-up.
using Assets = std::vector<ServiceAssets>;

/// Reads the files of `folder`, about 2 MB. Tuners that play at the same time share one copy, which is freed with the
/// last of them. May be called from any thread. @throws std::runtime_error that names the missing or damaged file
std::shared_ptr<const Assets> load_assets(const std::string& folder);

}  // namespace receiverd::demo
