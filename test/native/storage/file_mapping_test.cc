// Tests of file mappings: private writes, lost pages, the limit on mappings, unrelated bus errors.
#include "storage/file_mapping.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "temporary_folder.h"

using receiverd::TemporaryFolder;
using namespace receiverd::storage;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<FileMapping> map(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  auto mapping = FileMapping::map(file, fs::file_size(path));
  ::close(file);
  return mapping;
}

void write(const std::string& path, char byte, std::size_t size) {
  std::ofstream(path, std::ios::binary) << std::string(size, byte);
}

}  // namespace

TEST_CASE("writes to a mapped file stay private, and the file may be replaced") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write(path, 'a', 10000);
  const auto mapping = map(path);
  REQUIRE(mapping != nullptr);
  mapping->bytes()[0] = 'x';
  CHECK(std::ifstream(path).get() == 'a');
  write(folder.file("b"), 'b', 10);
  fs::rename(folder.file("b"), path);
  CHECK(mapping->bytes().size() == 10000);
  CHECK(mapping->bytes()[0] == 'x');
  CHECK(mapping->bytes()[9999] == 'a');
  CHECK_FALSE(mapping->lost());
}

TEST_CASE("lost pages read as zeros, and the mapping reports it" * doctest::test_suite("bus errors")) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write(path, 'a', 50000);
  write(folder.file("b"), 'b', 50000);
  const auto mapping = map(path);
  const auto other = map(folder.file("b"));
  REQUIRE(mapping != nullptr);
  mapping->bytes()[20000] = 'x';
  fs::resize_file(path, 5000);
  std::size_t zeros = 0;
  for (const std::uint8_t byte : mapping->bytes()) zeros += byte == 0 ? 1 : 0;
  CHECK(mapping->lost());
  CHECK(zeros >= 50000 - 8192 - 4096);
  mapping->bytes()[49999] = 'y';
  CHECK(mapping->bytes()[49999] == 'y');
  CHECK_FALSE(other->lost());
}

TEST_CASE("there is a limit on mappings, and closing them makes room") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write(path, 'a', 100);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<FileMapping>> mappings;
    while (auto mapping = map(path)) mappings.push_back(std::move(mapping));
    CHECK(mappings.size() == FileMapping::kMaxMappings);
  }
}

TEST_CASE("a bus error outside the mappings goes to the previous handler") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  write(path, 'a', 100);
  const auto mapping = map(path);
  const pid_t child = ::fork();
  if (child == 0) {
    ::raise(SIGBUS);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  // The default action ends the process; a sanitizer's handler ends it with a report.
  CHECK((WIFSIGNALED(status) || WEXITSTATUS(status) != 0));
}
