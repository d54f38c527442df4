#!/usr/bin/env bash
# Puts the real ntfy server (Debian's package of the suite trixie) under DIR, without installing it and without touching the
# machine's package sources: the suite is read from the mirror that the machine already uses, in an apt state of its own.
# It needs libc6 2.34 and libsqlite3-0, which Debian 12 has.
#   ntfy-get.sh DIR        then DIR/usr/bin/ntfy is the server
set -euo pipefail
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/apt/etc"
dir=$(cd "$1" && pwd)
suite=${SUITE:-trixie}

mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
  grep -v '^#' | grep -oE '[a-z]+://[^ ]+/debian/?( |$)' | grep -v security | head -n 1 | tr -d ' ' || true)
if [[ -z $mirror ]]; then
  echo "no Debian mirror is configured on this machine" >&2
  exit 1
fi
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$dir/apt/etc/s.list"
options=(-q -o "Dir::Etc::sourcelist=$dir/apt/etc/s.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache" -o APT::Sandbox::User=root)
for attempt in 1 2 3; do
  if apt-get "${options[@]}" update >"$dir/apt/log" 2>&1; then break; fi
  if ((attempt == 3)); then
    cat "$dir/apt/log" >&2
    exit 1
  fi
  sleep $((attempt * 2))
done
cd "$dir/apt"
apt-get "${options[@]}" download ntfy >>"$dir/apt/log" 2>&1
dpkg -x ntfy_*.deb "$dir"
test -x "$dir/usr/bin/ntfy"
