#!/bin/sh
# Downloads the program of this plugin's version and installs it for the plugin alone, in the plugin's data folder.
#
# Usage: install-tars.sh [--to FOLDER]
#
#   --to FOLDER        install below FOLDER instead (bin/tars, lib/tars); ~/.local makes it available in a terminal too
#   TARS_INSTALL_FROM  address of the release's files, instead of the one in release.txt
#
# release.txt beside .claude-plugin/plugin.json names the release and the sha256 of each of its archives. A download with any other
# hash is refused. Writes nothing else. Exit codes: 0 installed, 2 nothing was changed.
set -eu

self=install-tars
plugin=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
pins=$plugin/.claude-plugin/release.txt

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

    version=$(sed -n 's/^ *"version": *"\([0-9A-Za-z.+-]*\)".*/\1/p' "$plugin/.claude-plugin/plugin.json")
    [ -n "$version" ] || fail "the plugin does not say its version" "reinstall the plugin"
    choose_target
    archive=tars-$version-$target.tar.gz
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$pins" 2>/dev/null) || expected=
    from=${TARS_INSTALL_FROM:-$(awk '$1 == "from" { print $2 }' "$pins" 2>/dev/null)} || from=
    case $expected in
        '') fail "this plugin knows no released program for $target" "build tars from its sources" ;;
        *[!0-9a-f]*) fail "$pins does not hold a sha256 for $archive" "reinstall the plugin" ;;
    esac
    case $from in
        https://* | http://127.0.0.1:*) ;;
        '') fail "$pins does not say where the release is" "set TARS_INSTALL_FROM" ;;
        *) fail "the address is not https: $from" ;;
    esac
    choose_tools
    make_scratch
    download "$archive"
    verify "what this plugin was published with"
    unpack
    [ "$found" = "tars $version" ] || fail "$archive holds $found" "please report it"
    install_model
    install_program
    say "installed  $found"
    say "program    $prefix/bin/tars"
    say "next       it serves the sessions that begin from now on"
}

# ---- shared: a release copies the lines up to the end mark into packaging/install.sh (scripts/release/recipes.py) ----
# They read `self`, the script's name in messages, and `from`, `archive`, `expected` and `prefix`.

# Sets `target` to this machine's target as the release's archives name it.
choose_target() {
    system=$(uname -s)
    machine=$(uname -m)
    case "$system $machine" in
        "Linux x86_64" | "Linux amd64") target=x86_64-unknown-linux-gnu ;;
        "Linux aarch64" | "Linux arm64") target=aarch64-unknown-linux-gnu ;;
        "Darwin arm64") target=aarch64-apple-darwin ;;
        "Darwin x86_64") target=x86_64-apple-darwin ;;
        *) fail "there is no program for $system on $machine" "build tars from its sources" ;;
    esac
    [ "$system" = Linux ] || return 0
    # A 64-bit kernel may run 32-bit programs, as Raspberry Pi OS does on some cards.
    [ "$(getconf LONG_BIT)" = 64 ] || fail "this is a 32-bit system on $machine" "install the 64-bit system"
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || fail "this Linux has no glibc (musl?)" "build tars from its sources"
    glibc=${glibc#glibc }
    minor=${glibc#*.}
    if [ "${glibc%%.*}" -ne 2 ] || [ "${minor%%.*}" -lt 31 ]; then
        fail "this system has glibc $glibc, and tars needs 2.31 (Debian 11, Ubuntu 20.04)" "build tars from its sources"
    fi
}

# Sets `hasher` and `getter` to the programs that hash and download files.
choose_tools() {
    if command -v sha256sum >/dev/null 2>&1; then
        hasher=sha256sum
    elif command -v shasum >/dev/null 2>&1; then
        hasher='shasum -a 256'
    else
        fail "neither sha256sum nor shasum is here, so nothing can be verified" "install one (Debian: apt install coreutils)"
    fi
    if command -v curl >/dev/null 2>&1; then
        getter=curl
    elif command -v wget >/dev/null 2>&1; then
        getter=wget
    else
        fail "neither curl nor wget is here" "install one (Debian: apt install curl)"
    fi
}

# Makes a temporary folder, `scratch`, which goes when the script ends.
make_scratch() {
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/tars-install.XXXXXX") || fail "cannot create a temporary directory"
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# Downloads the release's file $1 into `scratch`.
download() {
    case $getter in
        curl) curl --fail --silent --show-error --location --retry 2 --max-filesize 300000000 --output "$scratch/$1" "$from/$1" ;;
        wget) wget --quiet --tries=3 --output-document="$scratch/$1" "$from/$1" ;;
    esac || fail "cannot fetch $from/$1" "is there a network? Nothing was changed"
}

# Compares the archive's sha256 with `expected`; $1 is what the expected file is called in the message.
verify() {
    sum=$($hasher <"$scratch/$archive" | cut -d' ' -f1)
    [ "$sum" = "$expected" ] || fail "$archive is not $1: sha256 $sum, expected $expected" "nothing was installed; try again"
}

# Unpacks the archive and starts its program once. Sets `staged` to the unpacked folder and `found` to what the program says.
unpack() {
    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/$archive" -C "$scratch/unpacked" || fail "$archive cannot be unpacked" "is the disk full?"
    staged=$scratch/unpacked/${archive%.tar.gz}
    [ -f "$staged/bin/tars" ] || fail "$archive holds no program" "please report it"
    found=$("$staged/bin/tars" --version) || fail "the program does not run on this machine" "please report it"
}

# Installs the model and the rest of lib/tars. An installed tars goes on working until install_program, except for the moment
# between the removal of the old folder and the renaming of the new one.
install_model() {
    mkdir -p "$prefix/bin" "$prefix/lib" || fail "cannot create $prefix/bin and $prefix/lib"
    [ -d "$staged/lib/tars" ] || return 0
    new=$prefix/lib/.tars.$$
    rm -rf "$new"
    cp -R "$staged/lib/tars" "$new" || fail "cannot write $new" "is the disk full?"
    rm -rf "$prefix/lib/tars"
    mv "$new" "$prefix/lib/tars" || fail "cannot write $prefix/lib/tars"
}

# Renames the program into place, because the file of a running program cannot be written to.
install_program() {
    new=$prefix/bin/.tars.$$
    cp "$staged/bin/tars" "$new" || fail "cannot write $prefix/bin" "is the disk full?"
    chmod 755 "$new"
    mv -f "$new" "$prefix/bin/tars" || fail "cannot write $prefix/bin/tars"
}

say() {
    printf '%s\n' "$1"
}

# Ends with the message $1 and, if there is one, the hint $2.
fail() {
    printf '%s: %s\n' "$self" "$1" >&2
    [ -z "${2-}" ] || printf '  hint: %s\n' "$2" >&2
    exit 2
}

# The shell reads the whole script before this line runs: a connection that breaks in the middle of it runs nothing.
main "$@"
# ---- end of what is shared ----
