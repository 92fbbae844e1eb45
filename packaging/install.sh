#!/bin/sh
# Installs tars and its model for this user: curl -fsSL @REPOSITORY@/releases/latest/download/install.sh | sh
#
# Fetches the archive for this machine, compares its sha256 with the release's SHA256SUMS, and unpacks it below ~/.local: bin/tars,
# lib/tars, the manual and completions. Changes no settings, no profile and nothing outside of that folder, and asks for no root.
# A second run brings the newest release. Settings, by variables:
#
#   TARS_INSTALL_PREFIX   where to install (default: ~/.local)
#   TARS_INSTALL_FROM     address of the release's files (default: those of the newest release)
#
# Exit codes: 0 installed, 2 nothing was changed, or what was not is said.
set -eu

from=${TARS_INSTALL_FROM:-@REPOSITORY@/releases/latest/download}
scratch=

main() {
    [ $# -eq 0 ] || fail "takes no arguments" "set TARS_INSTALL_PREFIX or TARS_INSTALL_FROM"
    if [ -z "${TARS_INSTALL_PREFIX-}" ] && [ -z "${HOME-}" ]; then
        fail "HOME is not set" "set it, or TARS_INSTALL_PREFIX"
    fi
    prefix=${TARS_INSTALL_PREFIX:-${HOME-}/.local}
    trap 'remove_scratch' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM

    choose_target
    choose_tools
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/tars-install.XXXXXX") || fail "cannot create a temporary directory"
    say "release     $from"
    get SHA256SUMS
    archive=$(awk -v ending="-$target.tar.gz" 'substr($2, length($2) - length(ending) + 1) == ending { print $2 }' "$scratch/SHA256SUMS")
    case $archive in
        tars-*-"$target".tar.gz) ;;
        *) fail "this release has no archive for $target" "build tars from its sources" ;;
    esac
    # A name with a slash or a blank is none of ours.
    case $archive in
        */* | *[!A-Za-z0-9._-]*) fail "SHA256SUMS names an archive as no release does: $archive" ;;
    esac
    get "$archive"
    check_sum
    unpack
    install_files
    report
}

# Sets `target`, as the archives name it.
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

# Sets `hasher`, and `getter` for what fetches a file: curl or wget.
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

# Fetches the release's file $1 into `scratch`. Addresses are https but for tests, which set their own.
get() {
    case $getter in
        curl) curl --fail --silent --show-error --location --retry 2 --output "$scratch/$1" "$from/$1" ;;
        wget) wget --quiet --tries=3 --output-document="$scratch/$1" "$from/$1" ;;
    esac || fail "cannot fetch $from/$1" "is there a network? Nothing was changed"
}

check_sum() {
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$scratch/SHA256SUMS")
    found=$($hasher <"$scratch/$archive" | cut -d' ' -f1)
    [ "$found" = "$expected" ] ||
        fail "$archive is not the file that SHA256SUMS names: sha256 $found, expected $expected" "nothing was changed; try again"
    say "archive     $archive, sha256 as in SHA256SUMS"
}

unpack() {
    mkdir "$scratch/unpacked"
    tar -xzf "$scratch/$archive" -C "$scratch/unpacked" || fail "$archive cannot be unpacked" "is the disk full?"
    staged=$scratch/unpacked/${archive%.tar.gz}
    version=$("$staged/bin/tars" --version) || fail "the program does not run on this machine" "please report it"
}

# The program comes last: until then, what was there before goes on working, but for the moment in which the model is exchanged.
install_files() {
    for folder in "$prefix/bin" "$prefix/lib"; do
        mkdir -p "$folder" || fail "cannot create $folder"
    done
    new=$prefix/lib/.tars.$$
    rm -rf "$new"
    cp -R "$staged/lib/tars" "$new" || fail "cannot write $new" "is the disk full?"
    rm -rf "$prefix/lib/tars"
    mv "$new" "$prefix/lib/tars" || fail "cannot write $prefix/lib/tars"
    mkdir -p "$prefix/share"
    cp -R "$staged/share/." "$prefix/share/" || fail "cannot write into $prefix/share"
    # Renamed into place, since a running program's file cannot be written to.
    cp "$staged/bin/tars" "$prefix/bin/.tars.$$" || fail "cannot write $prefix/bin"
    mv -f "$prefix/bin/.tars.$$" "$prefix/bin/tars"
}

report() {
    say "installed   $version"
    say "program     $prefix/bin/tars"
    say "model       $prefix/lib/tars/models"
    say "manual      $prefix/share/man/man1, completions and documents beside"
    say "remove      rm -rf $prefix/bin/tars $prefix/lib/tars $prefix/share/doc/tars $prefix/share/man/man1/tars*.1 \\"
    say "              $prefix/share/bash-completion/completions/tars $prefix/share/zsh/site-functions/_tars \\"
    say "              $prefix/share/fish/vendor_completions.d/tars.fish"
    case ":$PATH:" in
        *":$prefix/bin:"*) say "next        tars init FOLDER_OF_YOUR_NOTES" ;;
        *)
            # shellcheck disable=SC2016 # $PATH is for the reader's shell.
            printf 'next        %s/bin is not on PATH; add this to your shell profile: export PATH="%s/bin:$PATH"\n' "$prefix" "$prefix"
            say "            then: tars init FOLDER_OF_YOUR_NOTES"
            ;;
    esac
}

remove_scratch() {
    [ -z "$scratch" ] || rm -rf "$scratch"
    scratch=
}

say() {
    printf '%s\n' "$1"
}

# Ends with the message $1 and, if there is one, the hint $2.
fail() {
    printf 'install.sh: %s\n' "$1" >&2
    [ -z "${2-}" ] || printf '  hint: %s\n' "$2" >&2
    exit 2
}

# All of it is read before any of it runs: a connection that breaks runs nothing by halves.
main "$@"
