// Benchmark of the guide without Node, for bench/guide.bench.ts:
//
//   guide_bench fold TEXTS FOLDED            folds a file of texts for search, the same input for all contenders
//   guide_bench run CORPUS FOLDED QUERIES ANSWERS MILLISECONDS
//       imports the corpus as EIT sections, runs the queries, prints one JSON object; the answers, a line each, go
//       to a file, so that they can be compared with those of rivals
//
// bench/guide-corpus.ts writes the files. A query is a line: match TAB where TAB text. The match is one of `contains`,
// `word`, `phrase` or `suggest`; where is `title` or `all`.
//
//   receiverd         EIT decoder, store, index, search; a query is timed from its text to the keys of its hits
//   enigma2           see enigma2_scan.h, with the folded texts as its texts
//   reading memory    reads every folded text once: the lower bound for any search that reads the texts
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "dvb/packets/section_writer.h"
#include "enigma2_scan.h"
#include "epg/eit/eit_decoder.h"
#include "epg/eit/event_descriptors.h"
#include "epg/files/guide_snapshot.h"
#include "epg/search/search.h"
#include "epg/store/store.h"
#include "epg/text/fold.h"

namespace {

using namespace receiverd;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "guide_bench: %s\n", why);
  std::exit(1);
}

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t next() {
    std::uint32_t value = 0;
    if (bytes_.size() < sizeof(value)) fail("a file is truncated");
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_.remove_prefix(sizeof(value));
    return value;
  }
  std::string_view text() {
    const std::uint32_t size = next();
    if (bytes_.size() < size) fail("a file is truncated");
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  std::vector<std::string_view> texts() {
    std::vector<std::string_view> all(next());
    for (std::string_view& one : all) one = text();
    return all;
  }

 private:
  std::string_view bytes_;
};

struct CorpusEvent {
  std::uint32_t service, id, start, duration, title, short_text, long_text, genre;
};

epg::DvbTriplet key_of(std::uint32_t service) {
  return {1, static_cast<std::uint16_t>(1 + (service >> 12U)), static_cast<std::uint16_t>(service)};
}

// ---- EIT sections (EN 300 468 §5.2.4)

dvb::Section dvb_utf8(std::string_view text) { return epg::utf8_text(text, 1 << 16); }

std::uint32_t bcd(std::uint32_t number) { return number / 10 << 4U | number % 10; }

dvb::Section encode(const CorpusEvent& event, const std::vector<std::string_view>& texts) {
  epg::EventDescriptorWriter descriptors;
  if (!descriptors.short_event("eng", dvb_utf8(texts[event.title]), dvb_utf8(texts[event.short_text]))) {
    fail("a short text is too long");
  }
  if (event.long_text != 0 && !descriptors.extended_event("eng", {}, dvb_utf8(texts[event.long_text]), 1)) {
    fail("a long text is too long");
  }
  if (event.genre != 0) descriptors.content(static_cast<std::uint8_t>(event.genre));
  const dvb::Section loop = descriptors.take();
  const std::uint32_t mjd = event.start / 86'400 + 40'587;
  const std::uint32_t second = event.start % 86'400;
  const std::array<std::uint32_t, 12> header{event.id >> 8U,
                                             event.id,
                                             mjd >> 8U,
                                             mjd,
                                             bcd(second / 3600),
                                             bcd(second / 60 % 60),
                                             bcd(second % 60),
                                             bcd(event.duration / 3600),
                                             bcd(event.duration / 60 % 60),
                                             bcd(event.duration % 60),
                                             static_cast<std::uint32_t>(loop.size() >> 8U),
                                             static_cast<std::uint32_t>(loop.size())};
  dvb::Section out(header.size() + loop.size());
  std::transform(header.begin(), header.end(), out.begin(),
                 [](std::uint32_t byte) { return static_cast<std::uint8_t>(byte); });
  std::copy(loop.begin(), loop.end(), out.begin() + header.size());
  return out;
}

