#include "xmltv/categories.h"

#include <algorithm>

#include "epg/text/fold.h"

namespace receiverd::xmltv {
namespace {

constexpr std::size_t kMaxGenres = 8;

// The folded name without blanks and punctuation: "Children's / Youth" and "childrens/youth" are the same name.
std::string normalised(std::string_view name) {
  std::string text = epg::folded(name);
  text.erase(
      std::remove_if(text.begin(), text.end(),
                     [](char c) { return c == ' ' || c == '\'' || c == '-' || c == '.' || c == '/' || c == '&'; }),
      text.end());
  return text;
}

}  // namespace

void Categories::add(std::string_view name, GenreNibbles genre) { genres_.try_emplace(normalised(name), genre); }

void Categories::append(std::string_view category, std::vector<epg::Genre>& genres) {
  key_.assign(category);
  std::vector<GenreNibbles> looked_up;
  const std::vector<GenreNibbles>* found = &looked_up;
  if (const auto known = cache_.find(key_); known != cache_.end()) {
    found = &known->second;
  } else {
    looked_up = look_up(category);
    if (cache_.size() < kMaxCachedCategories && category.size() <= kMaxCachedCategoryBytes) {
      cache_.emplace(key_, looked_up);
    }
  }
  for (const GenreNibbles nibbles : *found) {
    const epg::Genre genre{nibbles, 0};
    if (genres.size() < kMaxGenres && std::find(genres.begin(), genres.end(), genre) == genres.end()) {
      genres.push_back(genre);
    }
  }
}

std::vector<GenreNibbles> Categories::look_up(std::string_view category) const {
  if (const auto whole = genres_.find(normalised(category)); whole != genres_.end()) return {whole->second};
  std::vector<GenreNibbles> found;
  constexpr std::string_view kSeparators = "/,;|&";
  while (!category.empty() && found.size() < kMaxGenres) {
    const std::size_t end = std::min(category.find_first_of(kSeparators), category.size());
    if (const auto part = genres_.find(normalised(category.substr(0, end))); part != genres_.end()) {
      found.push_back(part->second);
    }
    category.remove_prefix(std::min(end + 1, category.size()));
  }
  return found;
}

}  // namespace receiverd::xmltv
