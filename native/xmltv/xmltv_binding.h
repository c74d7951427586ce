// The JavaScript API for XMLTV: an import and an export, each an object that works step by step on worker threads.
#pragma once

#include <napi.h>

namespace receiverd::xmltv {

/// Adds the classes `XmltvImport` and `XmltvExport` to the addon's exports.
void register_binding(Napi::Env env, Napi::Object exports);

}  // namespace receiverd::xmltv
