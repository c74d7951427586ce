# 64-bit ARM: boxes and Raspberry Pi from 2016 on.
set(triple aarch64-linux-gnu)
set(emulator qemu-aarch64-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
