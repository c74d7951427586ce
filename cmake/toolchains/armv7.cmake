# 32-bit ARM, ARMv7-A with VFPv3-D16 (hard float).
set(triple arm-linux-gnueabihf)
set(emulator qemu-arm-static)
# Not a note for each std::span that is passed: their way changed in GCC 7.1.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
