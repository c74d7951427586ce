// Tests of XMLTV import and export: channels, languages, missing ends, mistakes, round trips.
#include "xmltv/importer.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "xmltv/exporter.h"

using namespace receiverd;
using namespace receiverd::xmltv;

namespace {

constexpr epg::DvbTriplet kFirst{1, 2, 3};
constexpr epg::DvbTriplet kSecond{1, 2, 4};

/// The services of a channel by its id; records the questions.
struct Channels {
  std::map<std::string, std::vector<epg::DvbTriplet>> services;
  std::vector<std::string> asked;

  void answer(Importer& importer) {
    std::vector<std::vector<epg::DvbTriplet>> answers;
    std::string batch;
    for (const Importer::Question& question : importer.asked()) {
      batch += (batch.empty() ? "" : " ") + question.id;
      for (const std::string& name : question.names) batch += "/" + name;
      const auto found = services.find(question.id);
      answers.push_back(found == services.end() ? std::vector<epg::DvbTriplet>{} : found->second);
    }
    asked.push_back(batch);
    importer.answer(std::move(answers));
  }
};

struct Imported {
  std::shared_ptr<epg::Store> store = std::make_shared<epg::Store>();
  Channels channels{{{"one", {kFirst}}, {"two", {kSecond}}, {"both", {kFirst, kSecond}}}, {}};
  XmltvOptions options;
  wire::UnixSeconds not_before = 0;
  std::unique_ptr<Importer> importer;

  Importer::State run(std::string_view document, std::size_t size = 1 << 20) {
    importer = std::make_unique<Importer>(store, options, not_before);
    Importer::State state = Importer::State::more;
    const auto settle = [&] {
      state = importer->advance();
      while (state == Importer::State::asks) {
        channels.answer(*importer);
        state = importer->advance();
      }
    };
    for (std::size_t at = 0; at < document.size() && state == Importer::State::more; at += size) {
      const std::string_view piece = document.substr(at, size);
      importer->feed({reinterpret_cast<const std::uint8_t*>(piece.data()), piece.size()});
      settle();
    }
    if (state == Importer::State::more) {
      importer->finish();
      settle();
    }
    return state;
  }

  /// `start+duration title/short/long` of each event, in hours of the first day of 2026.
  std::string shown(const epg::DvbTriplet& service) const {
    const epg::Store::Reader reader = store->read();
    std::string out;
    const epg::Timeline* const timeline = reader.find(service);
    if (timeline == nullptr) return out;
    timeline->window(0, 0xFFFFFFFF, [&](const epg::EventRecord& record) {
      const epg::EventView event = reader.view(record);
      out += (out.empty() ? "" : ", ") + std::to_string((event.start - 1767225600) / 3600) + "+" +
             std::to_string(event.duration / 60) + " " + std::string(event.title);
      if (!event.short_text.empty()) out += "/" + std::string(event.short_text);
      if (!event.extended_text.empty()) out += "//" + std::string(event.extended_text);
    });
    return out;
  }
};

std::string programme(std::string_view hours, std::string_view channel, std::string_view inside) {
  const std::size_t dash = hours.find('-');
  std::string out = "<programme start=\"20260101" + std::string(hours.substr(0, dash)) + "\"";
  if (dash != std::string_view::npos) out += " stop=\"20260101" + std::string(hours.substr(dash + 1)) + "\"";
  return out + " channel=\"" + std::string(channel) + "\">" + std::string(inside) + "</programme>\n";
}

std::string titled(std::string_view hours, std::string_view channel, std::string_view title) {
  return programme(hours, channel, "<title>" + std::string(title) + "</title>");
}

}  // namespace

