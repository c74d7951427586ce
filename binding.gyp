# node-gyp build of the same sources (OpenEmbedded, Buildroot); cmake-js with CMakeLists.txt is the default build.
# `node-gyp rebuild -- -Dreceiverd_demo=0` leaves the demo multiplex out.
{
  "variables": {"receiverd_demo%": 1},
  "targets": [
    {
      "target_name": "receiverd",
      "sources": ["<!@(node -p \"require('fs').readFileSync('native/sources.txt','utf8').trim()\")"],
      "include_dirs": ["native", "<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": ["NAPI_VERSION=8", "NODE_ADDON_API_CPP_EXCEPTIONS_ALL", "_TIME_BITS=64"],
      # Node's common.gypi sets these; the addon needs the opposite.
      "cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
      "cflags!": ["-fno-exceptions"],
      "cflags_cc": ["-std=c++20", "-fexceptions", "-Wall", "-Wextra"],
      "cflags": ["-fvisibility=hidden", "-fvisibility-inlines-hidden"],
      "conditions": [
        ["receiverd_demo==1", {"defines": ["RECEIVERD_DEMO"]}, {"sources/": [["exclude", "^native/demo/"]]}],
        ["target_arch=='mipsel' or target_arch=='mips'", {"libraries": ["-latomic"]}]
      ],
      "configurations": {
        "Release": {
          "cflags": ["-O2", "-flto=auto"],
          "ldflags": ["-flto=auto", "-Wl,--gc-sections", "-Wl,-s"]
        }
      }
    }
  ]
}
