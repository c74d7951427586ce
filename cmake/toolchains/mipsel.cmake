# 32-bit MIPS, little endian, MIPS32r2 (hard float): older set-top boxes.
set(triple mipsel-linux-gnu)
set(emulator qemu-mipsel-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