TEST_CASE("programmes are stored for the services of their channels, however the document is split into pieces") {
  const std::string document =
      "<?xml version=\"1.0\"?><!DOCTYPE tv SYSTEM \"xmltv.dtd\"><tv generator-info-name=\"x\">"
      "<channel id=\"one\"><display-name lang=\"de\">Eins</display-name><display-name>One</display-name>"
      "<icon src=\"http://x/y.png\"/></channel><channel id=\"none\"><display-name>None</display-name></channel>" +
      titled("06-07", "one", "Early &amp; fresh") + titled("06-08", "none", "Nowhere") +
      programme("07-08", "one",
                "<title>Late</title><sub-title> Part  2 </sub-title><desc>\n  Long\n  text\n</desc><credits><actor>"
                "A</actor></credits><date>2020</date><title-of-nothing>x</title-of-nothing>") +
      titled("09-10", "late", "Asked later") + titled("10-12", "both", "Two places") + "</tv>";
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    Imported imported;
    CHECK(imported.run(document, size) == Importer::State::done);
    CHECK(imported.shown(kFirst) ==
          "6+60 Early & fresh, 7+60 Late/Part 2//Long\ntext\n2020\nCast: A, 10+120 Two places");
    CHECK(imported.shown(kSecond) == "10+120 Two places");
    CHECK(imported.channels.asked == std::vector<std::string>{"one/Eins/One none/None", "late", "both"});
    CHECK(imported.importer->counters().imported == 3);
    CHECK(imported.importer->counters().unmatched == 2);
    CHECK(imported.importer->matched() == 2);
    CHECK(imported.importer->unmatched() == 2);
  }
}

TEST_CASE("a channel declared after its programmes is asked about again, with its names") {
  Imported imported;
  CHECK(imported.run("<tv>" + titled("06-07", "x", "Lost") +
                     "<channel id=\"x\"><display-name>X</display-name></channel>" + titled("07-08", "x", "Lost too") +
                     "</tv>") == Importer::State::done);
  CHECK(imported.channels.asked == std::vector<std::string>{"x", "x/X"});
  CHECK(imported.importer->unmatched() == 1);
}

TEST_CASE("a missing end is the next start, else the length, else unknown") {
  Imported imported;
  imported.run("<tv>" + titled("06", "one", "A") + titled("08", "two", "B") + titled("0630", "one", "C") +
               programme("10", "one", "<title>D</title><length units=\"hours\">2</length>") + "</tv>");
  CHECK(imported.shown(kFirst) == "6+30 A, 6+210 C, 10+120 D");
  CHECK(imported.shown(kSecond) == "8+0 B");
}

TEST_CASE("an end before the start counts as missing") {
  Imported imported;
  imported.run(
      "<tv>" + titled("23-00", "one", "Over midnight") +
      "<programme start=\"2026010200\" stop=\"2026010201\" channel=\"one\"><title>After</title></programme></tv>");
  CHECK(imported.shown(kFirst) == "23+60 Over midnight, 24+60 After");
  CHECK(imported.importer->counters().imported == 2);
}

TEST_CASE("programmes that share a slot (clumpidx) follow one another") {
  Imported imported;
  const auto clumped = [](const char* clump, const char* title) {
    return "<programme start=\"2026010112\" stop=\"2026010113\" channel=\"one\" clumpidx=\"" + std::string(clump) +
           "\"><title>" + title + "</title></programme>";
  };
  imported.run("<tv>" + clumped("0/2", "News") + clumped("1/2", "Weather") + "</tv>");
  CHECK(imported.shown(kFirst) == "12+30 News, 12+30 Weather");
  CHECK(imported.importer->counters().imported == 2);
  Imported whole;
  whole.run("<tv>" + clumped("2/2", "No part") + "</tv>");
  CHECK(whole.shown(kFirst) == "12+60 No part");
  for (const char* const clump : {"0/0", "x", "1", "-1/2", "99999999999999999999/2", "0/"}) {
    Imported other;
    other.run("<tv>" + clumped(clump, "Whole") + "</tv>");
    CHECK(other.shown(kFirst) == "12+60 Whole");
  }
}

