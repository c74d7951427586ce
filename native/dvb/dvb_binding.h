// The JavaScript interface of native/dvb; src/dvb/tuner.ts is its typed side.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "dvb/tuner.h"

namespace receiverd::dvb {

/// A kind of tuner, and the function that makes its source from a specification (src/config/tuner-spec.ts).
struct SourceKind {
  std::string kind;
  Tuner::SourceFactory (*factory)(const Napi::Object& specification, Tuner::Options& options);
};

/// `file`: { path, loop, paced }.
Tuner::SourceFactory file_source_factory(const Napi::Object& specification, Tuner::Options& options);

/// `pipe`: { descriptor } of a pipe from open_pipe(), played in real time. The descriptor must stay open.
Tuner::SourceFactory pipe_source_factory(const Napi::Object& specification, Tuner::Options& options);

/// Adds the classes `Tuner`, `ServiceStream` and `PidStream`, the names of `kinds` as `tunerKinds`, and `openPipe` to
/// the addon's exports. The kinds are those that this addon contains; they must live as long as the process.
void register_binding(Napi::Env env, Napi::Object exports, const std::vector<SourceKind>& kinds);

/// The tuner of a JavaScript `Tuner`. @throws TypeError
Tuner& tuner_of(const Napi::Value& value);

/// The PIDs of a Uint16Array; undefined stands for all PIDs.
PidSet pids_of(const Napi::Value& value);

/// The name of `end` in JavaScript.
std::string end_text(StreamEnd end);

}  // namespace receiverd::dvb
