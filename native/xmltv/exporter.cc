#include "xmltv/exporter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "xmltv/text.h"
#include "xmltv/values.h"

namespace receiverd::xmltv {
namespace {

void append_number(std::string& out, unsigned number) {
  std::array<char, 12> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_text(std::string& out, std::string_view element, std::string_view lang, std::string_view text) {
  out.append("\t\t<").append(element);
  if (!lang.empty()) {
    out += " lang=\"";
    append_escaped_value(out, lang);
    out += '"';
  }
  out += '>';
  append_escaped(out, text);
  out.append("</").append(element).append(">\n");
}

}  // namespace

Exporter::Exporter(std::shared_ptr<const epg::Store> store, std::vector<ExportedService> services,
                   ExportOptions options)
    : store_(std::move(store)), services_(std::move(services)), options_(std::move(options)), from_(options_.from) {}

std::string Exporter::next() {
  std::string out;
  out.reserve(kPieceBytes + kPieceBytes / 4);
  if (!std::exchange(started_, true)) write_head(out);
  while (out.size() < kPieceBytes && channel_ < services_.size()) write_channel(out, services_[channel_++]);
  while (out.size() < kPieceBytes && service_ < services_.size()) write_window(out);
  if (out.size() < kPieceBytes && !std::exchange(ended_, true)) out += "</tv>\n";
  return out;
}

void Exporter::write_head(std::string& out) const {
  out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tv SYSTEM \"xmltv.dtd\">\n<tv";
  if (!options_.generator.empty()) {
    out += " generator-info-name=\"";
    append_escaped_value(out, options_.generator);
    out += '"';
  }
  out += ">\n";
}

void Exporter::write_channel(std::string& out, const ExportedService& service) const {
  out += "\t<channel id=\"";
  append_escaped_value(out, service.id);
  out += "\">\n";
  append_text(out, "display-name", {}, service.name);
  if (!service.number.empty()) append_text(out, "display-name", {}, service.number);
  if (!service.icon.empty()) {
    out += "\t\t<icon src=\"";
    append_escaped_value(out, service.icon);
    out += "\"/>\n";
  }
  out += "\t</channel>\n";
}

void Exporter::write_window(std::string& out) {
  const ExportedService& service = services_[service_];
  const epg::Store::Reader reader = store_->read();
  const epg::Timeline* const timeline = reader.find(service.key);
  const wire::UnixSeconds until = std::min(from_ + kWindowSeconds, options_.until);
  wire::UnixSeconds next = options_.until;
  if (timeline != nullptr && from_ < until) {
    timeline->window(from_, until, [&](const epg::EventRecord& event) {
      // An event that began earlier has been written with the previous window.
      if (!window_written_ || static_cast<wire::UnixSeconds>(event.start) >= from_) {
        write_programme(out, service, reader.view(event));
      }
    });
    if (const epg::EventRecord* const event = timeline->after(until - 1)) next = event->start;
  }
  window_written_ = true;
  from_ = next;
  if (next < options_.until) return;
  ++service_;
  from_ = options_.from;
  window_written_ = false;
}

void Exporter::write_programme(std::string& out, const ExportedService& service, const epg::EventView& event) const {
  out += "\t<programme start=\"";
  append_time(out, event.start);
  if (event.duration != 0) {
    out += "\" stop=\"";
    append_time(out, static_cast<wire::UnixSeconds>(event.start) + event.duration);
  }
  out += "\" channel=\"";
  append_escaped_value(out, service.id);
  out += "\">\n";

  const std::string own = lang_of(event.language);
  const std::string_view lang = own.empty() ? options_.lang : own;
  append_text(out, "title", lang, event.title);
  if (!event.short_text.empty()) append_text(out, "sub-title", lang, event.short_text);
  if (!event.extended_text.empty()) append_text(out, "desc", lang, event.extended_text);
  if (!event.details.empty()) {
    const epg::EventDetails details = epg::unpack_details(event.details);
    for (const epg::Genre& genre : details.genres) {
      const std::string& name = options_.genres[genre.nibbles];
      if (name.empty()) continue;
      out += "\t\t<category";
      if (options_.genre_numbers) {
        out += " id=\"";
        append_number(out, genre.nibbles);
        out += '"';
      }
      out += " lang=\"en\">";
      append_escaped(out, name);
      out += "</category>\n";
    }
    if (!details.picture.empty()) {
      out += "\t\t<icon src=\"";
      append_escaped_value(out, details.picture);
      out += "\"/>\n";
    }
    if (!details.rating.empty()) {
      out += "\t\t<rating><value>";
      append_escaped(out, details.rating);
      out += "</value></rating>\n";
    }
    for (const epg::ParentalRating& rating : details.parental) {
      const int age = age_of(rating);
      if (age == 0) continue;
      out += "\t\t<rating system=\"";
      append_escaped_value(out, {rating.country.data(), rating.country.size()});
      out += "\"><value>";
      append_number(out, static_cast<unsigned>(age));
      out += "</value></rating>\n";
    }
  }
  out += "\t</programme>\n";
}

}  // namespace receiverd::xmltv