TEST_CASE("programmes that have ended or lack times or a channel are left out and counted") {
  Imported imported;
  imported.not_before = 1767225600 + 8 * 3600;
  imported.run("<tv>" + titled("06-08", "one", "Over") + titled("07-09", "one", "Runs") +
               "<programme start=\"soon\" channel=\"one\"/><programme start=\"2026010110\"/></tv>");
  CHECK(imported.shown(kFirst) == "7+120 Runs");
  CHECK(imported.importer->counters().ended == 1);
  CHECK(imported.importer->read_counters().malformed == 2);
}

TEST_CASE("of several languages the preferred one is used, for all texts of a programme") {
  const std::string both =
      "<title lang=\"fr\">Titre</title><title lang=\"de\">Titel</title><sub-title lang=\"de\">Teil"
      "</sub-title><desc lang=\"fr\">Texte</desc><desc lang=\"de\">Text</desc>";
  const auto in = [&](std::vector<std::string_view> languages) {
    Imported imported;
    for (const std::string_view code : languages) {
      imported.options.languages.push_back(epg::language_of({reinterpret_cast<const std::uint8_t*>(code.data()), 3}));
    }
    imported.run("<tv>" + programme("06-07", "one", both) + "</tv>");
    return imported.shown(kFirst);
  };
  CHECK(in({}) == "6+60 Titre/Teil//Texte");
  CHECK(in({"ger"}) == "6+60 Titel/Teil//Text");
  CHECK(in({"eng", "fra"}) == "6+60 Titre/Teil//Texte");
}

TEST_CASE("the episode number replaces a missing sub-title") {
  const auto shown = [](std::string_view inside) {
    Imported imported;
    imported.run("<tv>" + programme("06-07", "one", inside) + "</tv>");
    return imported.shown(kFirst).substr(5);
  };
  CHECK(shown("<title>T</title><episode-num system=\"xmltv_ns\">1 . 4/13 . 0/1</episode-num>") == "T/S2 E5");
  CHECK(shown("<title>T</title><episode-num system=\"xmltv_ns\">.4.</episode-num>") == "T/E5");
  CHECK(shown("<title>T</title><episode-num system=\"xmltv_ns\">1.4.1/2</episode-num>") == "T/S2 E5 (2)");
  CHECK(shown("<title>T</title><episode-num system=\"xmltv_ns\">1.4.0/2</episode-num>") == "T/S2 E5 (1)");
  CHECK(shown("<title>T</title><episode-num system=\"onscreen\">S01E02</episode-num>") == "T/S01E02");
  CHECK(shown("<title>T</title><episode-num system=\"dd_progid\">EP1.2</episode-num>") == "T");
  CHECK(shown("<title>T</title><sub-title>S</sub-title><episode-num>5</episode-num>") == "T/S//5");
}

TEST_CASE("episode, year, rating and credits are appended to the long text") {
  const auto shown = [](std::string_view inside) {
    Imported imported;
    imported.run("<tv>" + programme("06-07", "one", inside) + "</tv>");
    return imported.shown(kFirst).substr(5);
  };
  constexpr std::string_view kEpisode = "<episode-num system='xmltv_ns'>1.4.</episode-num>";
  constexpr std::string_view kStars =
      "<star-rating system='IMDb'><value> 7.5/10 </value><icon src='x'/></star-rating>"
      "<star-rating><value>1/5</value></star-rating>";
  const std::string numbers = std::string(kEpisode) + "<date>20190312</date>" + std::string(kStars);
  CHECK(shown("<title>T</title><sub-title>S</sub-title><desc>D</desc>" + numbers) ==
        "T/S//D\nS2 E5 · 2019 · IMDb 7.5/10");
  CHECK(shown("<title>T</title><desc>D</desc>" + numbers) == "T/S2 E5//D\n2019 · IMDb 7.5/10");
  CHECK(shown("<title>T</title><date>soon</date>") == "T");
  constexpr std::string_view kCredits =
      "<credits><director>Ann Oak</director><actor role='Dr. Ash'>Bo Elm<image>http://x</image></actor>"
      "<actor>Cy Fir</actor><producer>Di Yew</producer><guest> Ed\nBay </guest><actor/></credits>";
  CHECK(shown("<title>T</title><desc>D</desc>" + std::string(kCredits)) ==
        "T//D\nDirector: Ann Oak\nCast: Bo Elm (Dr. Ash), Cy Fir\nProducer: Di Yew\nGuests: Ed Bay");
  CHECK(shown("<title lang='de'>T</title>" + std::string(kCredits)) ==
        "T//Regie: Ann Oak\nDarsteller: Bo Elm (Dr. Ash), Cy Fir\nProduktion: Di Yew\nGäste: Ed Bay");
  CHECK(shown("<title>In<value>ner</value></title><desc><p>One <b>bold</b> word</p></desc>") == "Inner//One bold word");
  std::string crowd = "<title>T</title><credits>";
  for (int i = 0; i < 1000; ++i) crowd += "<actor>Somebody</actor>";
  CHECK(shown(crowd + "</credits>").size() < XmltvReader::kMaxCreditsBytes + 20);
}

