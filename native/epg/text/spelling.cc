#include "epg/text/spelling.h"

#include <algorithm>
#include <array>
#include <vector>

#include "epg/text/words.h"

namespace receiverd::epg {

namespace {

constexpr std::size_t kMaxBytes = 32;

std::size_t allowed_slips(std::string_view word) { return word.size() < 4 ? 0 : word.size() < 8 ? 1 : 2; }

}  // namespace

std::size_t slips_between(std::string_view a, std::string_view b, std::size_t max) {
  if (a == b) return 0;
  const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (apart > max || std::max(a.size(), b.size()) > kMaxBytes) return max + 1;
  // Rows of the distances between the beginnings of both words: the current one, and the two before it.
  using Row = std::array<std::size_t, kMaxBytes + 1>;
  Row older{}, old{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) old[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, old[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // A swap can lead from the row before, but costs a slip, so no later distance is below the least of two rows.
    if (least > max + 1) return max + 1;
    older = old;
    old = row;
  }
  return std::min(old[b.size()], max + 1);
}

std::size_t slips_in(std::span<const std::string_view> words, std::string_view text) {
  const std::vector<std::string_view> there = words_of(text);
  std::size_t sum = 0;
  for (const std::string_view word : words) {
    const std::size_t max = allowed_slips(word);
    std::size_t least = max + 1;
    for (const std::string_view other : there) least = std::min(least, slips_between(word, other, max));
    if (least > max) return kTooManySlips;
    sum += least;
  }
  return sum;
}

}  // namespace receiverd::epg
