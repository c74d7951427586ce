# Cross-builds with Debian's compilers (g++-aarch64-linux-gnu, g++-arm-linux-gnueabihf, g++-mipsel-linux-gnu):
#   cmake -S . -B build/arm -DCMAKE_TOOLCHAIN_FILE=cmake/toolchain-linux-cross.cmake -DRECEIVERD_TRIPLE=arm-linux-gnueabihf
# RECEIVERD_TRIPLE may come from the environment too.
if(NOT RECEIVERD_TRIPLE)
  set(RECEIVERD_TRIPLE "$ENV{RECEIVERD_TRIPLE}")
endif()
if(NOT RECEIVERD_TRIPLE)
  message(FATAL_ERROR "RECEIVERD_TRIPLE is not set: aarch64-linux-gnu, arm-linux-gnueabihf or mipsel-linux-gnu")
endif()
# CMake's own test projects (the LTO check) see the environment only.
set(ENV{RECEIVERD_TRIPLE} "${RECEIVERD_TRIPLE}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RECEIVERD_TRIPLE)
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${RECEIVERD_TRIPLE}")
set(CMAKE_C_COMPILER ${RECEIVERD_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${RECEIVERD_TRIPLE}-g++)
set(CMAKE_FIND_ROOT_PATH /usr/${RECEIVERD_TRIPLE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