TEST_CASE("a picture is kept if its address is http or https") {
  const auto picture = [](std::string_view icons) {
    Imported imported;
    imported.run("<tv>" + programme("06-07", "one", "<title>T</title>" + std::string(icons)) + "</tv>");
    const epg::Store::Reader reader = imported.store->read();
    const epg::EventRecord* const record = reader.find(kFirst)->after(0);
    return epg::unpack_details(reader.view(*record).details).picture;
  };
  CHECK(picture("<icon src='https://x.example/a.jpg?b=1&amp;c=2' width='200'/>") == "https://x.example/a.jpg?b=1&c=2");
  CHECK(picture("<icon src='file:///etc/passwd'/><icon src='http://y/b.png'/><icon src='http://z/c'/>") ==
        "http://y/b.png");
  CHECK(picture("<icon src='http://x/a b'/><icon src='http://x/\xC3\xA4'/><icon/>").empty());
  const std::string longest = "http://x/" + std::string(246, 'a');
  CHECK(picture("<icon src='" + longest + "'/>") == longest);
  CHECK(picture("<icon src='" + longest + "b'/>").empty());
}

TEST_CASE("programmes before an error in the document are stored") {
  Imported imported;
  CHECK(imported.run("<tv>\n" + titled("06-07", "one", "Good") + "<programme") == Importer::State::failed);
  CHECK(imported.shown(kFirst) == "6+60 Good");
  CHECK(imported.importer->error().line == 3);
  CHECK(imported.run("<html></html>") == Importer::State::failed);
  CHECK(imported.importer->error().what == "this is not XMLTV: its root element is not <tv>");
  CHECK(imported.run("<?xml version='1.0' encoding='EBCDIC'?><tv/>") == Importer::State::failed);
  CHECK(imported.importer->error().what == "the encoding 'ebcdic' is not supported");
}

TEST_CASE("a second import replaces the events and assigns the same ids") {
  Imported imported;
  const auto ids = [&] {
    std::string out;
    imported.store->read().find(kFirst)->window(0, 0xFFFFFFFF,
                                                [&](const auto& event) { out += std::to_string(event.id) + " "; });
    return out;
  };
  imported.run("<tv>" + titled("06-07", "one", "Old") + titled("07-09", "one", "Stays") + "</tv>");
  const std::string before = ids();
  imported.run("<tv>" + titled("06-07", "one", "New") + titled("07-09", "one", "Stays") + "</tv>");
  CHECK(imported.shown(kFirst) == "6+60 New, 7+120 Stays");
  CHECK(ids() == before);
}

TEST_CASE("long texts are cut between characters") {
  Imported imported;
  std::string text;
  while (text.size() < XmltvReader::kMaxTextBytes + 100) text += "ä";
  imported.run("<tv>" + programme("06-07", "one", "<title>T</title><desc>x" + text + "</desc>") + "</tv>", 1000);
  CHECK(imported.importer->read_counters().cut_texts == 1);
  const std::string shown = imported.shown(kFirst);
  CHECK(shown.size() == std::string("6+60 T//").size() + XmltvReader::kMaxTextBytes - 1);
}

