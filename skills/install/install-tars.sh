#!/bin/sh
# Fetches the program of this plugin's version, for the plugin alone: into the plugin's own folder of data.
#
# Usage: install-tars.sh [--to FOLDER]
#
#   --to FOLDER        install below FOLDER instead (bin/tars, lib/tars): ~/.local for a terminal too
#   TARS_INSTALL_FROM  address of the release's files, instead of the one that release.txt names
#
# release.txt beside .claude-plugin/plugin.json names the release and the sha256 of each of its archives, so that what comes over the
# network is exactly what the plugin was published with. Nothing else is written. Exit codes: 0 installed, 2 nothing was changed.
set -eu

plugin=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
pins=$plugin/.claude-plugin/release.txt
scratch=

main() {
    prefix=${CLAUDE_PLUGIN_DATA:-}
    case "$#-${1-}" in
        0-) ;;
        2---to) prefix=$2 ;;
        *) fail "the only argument is --to FOLDER" ;;
    esac
    [ -n "$prefix" ] || fail "it is not known where to install" "give --to FOLDER, for example --to ~/.local"
    case $prefix in
        /*) ;;
        *) prefix=$PWD/$prefix ;;
    esac
    trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
    trap 'exit 130' HUP INT TERM

    version=$(sed -n 's/^ *"version": *"\([0-9A-Za-z.+-]*\)".*/\1/p' "$plugin/.claude-plugin/plugin.json")
    [ -n "$version" ] || fail "the plugin does not say its version" "reinstall the plugin"
    choose_target
    archive=tars-$version-$target.tar.gz
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$pins" 2>/dev/null) || expected=
    from=${TARS_INSTALL_FROM:-$(awk '$1 == "from" { print $2 }' "$pins" 2>/dev/null)} || from=
    case $expected in
        '') fail "this plugin knows no released program for $target" "build tars from its sources: README.md" ;;
        *[!0-9a-f]*) fail "$pins does not hold a sha256 for $archive" "reinstall the plugin" ;;
    esac
    case $from in
        https://* | http://127.0.0.1:*) ;;
        '') fail "$pins does not say where the release is" "set TARS_INSTALL_FROM" ;;
        *) fail "the address is not https: $from" ;;
    esac
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/tars-plugin.XXXXXX") || fail "cannot create a temporary directory"
    fetch
    unpack
    install_files
    printf 'installed  %s\n' "$found"
    printf 'program    %s\n' "$prefix/bin/tars"
    printf 'next       it serves the sessions that begin from now on\n'
}

# Sets `target`, as the release's archives name it.
choose_target() {
    case "$(uname -s) $(uname -m)" in
        "Linux x86_64" | "Linux amd64") target=x86_64-unknown-linux-gnu ;;
        "Linux aarch64" | "Linux arm64") target=aarch64-unknown-linux-gnu ;;
        "Darwin arm64") target=aarch64-apple-darwin ;;
        "Darwin x86_64") target=x86_64-apple-darwin ;;
        *) fail "there is no program for $(uname -s) on $(uname -m)" "build tars from its sources: README.md" ;;
    esac
}

# Fetches the archive and compares it with the hash that came with the plugin.
fetch() {
    if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --max-filesize 300000000 --output "$scratch/archive" "$from/$archive"
    elif command -v wget >/dev/null 2>&1; then
        wget --quiet --output-document="$scratch/archive" "$from/$archive"
    else
        fail "neither curl nor wget is here" "install one of them"
    fi || fail "cannot fetch $from/$archive" "is there a network?"
    if command -v sha256sum >/dev/null 2>&1; then
        sum=$(sha256sum <"$scratch/archive")
    elif command -v shasum >/dev/null 2>&1; then
        sum=$(shasum -a 256 <"$scratch/archive")
    else
        fail "neither sha256sum nor shasum is here, so nothing can be verified" "install one of them"
    fi
    [ "${sum%% *}" = "$expected" ] ||
        fail "$archive is not what this plugin was published with: sha256 ${sum%% *}, expected $expected" "nothing was installed"
}

# Unpacks it and starts the program once. Sets `staged`, and `found` to what it says.
unpack() {
    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/archive" -C "$scratch/unpacked" || fail "$archive cannot be unpacked" "is the disk full?"
    staged=$scratch/unpacked/${archive%.tar.gz}
    [ -f "$staged/bin/tars" ] || fail "$archive holds no program" "please report it"
    found=$("$staged/bin/tars" --version) || fail "the program does not run on this machine" "please report it"
    [ "$found" = "tars $version" ] || fail "$archive holds $found" "please report it"
}

# The model first, the program last: until then, what was there before goes on working.
install_files() {
    mkdir -p "$prefix/bin" "$prefix/lib" || fail "cannot create $prefix/bin"
    if [ -d "$staged/lib/tars" ]; then
        cp -R "$staged/lib/tars" "$prefix/lib/.tars.$$" || fail "cannot write $prefix/lib" "is the disk full?"
        rm -rf "$prefix/lib/tars"
        mv "$prefix/lib/.tars.$$" "$prefix/lib/tars" || fail "cannot write $prefix/lib/tars"
    fi
    cp "$staged/bin/tars" "$prefix/bin/.tars.$$" || fail "cannot write $prefix/bin" "is the disk full?"
    chmod 755 "$prefix/bin/.tars.$$"
    mv -f "$prefix/bin/.tars.$$" "$prefix/bin/tars" || fail "cannot write $prefix/bin/tars"
}

# Ends with the message $1 and, if there is one, the hint $2.
fail() {
    printf 'install-tars: %s\n' "$1" >&2
    [ -z "${2-}" ] || printf '  hint: %s\n' "$2" >&2
    exit 2
}

# All of it is read before any of it runs.
main "$@"