/// The complete schedule of one service: every table is one segment with full sections.
std::vector<dvb::Section> schedule_of(std::span<const CorpusEvent> events, const std::vector<std::string_view>& texts) {
  constexpr std::size_t kRoom = 4096 - 14 - 4;
  std::vector<dvb::Section> bodies(1);
  for (const CorpusEvent& event : events) {
    const dvb::Section bytes = encode(event, texts);
    if (bytes.size() > kRoom) fail("an event is too long for a section");
    if (bodies.back().size() + bytes.size() > kRoom) bodies.emplace_back();
    bodies.back().insert(bodies.back().end(), bytes.begin(), bytes.end());
  }
  const std::size_t last_table = (bodies.size() - 1) / 256;
  if (last_table > 15) fail("a service has too many events");
  const epg::DvbTriplet service = key_of(events.front().service);
  std::vector<dvb::Section> sections;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t table = i / 256;
    const auto last = static_cast<std::uint8_t>(table == last_table ? (bodies.size() - 1) % 256 : 255);
    dvb::SectionHeader header;
    header.table_id = static_cast<std::uint8_t>(0x50 + table);
    header.table_id_extension = service.service_id;
    header.section_number = static_cast<std::uint8_t>(i % 256);
    header.last_section_number = last;
    dvb::SectionWriter writer(header);
    writer.u16(service.transport_stream_id);
    writer.u16(service.original_network_id);
    writer.u8(last);
    writer.u8(static_cast<std::uint8_t>(0x50 + last_table));
    writer.bytes(bodies[i]);
    sections.push_back(writer.finish());
  }
  return sections;
}

// ---- measuring

std::size_t resident_bytes() {
  malloc_trim(0);
  std::ifstream status("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  status >> size >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct Ingested {
  double decode_and_apply = 0;  ///< milliseconds
  double apply = 0;
  std::uint64_t sections = 0;
  std::uint64_t bytes = 0;
};

Ingested ingest(epg::Store& store, std::vector<CorpusEvent>& events, const std::vector<std::string_view>& texts) {
  Ingested sum;
  epg::EitOptions options;
  options.join_split_titles = false;  // so that the texts equal those of the rivals
  epg::EitDecoder decoder(options);
  for (auto begin = events.begin(); begin != events.end();) {
    const auto end =
        std::find_if(begin, events.end(), [&](const CorpusEvent& event) { return event.service != begin->service; });
    for (const dvb::Section& section : schedule_of({begin, end}, texts)) {
      ++sum.sections;
      sum.bytes += section.size();
      const auto start = Clock::now();
      const epg::EitSection* decoded = decoder.decode(section);
      const auto middle = Clock::now();
      if (decoded == nullptr || !store.apply(*decoded)) fail("a section was refused");
      sum.apply += milliseconds_since(middle);
      sum.decode_and_apply += milliseconds_since(start);
    }
    begin = end;
  }
  const auto start = Clock::now();
  store.settle();
  sum.decode_and_apply += milliseconds_since(start);
  return sum;
}

/// The number of events that are not in the store as sent.
std::size_t compare(const epg::Store& store, const std::vector<CorpusEvent>& events,
                    const std::vector<std::string_view>& texts) {
  std::size_t wrong = 0;
  for (auto begin = events.begin(); begin != events.end();) {
    const auto end =
        std::find_if(begin, events.end(), [&](const CorpusEvent& event) { return event.service != begin->service; });
    const epg::Store::Reader reader = store.read();
    const epg::DvbTriplet key = key_of(begin->service);
    std::vector<epg::EventView> stored;
    if (const auto* timeline = reader.find(key); timeline != nullptr) {
      timeline->window(0, UINT32_MAX, [&](const epg::EventRecord& event) { stored.push_back(reader.view(event)); });
    }
    std::sort(stored.begin(), stored.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    std::size_t found = 0;
    for (auto event = begin; event != end; ++event) {
      while (found < stored.size() && stored[found].id < event->id) ++found;
      if (found == stored.size() || stored[found].id != event->id || stored[found].start != event->start ||
          stored[found].duration != event->duration || stored[found].title != texts[event->title] ||
          stored[found].short_text != texts[event->short_text] ||
          stored[found].extended_text != texts[event->long_text]) {
        ++wrong;
      }
    }
    begin = end;
  }
  return wrong;
}

struct Question {
  epg::Query query;
  bool suggest = false;
};

std::vector<Question> read_questions(const char* path) {
  std::ifstream file(path);
  std::vector<Question> questions;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (second == std::string::npos) fail("a query does not have three fields");
    const std::string match = line.substr(0, first);
    Question question;
    question.suggest = match == "suggest";
    question.query.match = match == "word"     ? epg::TextMatch::word
                           : match == "phrase" ? epg::TextMatch::phrase
                                               : epg::TextMatch::contains;
    question.query.within = line.substr(first + 1, second - first - 1) == "title"
                                ? epg::scope::kTitle
                                : epg::scope::kTitle | epg::scope::kShort | epg::scope::kLong;
    question.query.texts = {line.substr(second + 1)};
    question.query.limit = 100;
    questions.push_back(std::move(question));
  }
  return questions;
}

/// The result of a query: its hits, or the suggestions as JSON.
struct Answer {
  std::size_t total = 0;
  std::vector<bench::Enigma2Guide::Hit> first;
  std::string suggestions;
};

Answer ask(const epg::Store& store, const Question& question) {
  Answer answer;
  if (question.suggest) {
    answer.suggestions = epg::suggest(store, question.query.texts.front(), 0, 10);
    return answer;
  }
  const epg::Store::Reader reader = store.read();
  const epg::Hits hits = epg::find_events(reader, question.query);
  answer.total = hits.total;
  answer.first.reserve(hits.events.size());
  for (const epg::EventSlot slot : hits.events) {
    const epg::EventRecord& event = reader.event(slot);
    answer.first.push_back({event.start, reader.service_of(event).service_id, event.id});
  }
  return answer;
}

void write(std::ostream& out, const Answer& answer) {
  out << "{\"total\":" << answer.total << ",\"first\":[";
  for (std::size_t i = 0; i < answer.first.size(); ++i) {
    const auto& [start, service, id] = answer.first[i];
    out << (i > 0 ? "," : "") << '"' << start << ' ' << service << ' ' << id << '"';
  }
  out << "],\"suggestions\":" << (answer.suggestions.empty() ? "null" : answer.suggestions) << "}\n";
}

/// Runs rounds over all queries while there is time, at least one, and returns the median time of each query. Each
/// query runs once unmeasured and then once measured, as for the rivals.
template <typename Run>
std::vector<double> time_rounds(std::size_t count, double milliseconds, Run run) {
  constexpr std::size_t kMaxRounds = 9;
  std::vector<std::vector<double>> times(count);
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < kMaxRounds && (round == 0 || milliseconds_since(begin) < milliseconds); ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      run(i);
      const auto start = Clock::now();
      run(i);
      times[i].push_back(milliseconds_since(start));
    }
  }
  std::vector<double> medians;
  for (auto& one : times) {
    std::nth_element(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(one.size() / 2), one.end());
    medians.push_back(one[one.size() / 2]);
  }
  return medians;
}

