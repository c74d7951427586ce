// Tests of the text pool: equal texts, reused ids, packing, compaction.
#include "epg/index/text_pool.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace receiverd::epg;

namespace {

TextPool::Staged staged(TextPool& pool, std::string_view text) {
  TextPool::Staged made;
  pool.stage(text, made);
  return made;
}

TextId add(TextPool& pool, std::string_view text) {
  bool added = false;
  return pool.add(staged(pool, text), added);
}

void compact(TextPool& pool) {
  pool.compact(true, [](auto work) { work(); });
}

}  // namespace

TEST_CASE("equal texts have one id, the empty text has none") {
  TextPool pool;
  bool added = false;
  const TextId id = pool.add(staged(pool, "News"), added);
  CHECK(added);
  CHECK(id != 0);
  CHECK(pool.add(staged(pool, "News"), added) == id);
  CHECK_FALSE(added);
  CHECK(add(pool, "") == 0);
  CHECK(pool.text(0).empty());
  CHECK(pool.text(id) == "News");
  CHECK(pool.size() == 1);
  pool.set_value(id, 7);
  CHECK(pool.value(id) == 7);
  pool.release(id);
  CHECK_FALSE(pool.living(id));
  CHECK(pool.text_bytes() == 0);
}

TEST_CASE("a text staged twice before it is added is stored once") {
  TextPool pool;
  const TextPool::Staged first = staged(pool, "News");
  const TextPool::Staged second = staged(pool, "News");
  bool added = false;
  const TextId id = pool.add(first, added);
  CHECK(pool.add(second, added) == id);
  CHECK_FALSE(added);
}

TEST_CASE("the id of a dead text is reused after recycle()") {
  TextPool pool;
  const TextId id = add(pool, "News");
  pool.release(id);
  CHECK(add(pool, "Film") != id);
  pool.recycle(id);
  CHECK(add(pool, "Sport") == id);
}

TEST_CASE("texts that are too long are cut between characters") {
  TextPool pool;
  std::string text(TextPool::kMaxTextBytes - 1, 'a');
  const TextId id = add(pool, text + "é");
  CHECK(pool.text(id) == text);
}

TEST_CASE("adding, releasing and compacting in any order keeps the living texts") {
  bool packs = false;
  SUBCASE("plain texts") {}
  SUBCASE("packed texts") { packs = true; }
  std::mt19937 random(1);
  TextPool pool(packs);
  std::string buffer;
  std::map<TextId, std::string> model;
  for (int step = 0; step < 60000; ++step) {
    const bool grow = step % 20000 < 12000;
    if (model.empty() || random() % 10 < (grow ? 7U : 3U)) {
      std::string text = "text " + std::to_string(random() % 5000);
      for (std::uint32_t more = random() % 40; more > 0; --more) text += more % 3 == 0 ? " Новости" : " weather";
      model[add(pool, text)] = text;
    } else {
      auto any = model.lower_bound(static_cast<TextId>(random() % pool.end()));
      if (any == model.end()) any = model.begin();
      pool.release(any->first);
      pool.recycle(any->first);
      model.erase(any);
    }
    if (step % 5000 == 4999) compact(pool);
  }
  compact(pool);
  CHECK(pool.size() == model.size());
  for (const auto& [id, text] : model) {
    REQUIRE(pool.text(id, buffer) == text);
    REQUIRE(staged(pool, text).id == id);
  }
  const std::size_t full = pool.memory_bytes();
  for (const auto& [id, text] : model) pool.release(id);
  compact(pool);
  CHECK(pool.size() == 0);
  CHECK(pool.memory_bytes() < full);
}

TEST_CASE("packing halves ordinary texts, and learns while texts are added") {
  TextPool plain;
  TextPool packed(true);
  std::string buffer;
  std::mt19937 random(3);
  const std::array<std::string_view, 12> words{"the ",   "film ",    "of ",    "a ",       "detective ", "who ",
                                               "finds ", "Новости ", "город ", "through ", "and ",       "Straße "};
  std::vector<std::pair<TextId, std::string>> known;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint32_t more = 10 + random() % 20; more > 0; --more) text += words[random() % words.size()];
    text += std::to_string(i);
    add(plain, text);
    known.emplace_back(add(packed, text), text);
    if (packed.learning_due(false)) compact(packed);
  }
  compact(packed);
  for (const auto& [id, text] : known) REQUIRE(packed.text(id, buffer) == text);
  CHECK(packed.text_bytes() == plain.text_bytes());
  CHECK(packed.memory_bytes() * 2 < plain.memory_bytes());
}
