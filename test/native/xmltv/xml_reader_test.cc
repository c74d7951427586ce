// Tests of the XML reader: any split of the input, positions of errors, limits, pausing.
#include "xmltv/xml_reader.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace receiverd::xmltv;

namespace {

/// Records what the reader reports: `(name a=1|text)`.
class Recorder final : public XmlHandler {
 public:
  explicit Recorder(std::vector<std::string_view> attributes = {}) : attributes_(std::move(attributes)) {}

  XmlNext start_element(std::string_view name, const XmlAttributes& attributes) override {
    said += "(" + std::string(name);
    for (const std::string_view attribute : attributes_) {
      if (attributes.has(attribute))
        said += " " + std::string(attribute) + "=" + std::string(attributes.get(attribute));
    }
    said += "|";
    return XmlNext::proceed;
  }
  void text(std::string_view piece) override { said += piece; }
  XmlNext end_element(std::string_view name) override {
    said += ")";
    return name == "pause" ? XmlNext::pause : name == "stop" ? XmlNext::stop : XmlNext::proceed;
  }
  std::string refusal() const override { return "stopped"; }

  std::string said;

 private:
  std::vector<std::string_view> attributes_;
};

std::string at(const XmlError& error) {
  return std::to_string(error.line) + ":" + std::to_string(error.column) + " " + error.what;
}

/// The reader's report on the document, fed in pieces of `size`, followed by the error.
std::string read(std::string_view document, std::size_t size = 1 << 20, std::vector<std::string_view> attributes = {}) {
  Recorder recorder(std::move(attributes));
  XmlReader reader(recorder);
  for (std::size_t begin = 0; begin < document.size() && !reader.failed(); begin += size) {
    const std::string_view piece = document.substr(begin, size);
    for (std::size_t taken = 0; taken < piece.size() && !reader.failed();) taken += reader.read(piece.substr(taken));
  }
  return reader.finish() ? recorder.said : recorder.said + "! " + at(reader.error());
}

}  // namespace

TEST_CASE("elements, attributes and texts are passed on unchanged, however the input is split into pieces") {
  const std::string_view document =
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE tv SYSTEM \"a>b\" [ <!ENTITY x \"]>\"> <!-- ]> ' --> <?p ]> ?> ]>\n"
      "<!-- - -- <x> -->\n"
      "<a k='1 > 0' l=\"&lt;&#65;&#x42;&unknown;&\" m = \"\"\n>x &amp; y&#10;<b/>z<![CDATA[<raw> & ]] ]]]>"
      "<d >&uuml;&nosp; & & &toolongtobeanameofanythingatallyouknow;</d\t></a>\n<!-- end --><?pi?>\n";
  const std::string expected =
      "(a k=1 > 0 l=<AB&unknown;& m=|x & y\n(b|)z<raw> & ]] ](d|ü&nosp; & & "
      "&toolongtobeanameofanythingatallyouknow;))";
  CHECK(read(document, 1 << 20, {"k", "l", "m"}) == expected);
  for (std::size_t size = 1; size < 40; ++size) CHECK(read(document, size, {"k", "l", "m"}) == expected);
}

TEST_CASE("an error is reported with its line and column") {
  const auto place = [](std::string_view document) {
    const std::string whole = read(document);
    for (std::size_t size = 1; size < 7; ++size) CHECK(read(document, size) == whole);
    return whole.substr(whole.find("! ") + 2);
  };
  CHECK(place("<a>\n <b>äö</c></a>") == "2:11 </c> found where </b> is expected");
  CHECK(place("<a>\n\n") == "3:1 the document ends inside <a>");
  CHECK(place("") == "1:1 the document is empty");
  CHECK(place("<a/>text") == "1:5 there is text outside the root element");
  CHECK(place("<a/><b/>").find("second root element <b>") != std::string::npos);
  CHECK(place("<a><").find("ends inside <a>") != std::string::npos);
  CHECK(place("<a/><!-- ").find("ends inside a tag, comment or declaration") != std::string::npos);
  CHECK(place("<a>1 < 2</a>").find("does not begin a tag") != std::string::npos);
  CHECK(place("<a b=c></a>").find("no quoted value") != std::string::npos);
  CHECK(place("<a b=\"c></a><a x=\"\">").find("closing quote") != std::string::npos);
  CHECK(place("<a <b>").find("not closed") != std::string::npos);
  CHECK(place("</a>").find("closes nothing") != std::string::npos);
  CHECK(place("<a><!ELEMENT></a>").find("begins no known declaration") != std::string::npos);
  CHECK(place("plain text").find("outside the root") != std::string::npos);
}

TEST_CASE("input that would take unbounded memory is refused") {
  const auto refused = [](std::string_view document) {
    Recorder recorder;
    XmlReader reader(recorder);
    reader.read(document);
    return reader.failed() ? reader.error().what : "";
  };
  std::string deep;
  for (std::size_t i = 0; i <= XmlReader::kMaxDepth; ++i) deep += "<a>";
  CHECK(refused(deep).find("deeper") != std::string::npos);
  CHECK(refused("<a b='" + std::string(XmlReader::kMaxTagBytes, 'x')).find("longer") != std::string::npos);
  CHECK(refused("<" + std::string(XmlReader::kMaxNameBytes + 1, 'x') + ">").find("longer") != std::string::npos);
  std::string many = "<a";
  for (std::size_t i = 0; i < 1000; ++i) many += " a" + std::to_string(i) + "='1'";
  CHECK(refused(many + ">").empty());
}

TEST_CASE("a handler may pause and stop") {
  Recorder recorder;
  XmlReader reader(recorder);
  const std::string_view document = "<a><pause/><pause>x</pause>y<stop/></a>";
  std::size_t taken = reader.read(document);
  CHECK(recorder.said == "(a|(pause|)");
  taken += reader.read(document.substr(taken));
  CHECK(recorder.said == "(a|(pause|)(pause|x)");
  reader.read(document.substr(taken));
  CHECK(reader.failed());
  CHECK(reader.error().what == "stopped");
}