void print(const char* name, const std::vector<double>& numbers) {
  std::printf(",\"%s\":[", name);
  for (std::size_t i = 0; i < numbers.size(); ++i) std::printf("%s%.6f", i > 0 ? "," : "", numbers[i]);
  std::printf("]");
}

void run_enigma2(const std::vector<CorpusEvent>& events, const std::vector<std::string_view>& folded,
                 const std::vector<Question>& questions, double milliseconds) {
  bench::Enigma2Guide guide;
  for (const CorpusEvent& event : events) {
    guide.add(event.service, static_cast<std::uint16_t>(event.id), event.start, folded[event.title],
              folded[event.short_text], folded[event.long_text]);
  }
  std::vector<double> times;
  std::printf(",\"enigma2\":[");
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const epg::Query& query = questions[i].query;
    if (questions[i].suggest || query.match != epg::TextMatch::contains || milliseconds_since(begin) > milliseconds) {
      std::printf("%snull", i > 0 ? "," : "");
      continue;
    }
    const std::string wanted = epg::folded(query.texts.front());
    const auto start = Clock::now();
    auto hits = guide.search(wanted, query.within != epg::scope::kTitle);
    const std::size_t first = std::min(query.limit, hits.size());
    std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(first), hits.end());
    const double time = milliseconds_since(start);
    std::printf("%s{\"milliseconds\":%.6f,\"total\":%zu,\"first\":[", i > 0 ? "," : "", time, hits.size());
    for (std::size_t at = 0; at < first; ++at) {
      std::printf("%s\"%u %u %u\"", at > 0 ? "," : "", hits[at].start, hits[at].service, hits[at].id);
    }
    std::printf("]}");
  }
  std::printf("]");
}

