#!/bin/sh
# Builds mk or takes a released one, installs it, registers the plugin with Claude Code, creates the knowledge database, and
# shows what it does on the examples. Safe to run again: it refreshes what it put there.
set -eu

usage() {
    cat <<'END'
Usage: ./install.sh [--prefix DIR] [--no-plugin] [--build] [--dry-run]
       ./install.sh --uninstall [--purge] [--prefix DIR] [--no-plugin]

  --prefix DIR   install DIR/bin/mk, completions and manual pages in DIR/share
                 (default: ~/.local)
  --no-plugin    do not touch Claude Code
  --build        build mk also where a release has it ready
  --dry-run      check what is needed, say what would be done, change nothing
  --uninstall    take away what was installed; the knowledge database stays
  --purge        with --uninstall: delete the knowledge database, its journal, the
                 configuration and the log too
  --help         this text

In an unchanged clone of a release's tag on GitHub, its mk is downloaded and its
checksum compared. Everything else is built, which needs cargo (Rust 1.95 or newer);
CARGO_TARGET_DIR says where.
END
}

say() { printf '%s\n' "$*"; }
warn() { printf 'install.sh: %s\n' "$*" >&2; }
die() {
    warn "$*"
    exit 1
}
usage_error() {
    warn "$*"
    usage >&2
    exit 2
}

parse() {
    prefix=
    plugin=yes
    action=install
    purge=no
    dry_run=no
    always_build=no
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix)
                [ $# -gt 1 ] || usage_error "--prefix needs a folder"
                prefix=$2
                shift
                ;;
            --prefix=*) prefix=${1#--prefix=} ;;
            --no-plugin) plugin=no ;;
            --build) always_build=yes ;;
            --uninstall) action=uninstall ;;
            --dry-run) dry_run=yes ;;
            --purge) purge=yes ;;
            -h | --help)
                usage
                exit 0
                ;;
            *) usage_error "unknown argument: $1" ;;
        esac
        shift
    done
    if [ "$purge" = yes ] && [ "$action" != uninstall ]; then
        usage_error "--purge goes with --uninstall"
    fi
    if [ "$dry_run" = yes ] && [ "$action" = uninstall ]; then
        usage_error "--dry-run is for installing"
    fi
}