TEST_CASE("an export is read back unchanged") {
  auto store = std::make_shared<epg::Store>();
  std::vector<epg::Event> events;
  for (int i = 0; i < 2000; ++i) {
    epg::Event event;
    event.start = 1767225600 + i * 1800;
    event.duration = 1800;
    event.title = "Title <" + std::to_string(i) + "> & \"more\"";
    if (i % 2 == 0) event.short_text = "Short " + std::to_string(i);
    if (i % 3 == 0) event.extended_text = "Long\n\ntext, ]]> ' äöü " + std::to_string(i);
    if (i % 5 != 0) event.language = 0x646575;
    if (i % 7 == 0) event.genres = {{0x21, 0}, {0x35, 0}};
    if (i % 11 == 0) event.parental = {{{'D', 'E', 'U'}, 9}};
    events.push_back(std::move(event));
  }
  store->import_events(kFirst, events, epg::EventIds::assigned, store->begin_import());

  ExportOptions options;
  options.genres[0x21] = "News/weather";
  options.genres[0x35] = "Kids & more";
  Imported imported;
  imported.options.categories.add("News/weather", 0x21);
  imported.options.categories.add("Kids & more", 0x35);
  Exporter exporter(store, {{kSecond, "two", "Empty"}, {kFirst, "one", "A & \"B\""}}, options);
  std::string document;
  std::size_t pieces = 0;
  for (std::string piece = exporter.next(); !piece.empty(); piece = exporter.next(), ++pieces) document += piece;
  CHECK(pieces > 3);
  CHECK(imported.run(document, 777) == Importer::State::done);
  CHECK(imported.channels.asked == std::vector<std::string>{"two/Empty one/A & \"B\""});

  const epg::Store::Reader before = store->read();
  const epg::Store::Reader after = imported.store->read();
  std::vector<epg::EventView> wanted;
  std::vector<epg::EventView> found;
  before.find(kFirst)->window(0, 0xFFFFFFFF, [&](const auto& e) { wanted.push_back(before.view(e)); });
  after.find(kFirst)->window(0, 0xFFFFFFFF, [&](const auto& e) { found.push_back(after.view(e)); });
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].start == wanted[i].start);
    CHECK(found[i].duration == wanted[i].duration);
    CHECK(found[i].title == wanted[i].title);
    CHECK(found[i].short_text == wanted[i].short_text);
    CHECK(found[i].extended_text == wanted[i].extended_text);
    CHECK(found[i].language == wanted[i].language);
    CHECK(found[i].details == wanted[i].details);
  }
}

TEST_CASE("a partial export begins with the running programme") {
  Imported imported;
  imported.run("<tv>" + titled("06-07", "one", "Before") + titled("07-09", "one", "Runs") +
               titled("09-10", "one", "Later") + titled("10-11", "one", "Too late") + "</tv>");
  ExportOptions options;
  options.from = 1767225600 + 8 * 3600;
  options.until = 1767225600 + 10 * 3600;
  options.lang = "en";
  options.generator = "test/1";
  Exporter exporter(imported.store, {{kFirst, "1:0:1:3:2:1:0:0:0:0:", "One"}}, options);
  CHECK(exporter.next() ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n"
        "<tv generator-info-name=\"test/1\">\n"
        "\t<channel id=\"1:0:1:3:2:1:0:0:0:0:\">\n\t\t<display-name>One</display-name>\n\t</channel>\n"
        "\t<programme start=\"20260101070000 +0000\" stop=\"20260101090000 +0000\" channel=\"1:0:1:3:2:1:0:0:0:0:\">\n"
        "\t\t<title lang=\"en\">Runs</title>\n\t</programme>\n"
        "\t<programme start=\"20260101090000 +0000\" stop=\"20260101100000 +0000\" channel=\"1:0:1:3:2:1:0:0:0:0:\">\n"
        "\t\t<title lang=\"en\">Later</title>\n\t</programme>\n</tv>\n");
  CHECK(exporter.next().empty());
}
