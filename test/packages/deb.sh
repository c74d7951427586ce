#!/bin/bash
# The Debian package, built, checked by lintian, and used as its users do: installed, upgraded, removed and purged on a
# Debian 13 of its own that systemd has booted in a container without network. Needs root, debhelper, lintian,
# debootstrap, systemd-container, zsh and fish.
#
#   test/packages/deb.sh
#
# build/deb/base, the system before the installation, is kept for the next time; remove it to have a new one.
set -euo pipefail
[ "$(id -u)" = 0 ] || exec sudo -n env PATH="$PATH" "$(realpath "$0")"
cd "$(dirname "$0")/../.."
work=$PWD/build/deb
base=$work/base
root=$work/root
container=
version=$(node -p 'require("./package.json").version')
newer=$version.1
arch=$(dpkg --print-architecture)

step() { echo "== $*"; }
fail() {
  echo "FAILED: $*" >&2
  within journalctl --no-pager -u receiverd | tail -n 30 >&2
  exit 1
}
# A value as it should be: expect WHAT FOUND WANTED
expect() { [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"; }

# Runs a command in the container.
within() { nsenter -t "$leader" -m -u -i -n -p -r -w env -i PATH=/usr/sbin:/usr/bin DEBIAN_FRONTEND=noninteractive "$@"; }
# What the receiver answers: ask PATH
ask() { within node -e 'fetch("http://127.0.0.1:8080" + process.argv[1]).then(async (a) => { if (!a.ok) throw a.status; console.log(await a.text()); })' "$1"; }
property() { within systemctl show receiverd --property "$1" --value; }
apt() { within apt-get -q -y --no-install-recommends "$@" </dev/null; }

# Waits until a command succeeds, for two minutes at most.
until_true() {
  local n
  for n in $(seq 600); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail "this did not become true: $*"
}

stop_container() {
  [ -n "$container" ] || return 0
  kill "$container" 2>/dev/null || true
  wait "$container" 2>/dev/null || true
  container=
}
trap stop_container EXIT

make_base() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
  rm -rf "$base" "$base.making"
  debootstrap --variant=minbase --include=ca-certificates trixie "$base.making" "$mirror"
  # What the package depends on, since the container has no network.
  chroot "$base.making" apt-get -q -y --no-install-recommends install nodejs systemd-sysv udev bash-completion
  chroot "$base.making" apt-get clean
  mv "$base.making" "$base"
}

boot() {
  rm -rf "$root"
  cp -a "$base" "$root"
  mkdir "$root/packages"
  cp "$work"/receiverd_*"_$arch.deb" "$root/packages/"
  # The systemd of Debian 13 wants cgroups of version 2, which the machine may have beside those of version 1.
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --register=no --keep-unit --private-network --console=pipe \
    --machine=receiverd-deb --boot -D "$root" </dev/null >"$work/boot.log" 2>&1 &
  container=$!
  until_true pgrep -P "$container"
  leader=$(pgrep -P "$container")
  until_true within systemctl is-active multi-user.target
}

# Every file of the container, but those that systems change by themselves.
files() {
  within find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/log -o -path /var/cache \
    -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/lib/systemd -o -path /var/tmp -o -path /packages \) -prune \
    -o ! -name '*-' ! -name .pwd.lock -print | sort
}

recordings() { within find /var/lib/receiverd/movie -name '*.ts' -size +100k; }
has_recording() { [ -n "$(recordings)" ]; }

step build
rm -f "$work"/receiverd_*
npm run --silent deb
node scripts/deb.mjs "$newer"
step lintian
lintian --fail-on error,warning "$work/receiverd_${version}_$arch.changes"
step hardening
systemd-analyze security --offline=true --threshold=30 packaging/receiverd.service | tail -n 1
step completions
bash -n "$work/source/completions/receiverd"
zsh -n "$work/source/completions/_receiverd"
fish -n "$work/source/completions/receiverd.fish"

step container
[ -d "$base" ] || make_base
boot
before=$(files)