# Sets root and the places of all that is installed and kept.
locate() {
    case $0 in
        */*) root=$(CDPATH='' cd -- "${0%/*}" && pwd) ;;
        *) root=$(pwd) ;;
    esac
    if [ -z "$prefix" ]; then
        [ -n "${HOME-}" ] || die "HOME is not set: say where to install with --prefix DIR"
        prefix=$HOME/.local
    fi
    case $prefix in
        /*) ;;
        *) prefix=$(pwd)/$prefix ;;
    esac
    bin=$prefix/bin
    man=$prefix/share/man/man1
    bash_completion=$prefix/share/bash-completion/completions/mk
    zsh_completion=$prefix/share/zsh/site-functions/_mk
    fish_completion=$prefix/share/fish/vendor_completions.d/mk.fish
    staged=$prefix/share/math-forge/plugin
    own_folders
}

# Where mk keeps the user's database, configuration, and log; the same rule as in src/paths.rs.
own_folders() {
    if [ -n "${MK_HOME-}" ]; then
        data=$MK_HOME config=$MK_HOME state=$MK_HOME/state
    elif [ "$(uname -s)" = Darwin ]; then
        data="${HOME-}/Library/Application Support/math-forge"
        config=$data state=$data
    else
        data=$(absolute_or "${XDG_DATA_HOME-}" "${HOME-}/.local/share")/math-forge
        config=$(absolute_or "${XDG_CONFIG_HOME-}" "${HOME-}/.config")/math-forge
        state=$(absolute_or "${XDG_STATE_HOME-}" "${HOME-}/.local/state")/math-forge
    fi
}

# $1 where it is an absolute path, else $2.
absolute_or() {
    case $1 in
        /*) printf '%s\n' "$1" ;;
        *) printf '%s\n' "$2" ;;
    esac
}

# Succeeds if $1 is an mk of math-forge, and not some other program of that name.
is_ours() {
    [ -f "$1" ] && grep -q 'math-forge' "$1"
}

# Sets release to where the files of this very version are, if this is an unchanged clone of its tag.
find_release() {
    release=
    [ "$always_build" = no ] || return 0
    version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
    tag=$(git -C "$root" describe --tags --exact-match --dirty 2>/dev/null) || return 0
    origin=$(git -C "$root" remote get-url origin 2>/dev/null) || return 0
    case $tag:$origin in
        "v$version:https://github.com/"*) repository=${origin%.git} ;;
        "v$version:git@github.com:"*)
            repository=${origin%.git}
            repository=https://github.com/${repository#git@github.com:}
            ;;
        *) return 0 ;;
    esac
    release=$repository/releases/download/$tag
}

# The builds of a release that may run on this machine, the best first.
targets() {
    case $(uname -sm) in
        "Linux x86_64") echo x86_64-unknown-linux-gnu x86_64-unknown-linux-musl ;;
        "Linux aarch64" | "Linux arm64") echo aarch64-unknown-linux-gnu ;;
        "Darwin arm64") echo aarch64-apple-darwin ;;
        "Darwin x86_64") echo x86_64-apple-darwin ;;
    esac
}

# download NAME: a file of the release into the folder $downloads.
download() {
    curl -fsSL --retry 2 --proto '=https' -o "$downloads/$1" "$release/$1" 2>/dev/null
}

# check_sum NAME: compares a downloaded file with SHA256SUMS.
check_sum() {
    program=sha256sum
    command -v sha256sum >/dev/null 2>&1 || program="shasum -a 256"
    (cd "$downloads" && grep " $1\$" SHA256SUMS | $program -c - >/dev/null 2>&1)
}

# Sets built to a released mk that runs here; fails where there is none.
fetch() {
    [ -n "$release" ] || return 1
    command -v curl >/dev/null 2>&1 || return 1
    say "Looking for mk $version in $release ..."
    downloads=$(mktemp -d)
    trap 'rm -rf "$downloads"' EXIT
    download SHA256SUMS || return 1
    for target in $(targets); do
        name=mk-$target
        if grep -q " $name\$" "$downloads/SHA256SUMS" && download "$name"; then
            check_sum "$name" || die "$release/$name is not the file that was released: its checksum differs"
            chmod 755 "$downloads/$name"
            built=$downloads/$name
            [ "$("$built" --version 2>/dev/null)" != "mk $version" ] || return 0
        fi
    done
    return 1
}

check_cargo() {
    cargo=$(command -v cargo) || cargo=${CARGO_HOME:-${HOME-}/.cargo}/bin/cargo
    [ -x "$cargo" ] || die "found no cargo: install Rust from https://rustup.rs, then run this again"
}

# Whatever would stop the installation is said before the build, which takes minutes.
check() {
    [ -f "$root/Cargo.toml" ] || die "$root holds no source to build"
    find_release
    [ -n "$release" ] || check_cargo
    if [ -e "$bin/mk" ] && ! is_ours "$bin/mk"; then
        die "$bin/mk is another program: move it away, or choose another --prefix"
    fi
    folder=$bin
    while [ ! -e "$folder" ]; do folder=${folder%/*}; done
    folder=${folder:-/}
    if ! [ -d "$folder" ] || ! [ -w "$folder" ]; then
        die "could not create $bin: cannot write to $folder"
    fi
}

build() {
    check_cargo
    target=${CARGO_TARGET_DIR:-$root/target}
    say "Building mk (the first time this takes a few minutes) ..."
    "$cargo" build --release --locked --bin mk \
        --manifest-path "$root/Cargo.toml" --target-dir "$target" ||
        die "the build failed; the messages above say why"
    built=$target/release/mk
}

install_binary() {
    mkdir -p "$bin" || die "could not create $bin"
    # A running mk keeps its old file: the new one takes the name in one step.
    if ! { cp "$built" "$bin/.mk.$$" && chmod 755 "$bin/.mk.$$" && mv -f "$bin/.mk.$$" "$bin/mk"; }; then
        rm -f "$bin/.mk.$$"
        die "could not write $bin/mk"
    fi
    say "Installed $bin/mk ($("$bin/mk" --version))"
}

# $1 is the shell, $2 the file where it looks for completions of mk.
install_completion() {
    { mkdir -p "${2%/*}" && "$bin/mk" completions "$1" >"$2"; } ||
        warn "could not write $2: $1 completes no commands of mk"
}

install_completions() {
    install_completion bash "$bash_completion"
    install_completion zsh "$zsh_completion"
    install_completion fish "$fish_completion"
    "$bin/mk" completions --man "$man" 2>/dev/null || warn "could not write manual pages to $man"
}

# Only the plugin's own files: the client copies the whole folder, and here target/ is in it.
stage_plugin() {
    rm -rf "$staged"
    mkdir -p "$staged" || die "could not create $staged"
    for part in .claude-plugin hooks bin skills agents LICENSE-MIT LICENSE-APACHE; do
        cp -R "$root/$part" "$staged/" || die "could not write $staged/$part"
    done
}

register_plugin() {
    if ! command -v claude >/dev/null 2>&1; then
        say "Found no claude: when Claude Code is there, run this again to register the plugin."
        return
    fi
    stage_plugin
    # Registered anew, because the client keeps its copy of a version that it has already.
    forget_plugin
    if claude plugin marketplace add "$staged" </dev/null >/dev/null &&
        claude plugin install math-forge@math-forge </dev/null >/dev/null; then
        say "Registered the plugin with Claude Code; it is there from the next session on."
    else
        warn "Claude Code did not take the plugin. By hand, in a session:"
        warn "  /plugin marketplace add $staged"
        warn "  /plugin install math-forge@math-forge"
    fi
}

forget_plugin() {
    claude plugin uninstall --keep-data math-forge@math-forge </dev/null >/dev/null 2>&1 || :
    claude plugin marketplace remove math-forge </dev/null >/dev/null 2>&1 || :
}

# Creates the database and imports the tracking database that it finds from here.
init_database() {
    if [ "${MATH_FORGE_DB-unset}" = "" ]; then
        say "MATH_FORGE_DB is set and empty: no database is created."
        return
    fi
    "$bin/mk" init || die "mk is installed, but its database could not be made ready"
}

show_path() {
    case ":${PATH-}:" in
        *":$bin:"*)
            first=$(command -v mk) || first=
            [ "$first" = "$bin/mk" ] ||
                warn "another mk comes first in PATH: $first; put $bin before it"
            ;;
        *)
            say "Sessions of Claude Code find mk by themselves. For your own shell, add to its profile:"
            say "  export PATH=\"$bin:\$PATH\""
            ;;
    esac
}

# The main job on the examples, in a database that is thrown away.
demonstrate() {
    examples=$root/data/examples
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    say ""
    say "What it does, on $examples, in a database of its own:"
    (
        unset CLAUDE_PROJECT_DIR MATH_FORGE_TRACKING_DB
        MATH_FORGE_DB=$scratch/knowledge.db
        MK_HOME=$scratch
        export MATH_FORGE_DB MK_HOME
        cd "$scratch"
        show extract "$examples"
        "$bin/mk" queue set <"$examples/queue.json" >/dev/null
        show search "odd squares"
        show brief
    ) || die "mk is installed, but it failed on the examples"
    rm -rf "$scratch"
    trap - EXIT
}

# Runs mk and shows the command before its answer.
show() {
    say ""
    say "\$ mk $*"
    "$bin/mk" "$@"
}

install() {
    check
    if [ "$dry_run" = yes ]; then
        say "Would ${release:+take mk from $release or }build $root, install $bin/mk with completions and manual pages in $prefix/share,"
        [ "$plugin" = no ] || say "register the plugin with Claude Code where it is found,"
        say "and create $data/knowledge.db where there is none. Nothing was changed."
        return
    fi
    fetch || build
    install_binary
    rm -rf "${downloads-}"
    install_completions
    [ "$plugin" = no ] || register_plugin
    init_database
    demonstrate
    say ""
    show_path
}

uninstall() {
    if [ "$plugin" = yes ] && command -v claude >/dev/null 2>&1; then
        forget_plugin
        say "Took the plugin out of Claude Code."
    fi
    remove "$staged"
    if is_ours "$bin/mk"; then
        remove "$bin/mk"
        for file in "$bash_completion" "$zsh_completion" "$fish_completion" "$man"/mk.1 "$man"/mk-*.1; do
            case $file in
                *.1) ! is_ours "$file" || rm -f "$file" ;;
                *) rm -f "$file" ;;
            esac
        done
    fi
    [ ! -h "$data/bin/mk" ] || remove "$data/bin/mk"
    if [ "$purge" = yes ]; then
        for file in "$data"/knowledge.db* "$data/trusted" "$data/journal" \
            "$config/config.toml" "$state"; do
            remove "$file"
        done
    elif [ -f "$data/knowledge.db" ]; then
        say "Kept $data/knowledge.db (--purge deletes it)."
    fi
    # Folders only where nothing is left in them.
    rmdir "$data/bin" "$data" "$config" "$prefix/share/math-forge" 2>/dev/null || :
}

remove() {
    if [ -e "$1" ] || [ -h "$1" ]; then
        rm -rf "$1" || die "could not remove $1"
        say "Removed $1"
    fi
}

main() {
    parse "$@"
    locate
    "$action"
}

main "$@"
