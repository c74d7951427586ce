#include "demo/assets.h"

#include <mutex>
#include <stdexcept>

namespace receiverd::demo {
namespace {

ServiceAssets load_service(const LineupEntry& service, const std::string& folder) {
  const std::string begin = folder + "/" + std::string(service.files);
  const std::string guide = begin + ".txt";
  const std::vector<std::uint8_t> text = read_file(guide);
  ServiceAssets assets{read_guide_text({text.begin(), text.end()}), {}};
  if (!is_complete(assets.guide)) throw std::runtime_error(guide + ": damaged");
  for (const StreamEntry& stream : service.streams) {
    std::string path = begin;
    if (!stream.language.empty()) path.append(".").append(stream.language);
    assets.loops.emplace_back(path.append(".").append(traits(stream.coding).ending), stream);
  }
  return assets;
}

}  // namespace

std::shared_ptr<const Assets> load_assets(const std::string& folder) {
  struct Shared {
    std::mutex mutex;
    std::string folder;
    std::weak_ptr<const Assets> assets;
  };
  static Shared shared;
  const std::lock_guard lock(shared.mutex);
  if (auto assets = shared.assets.lock(); assets && shared.folder == folder) return assets;
  auto assets = std::make_shared<Assets>();
  for (const LineupEntry& service : lineup()) assets->push_back(load_service(service, folder));
  shared.folder = folder;
  shared.assets = assets;
  return assets;
}

}  // namespace receiverd::demo
