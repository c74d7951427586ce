// Tests of the playlists: channel lists, streams, recordings, addresses, escaping.
#include "m3u/playlist.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using namespace receiverd::m3u;
using namespace std::string_view_literals;

namespace {

constexpr Origin kBox{"http://box:8001", "http://box", {}, {}};

std::string packed(std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const std::string_view field : fields) text.append(field).push_back('\0');
  return text;
}

std::string url_of(std::string_view reference) { return address_of(reference, kBox).url; }

}  // namespace

TEST_CASE("a channel list has the format that clients read") {
  CHECK(channel_list(packed({"1:0:19:2B66:3F3:1:C00000:0:0:0:", "Alpha HD", "12", "/picon/alpha.png", ""}), kBox) ==
        "#EXTM3U \n"
        "#EXTVLCOPT:http-reconnect=true\n"
        "#EXTINF:-1 tvg-chno=\"12\" tvg-logo=\"http://box/picon/alpha.png\""
        " tvg-id=\"1:0:19:2B66:3F3:1:C00000:0:0:0:\" tvg-name=\"Alpha HD\",Alpha HD\n"
        "#EXTVLCOPT:program=11110\n"
        "http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:\n"
        "\n");
}

TEST_CASE("an empty channel list has only the head") {
  CHECK(channel_list({}, kBox) == "#EXTM3U \n#EXTVLCOPT:http-reconnect=true\n");
}

TEST_CASE("a truncated entry at the end is left out") {
  CHECK(channel_list("1:0:19:2B66:3F3:1:C00000:0:0:0:\0Alpha\0"sv, kBox) == channel_list({}, kBox));
}

TEST_CASE("group and picon are written when given") {
  const std::string list =
      channel_list(packed({"1:0:1:1:1:1:0:0:0:0:", "A", "", "/picon/a b.png", "News \"24\""}), kBox);
  CHECK(list.find("tvg-logo=\"http://box/picon/a%20b.png\"") != std::string::npos);
  CHECK(list.find("tvg-name=\"A\" group-title=\"News '24'\",A\n") != std::string::npos);
  CHECK(list.find("tvg-chno") == std::string::npos);
  CHECK(channel_list(packed({"1:0:1:1:1:1:0:0:0:0:", "A", "", "", ""}), kBox).find("tvg-logo") == std::string::npos);
  CHECK(channel_list(packed({"1:0:1:1:1:1:0:0:0:0:", "A", "", "https://logos/a.png", ""}), kBox)
            .find("tvg-logo=\"https://logos/a.png\"") != std::string::npos);
}

TEST_CASE("a name cannot start a new line or end an attribute") {
  const std::string list =
      channel_list(packed({"1:0:1:1:1:1:0:0:0:0:", "A\r\n#EXTINF:0,\"B\", \u0086C\u0087 \u00e9", "", "", ""}), kBox);
  CHECK(list.find("tvg-name=\"A#EXTINF:0,'B', C \u00e9\",A#EXTINF:0,\"B\", C \u00e9\n") != std::string::npos);
  CHECK(std::count(list.begin(), list.end(), '\n') == 6);
}

TEST_CASE("the address of a DVB service is its reference on the stream port, without the name") {
  CHECK(url_of("1:0:19:2B66:3F3:1:C00000:0:0:0:") == "http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:");
  CHECK(url_of("1:0:19:2B66:3F3:1:C00000:0:0:0::Own Name") == "http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:");
  CHECK(url_of("1:0:19:2B66:3F3:1:C00000:0:0:0") == "http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:");
  CHECK(url_of("") == "http://box:8001/");
  CHECK(address_of("1:0:19:2B66:3F3:1:C00000:0:0:0:", kBox).service_id == 0x2B66);
  CHECK(url_of("1:0:1:0:0:0:0:0:0:0:/hdd/a b%3a?.ts") == "http://box:8001/1:0:1:0:0:0:0:0:0:0:/hdd/a%20b%253a%3F.ts");
}

TEST_CASE("the address of an IPTV entry is its own URL") {
  CHECK(url_of("4097:0:1:2B66:3F3:1:C00000:0:0:0:http%3a//host%3a8080/live:IPTV One") == "http://host:8080/live");
  CHECK(url_of("4097:0:1:0:0:0:0:0:0:0:http%3a//host/a%20b%0ac\"") == "http://host/a%20b%0Ac%22");
  CHECK(url_of("4097:0:1:0:0:0:0:0:0:0:http%3a//host/a%2520b") == "http://host/a%20b");
  CHECK(url_of("4097:0:1:0:0:0:0:0:0:0:udp%3a//@239.0.0.1%3a1234:x") == "udp://@239.0.0.1:1234");
  CHECK(url_of("5001:0:1:0:0:0:0:0:0:0:http://host:80/a Name") == "http://host:80/a");
  CHECK(url_of("http://[1:2:3:4:5:6:7:8:9:a:b:c]:80/x Name") == "http://[1:2:3:4:5:6:7:8:9:a:b:c]:80/x");
  CHECK_FALSE(address_of("4097:0:1:2B66:3F3:1:C00000:0:0:0:http%3a//h/x", kBox).service_id);
}

