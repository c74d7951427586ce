// Tests of folding and of splitting text into words.
#include "epg/text/fold.h"

#include <doctest/doctest.h>

#include "epg/text/utf8.h"
#include "epg/text/words.h"

using namespace receiverd::epg;

TEST_CASE("texts that people consider equal are folded to the same text") {
  CHECK(folded("ÀÉÎÕÜ àéîõü") == "aeiou aeiou");
  CHECK(folded("Straße STRASSE ẞ") == "strasse strasse ss");
  CHECK(folded("İstanbul ISTANBUL ıstanbul") == "istanbul istanbul istanbul");
  CHECK(folded("ΣΟΦΟΣ σοφός") == "σοφοσ σοφοσ");
  CHECK(folded("Ёлка ЕЛКА") == "елка елка");
  CHECK(folded("Йод") == "йод");
  CHECK(folded("ﬁn Œuvre Æon Łódź Đorđe Øre") == "fin oeuvre aeon lodz dorde ore");
  CHECK(folded("e\u0301 é") == "e e");
  CHECK(folded("ＡＢＣ１２３") == "abc123");
  CHECK(folded("It’s “so” – well…") == "it's \"so\" - well...");
  CHECK(folded("a\u00ADb\u200Bc\u00A0d") == "abc d");
  CHECK(folded("\u0086Em\u0087ph") == "emph");
  CHECK(folded("한국어 中文 日本語 がぎ") == "한국어 中文 日本語 がぎ");
  CHECK(folded("हिन्दी ไทย") == "हिन्दी ไทย");
  CHECK(folded("שָׁלוֹם مُحَمَّد") == "שלום محمد");
  CHECK(folded("🎬 Film") == "🎬 film");
}

TEST_CASE("folding is idempotent, and its result is UTF-8") {
  for (char32_t code = 1; code < 0x30000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(text, code);
    const std::string once = folded(text);
    REQUIRE(valid_utf8(once));
    REQUIRE(once.size() <= text.size() * kFoldGrowth);
    if (folded(once) != once) FAIL_CHECK("character number " << static_cast<unsigned>(code));
  }
  CHECK(folded("\xFF\xC3(").size() == 1);
}

TEST_CASE("texts are split into words") {
  CHECK(words_of("it's a 2-part film") == std::vector<std::string_view>{"it", "s", "a", "2", "part", "film"});
  CHECK(words_of("中文 abc ไท") == std::vector<std::string_view>{"中", "文", "abc", "ไ", "ท"});
  CHECK(words_of(" …!").empty());
  CHECK(words_of("that\uFFFDs ⸮") == std::vector<std::string_view>{"that", "s"});
  CHECK(is_word_edge("ab", 0));
  CHECK_FALSE(is_word_edge("ab", 1));
  CHECK(is_word_edge("ab", 2));
  CHECK(is_word_edge("中文", 3));
  CHECK_FALSE(is_word_edge("éa", 2));
}
