// Tests of the file lock: contention, a killed holder, failures.
#include "storage/file_lock.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>

#include "temporary_folder.h"

using receiverd::TemporaryFolder;
using namespace receiverd::storage;
namespace fs = std::filesystem;

TEST_CASE("one holder at a time; the next can lock once the first has released it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  CHECK_FALSE(FileLock::holder(path).held);
  FileLock::Result first = FileLock::take(path);
  REQUIRE(first.state == FileLock::State::held);
  CHECK(FileLock::take(path).state == FileLock::State::busy);
  CHECK(first.lock->write_note("process 1 at http://localhost:8080/"));
  CHECK(first.lock->write_note("process 1"));
  CHECK(FileLock::holder(path).held);
  CHECK(FileLock::holder(path).note == "process 1");
  CHECK(FileLock::take(path).state == FileLock::State::busy);
  first.lock.reset();
  CHECK_FALSE(FileLock::holder(path).held);
  CHECK(fs::file_size(path) == 0);
  CHECK(FileLock::take(path).state == FileLock::State::held);
}

TEST_CASE("the lock of a killed process is free") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.lock");
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FileLock::Result taken = FileLock::take(path);
    taken.lock->write_note("child");
    if (::write(ready[1], "1", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(FileLock::take(path).state == FileLock::State::busy);
  CHECK(FileLock::holder(path).note == "child");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(FileLock::holder(path).held);
  CHECK(FileLock::take(path).state == FileLock::State::held);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a lock that cannot be created reports why") {
  const TemporaryFolder folder;
  const FileLock::Result taken = FileLock::take(folder.file("missing/a.lock"));
  CHECK(taken.state == FileLock::State::failed);
  CHECK_FALSE(taken.why.empty());
}
