#include "epg/text_pool.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

using namespace receiverd::epg;

TEST_CASE("equal texts have one id, the empty text has none") {
  TextPool pool;
  const TextId id = pool.add("News");
  CHECK(id != 0);
  CHECK(pool.add("News") == id);
  CHECK(pool.add("") == 0);
  CHECK(pool.text(0).empty());
  CHECK(pool.text(id) == "News");
  CHECK(pool.size() == 1);
  pool.release(id);
  CHECK(pool.living(id));
  pool.release(id);
  CHECK_FALSE(pool.living(id));
  CHECK(pool.text_bytes() == 0);
}

TEST_CASE("texts that are too long are cut at a character") {
  TextPool pool;
  std::string text(TextPool::kLongestText - 1, 'a');
  const TextId id = pool.add(text + "é");
  CHECK(pool.text(id) == text);
}

TEST_CASE("any order of adding, releasing and compacting keeps what is referenced") {
  std::mt19937 random(1);
  TextPool pool;
  std::multimap<TextId, std::string> model;
  for (int step = 0; step < 60000; ++step) {
    const bool grow = step % 20000 < 12000;
    if (model.empty() || random() % 10 < (grow ? 7U : 3U)) {
      std::string text = "text " + std::to_string(random() % 5000);
      text.resize(text.size() + random() % 200, '.');
      model.emplace(pool.add(text), text);
    } else {
      auto any = model.lower_bound(static_cast<TextId>(random() % pool.end()));
      if (any == model.end()) any = model.begin();
      pool.release(any->first);
      model.erase(any);
    }
    if (step % 5000 == 4999) pool.compact();
  }
  pool.compact();
  for (const auto& [id, text] : model) REQUIRE(pool.text(id) == text);
  const std::size_t full = pool.memory_bytes();
  for (const auto& [id, text] : model) pool.release(id);
  pool.compact();
  CHECK(pool.size() == 0);
  CHECK(pool.memory_bytes() < full);
}