TEST_CASE("options of a stream entry become separate lines") {
  const std::string text =
      stream("4097:0:1:0:0:0:0:0:0:0:http%3a//host/x?a=b#User-Agent=My%20Box&Referer=http%3a//r/&X=y", "", kBox);
  CHECK(text ==
        "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTVLCOPT:http-user-agent=My Box\n"
        "#EXTVLCOPT:http-referrer=http://r/\nhttp://host/x?a=b\n");
  CHECK(url_of("4097:0:1:0:0:0:0:0:0:0:http%3a//host/x#top") == "http://host/x#top");
  // The values are percent-encoded in the address, which is percent-encoded in the reference.
  const Address encoded = address_of(
      "4097:0:1:0:0:0:0:0:0:0:http%3a//host/x#User-Agent=My%2520Box%252F1%250A+&Referer=http%253A//r/", kBox);
  CHECK(encoded.user_agent == "My Box/1\n+");
  CHECK(encoded.referrer == "http://r/");
  CHECK(stream("4097:0:1:0:0:0:0:0:0:0:http%3a//host/x#User-Agent=A%250Ahttp%253A//b", "", kBox) ==
        "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTVLCOPT:http-user-agent=Ahttp://b\nhttp://host/x\n");
}

TEST_CASE("a stream relay of the box itself is reached on the stream port") {
  const Address relay = address_of(
      "1:0:19:1:2:3:4:0:0:0:http%3a//127.0.0.1%3a17999/1%253a0%253a19%253a5%253a2%253a3%253a4%253a0%253a0%253a0"
      "%253a:Name",
      kBox);
  CHECK(relay.url == "http://box:8001/1:0:19:5:2:3:4:0:0:0:");
  CHECK(relay.service_id == 5);
  CHECK(url_of("1:0:19:1:2:3:4:0:0:0:http%3a//localhost%3a17999/1%3a0%3a19%3a5%3a2%3a3%3a4%3a0%3a0%3a0%3a") ==
        "http://box:8001/1:0:19:5:2:3:4:0:0:0:");
  CHECK(url_of("1:0:19:1:2:3:4:0:0:0:http%3a//127.0.0.1/live.ts") == "http://127.0.0.1/live.ts");
}

TEST_CASE("a ticket is in the receiver's own addresses and no others") {
  const Origin home{"http://box:8001", "http://box", {}, "a.b.c"};
  CHECK(address_of("1:0:19:2B66:3F3:1:C00000:0:0:0:", home).url ==
        "http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:?ticket=a.b.c");
  CHECK(address_of("1:0:19:2B66:3F3:1:C00000:0:0:0:", {"http://box:8002", {}, "?bitrate=1", "a.b.c"}).url ==
        "http://box:8002/1:0:19:2B66:3F3:1:C00000:0:0:0:?bitrate=1&ticket=a.b.c");
  CHECK(address_of("4097:0:1:0:0:0:0:0:0:0:http%3a//host/live", home).url == "http://host/live");
  CHECK(stream("1:0:19:2B66:3F3:1:C00000:0:0:0:", "", home).find("program=11110") != std::string::npos);
  CHECK(recording({"/hdd/a.ts", {}, -1, {}}, home).find("http://box/file?file=/hdd/a.ts&ticket=a.b.c\n") !=
        std::string::npos);
}

TEST_CASE("the playlist of one stream") {
  CHECK(stream("1:0:19:2B66:3F3:1:C00000:0:0:0:", "Alpha HD", kBox) ==
        "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:-1,Alpha HD\n#EXTVLCOPT:program=11110\n"
        "http://box:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:\n");
  CHECK(stream("", "", kBox) == "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \nhttp://box:8001/\n");
  CHECK(stream("1:0:19:2B66:3F3:1:C00000:0:0:0:", "", {"http://box:8002", {}, "?bitrate=1000000&width=1280", {}}) ==
        "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n"
        "http://box:8002/1:0:19:2B66:3F3:1:C00000:0:0:0:?bitrate=1000000&width=1280\n");
}

TEST_CASE("the playlist of one recording, with and without a .meta file") {
  const std::string_view path = "/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts";
  CHECK(recording({path, "Ships", 3180, "1:0:19:2B66:3F3:1:C00000:0:0:0:"}, {{}, "http://box:80", {}, {}}) ==
        "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \n#EXTINF:3180,Ships\n#EXTVLCOPT:program=11110\n"
        "http://box:80/file?file=/media/hdd/movie/20260101%201857%20-%20Alpha%20HD%20-%20Ships.ts\n");
  CHECK(recording({"/hdd/caf\u00e9 & co#1.ts", {}, -1, {}}, {{}, "http://box", {}, {}}) ==
        "#EXTM3U \n#EXTVLCOPT:http-reconnect=true \nhttp://box/file?file=/hdd/caf%C3%A9%20%26%20co%231.ts\n");
}

TEST_CASE("percent-decoding handles bad input as Enigma2 does") {
  CHECK(percent_decode("a%3ab%3Ac") == "a:b:c");
  CHECK(percent_decode("a%00b%zzc%4") == "abc");
  CHECK(percent_decode("100%") == "100");
}