/// Saves the guide and loads it again, as a restarted program does: up to the answer to the first search.
void run_snapshot(epg::Store& store, const Question& question, const std::string& path) {
  const auto saving = Clock::now();
  epg::save_guide(store, path, 0);
  const double saved = milliseconds_since(saving);
  std::vector<double> times;
  std::size_t resident = 0;
  for (int round = 0; round < 5; ++round) {
    const std::size_t before = resident_bytes();
    const auto start = Clock::now();
    epg::Store again;
    const epg::GuideLoaded loaded = epg::load_guide(again, path);
    if (!loaded.ok()) fail(loaded.why.c_str());
    if (ask(again, question).total != ask(store, question).total) fail("the snapshot differs from the guide");
    times.push_back(milliseconds_since(start));
    resident = resident_bytes() - before;
  }
  std::printf(",\"saveMilliseconds\":%.3f,\"snapshotBytes\":%llu,\"loadedResidentBytes\":%zu", saved,
              static_cast<unsigned long long>(std::filesystem::file_size(path)), resident);
  print("loadMilliseconds", times);
}

/// Milliseconds taken to read every folded text once.
double read_memory(const std::vector<std::string_view>& folded) {
  std::vector<std::uint64_t> words;
  std::string all;
  for (const std::string_view text : folded) all += text;
  words.resize(all.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), all.data(), words.size() * sizeof(std::uint64_t));
  std::vector<double> times;
  volatile std::uint64_t sink = 0;
  for (int round = 0; round < 11; ++round) {
    const auto start = Clock::now();
    sink = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
    times.push_back(milliseconds_since(start));
  }
  static_cast<void>(sink);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int fold_file(const char* in, const char* out) {
  const std::string bytes = read_file(in);
  const auto texts = Numbers(bytes).texts();
  std::string folded;
  const auto number = [&](std::size_t value) {
    const auto narrow = static_cast<std::uint32_t>(value);
    folded.append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
  };
  number(texts.size());
  for (const std::string_view text : texts) {
    const std::string one = epg::folded(text);
    number(one.size());
    folded += one;
  }
  std::ofstream(out, std::ios::binary) << folded;
  return 0;
}

int run(const char* corpus_path, const char* folded_path, const char* queries_path, const char* answers_path,
        double milliseconds) {
  const std::string corpus = read_file(corpus_path);
  Numbers numbers(corpus);
  const std::vector<std::string_view> texts = numbers.texts();
  std::vector<CorpusEvent> events(numbers.next());
  for (CorpusEvent& event : events) {
    event = {numbers.next(), numbers.next(), numbers.next(), numbers.next(),
             numbers.next(), numbers.next(), numbers.next(), numbers.next()};
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const CorpusEvent& a, const CorpusEvent& b) { return a.service < b.service; });

  const std::size_t before = resident_bytes();
  epg::Store store;
  const Ingested ingested = ingest(store, events, texts);
  const std::size_t resident = resident_bytes() - before;
  std::size_t stored = 0;
  std::size_t memory = 0;
  {
    const epg::Store::Reader reader = store.read();
    stored = reader.events();
    memory = reader.memory_bytes();
  }
  std::printf("{\"events\":%zu,\"wrong\":%zu,\"memoryBytes\":%zu,\"residentBytes\":%zu", stored,
              compare(store, events, texts), memory, resident);
  std::printf(",\"ingestMilliseconds\":%.3f,\"applyMilliseconds\":%.3f,\"sections\":%llu,\"sectionBytes\":%llu",
              ingested.decode_and_apply, ingested.apply, static_cast<unsigned long long>(ingested.sections),
              static_cast<unsigned long long>(ingested.bytes));

  const std::vector<Question> questions = read_questions(queries_path);
  {
    std::ofstream answers(answers_path, std::ios::binary);
    for (const Question& question : questions) write(answers, ask(store, question));
  }
  print("receiverd",
        time_rounds(questions.size(), milliseconds, [&](std::size_t i) { return ask(store, questions[i]); }));

  run_snapshot(store, questions.front(), std::string(answers_path) + ".snapshot");

  const std::string folded_bytes = read_file(folded_path);
  const auto folded = Numbers(folded_bytes).texts();
  std::size_t folded_size = 0;
  for (const std::string_view text : folded) folded_size += text.size();
  std::printf(",\"foldedBytes\":%zu,\"readMilliseconds\":%.6f", folded_size, read_memory(folded));
  run_enigma2(events, folded, questions, milliseconds);
  std::printf("}\n");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4 && std::string_view(arguments[1]) == "fold") return fold_file(arguments[2], arguments[3]);
  if (count == 7 && std::string_view(arguments[1]) == "run") {
    return run(arguments[2], arguments[3], arguments[4], arguments[5], std::atof(arguments[6]));
  }
  std::fprintf(stderr, "guide_bench fold TEXTS FOLDED | run CORPUS FOLDED QUERIES ANSWERS MILLISECONDS\n");
  return 2;
}