step install
apt install "/packages/receiverd_${version}_$arch.deb"
expect 'the service' "$(property ActiveState)" active
expect 'its user' "$(within stat -c %U "/proc/$(property MainPID)")" receiverd
ask /api/about | grep -q "$version" || fail 'the version'
ask /web/getservices | grep -q '<e2servicename>' || fail 'no services'
within sh -c 'ls /usr/lib/receiverd/dist/program.cjs.v*' || fail 'no compiled form'
within udevadm verify /usr/lib/udev/rules.d/60-receiverd.rules
within grep -q 'SUBSYSTEM=="dvb".*GROUP="video"' /usr/lib/udev/rules.d/50-udev-default.rules
words=$(within bash -c '. /usr/share/bash-completion/completions/receiverd; COMP_WORDS=(receiverd epg ex); COMP_CWORD=2; _receiverd; echo ${COMPREPLY[@]}')
expect 'the completion of "receiverd epg ex"' "$words" export

step reload
within systemctl reload receiverd
expect 'the service' "$(property ActiveState)" active

step 'a timer and a recording'
service=$(ask /api/getallservices | node -p 'JSON.parse(require("fs").readFileSync(0)).services[0].subservices[0].servicereference')
begin=$(($(date +%s) + 86400))
ask "/web/timeradd?sRef=$service&begin=$begin&end=$((begin + 3600))&name=kept" | grep -q '<e2state>True' || fail 'no timer'
ask "/api/zap?sRef=$service" >/dev/null
ask /api/recordnow >/dev/null
until_true has_recording
for timer in $(ask /api/timerlist | node -p 'JSON.parse(require("fs").readFileSync(0)).timers.filter((t) => t.name !== "kept").map((t) => `sRef=${t.serviceref}&begin=${t.begin}&end=${t.end}`).join(" ")'); do
  ask "/api/timerdelete?$timer" >/dev/null
done

step upgrade
pid=$(property MainPID)
echo '# mine' | within sh -c 'cat >>/etc/receiverd/receiverd.yaml'
apt install "/packages/receiverd_${newer}_$arch.deb"
expect 'the service' "$(property ActiveState)" active
[ "$(property MainPID)" != "$pid" ] || fail 'the upgrade did not restart the service'
ask /api/about | grep -q "$newer" || fail 'the version after the upgrade'
ask /web/timerlist | grep -q '<e2name>kept' || fail 'the timer after the upgrade'
has_recording || fail 'the recording after the upgrade'
within grep -q '# mine' /etc/receiverd/receiverd.yaml || fail 'the conffile after the upgrade'

step 'another Node'
within sh -c 'rm /usr/lib/receiverd/dist/program.cjs.v*'
within dpkg-trigger --no-await /usr/bin/node
within dpkg --configure --pending
within sh -c 'ls /usr/lib/receiverd/dist/program.cjs.v*' || fail 'no compiled form for another Node'

step remove
apt remove receiverd
within test ! -e /usr/lib/receiverd || fail 'a program after removal'
within test -s /var/lib/receiverd/enigma2/timers.xml || fail 'the data after removal'
within test -s /etc/receiverd/receiverd.yaml || fail 'the conffile after removal'

step purge
apt purge receiverd
left=$(comm -13 <(echo "$before") <(files))
echo "$left"
expect 'what is left besides recordings' "$(grep -v '^/var/lib/receiverd/movie/' <<<"$left" | paste -sd ' ')" '/var/lib/receiverd /var/lib/receiverd/movie'
has_recording || fail 'the recording after the purge'

step 'purge without recordings'
apt install "/packages/receiverd_${newer}_$arch.deb"
ask /api/movielist | grep -q '"filename":' || fail 'the recording of before'
within sh -c 'rm -rf /var/lib/receiverd/movie/*'
apt purge receiverd
expect 'what is left' "$(comm -13 <(echo "$before") <(files))" ''
within getent passwd receiverd && fail 'the user is left'
exit 0
