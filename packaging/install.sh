#!/bin/sh
# Installs tars and its model for this user: curl -fsSL @REPOSITORY@/releases/latest/download/install.sh | sh
#
# Downloads the archive for this machine, compares its sha256 with the release's SHA256SUMS, and unpacks it below ~/.local: bin/tars,
# lib/tars, the manual and completions. Needs no root. Leaves settings, shell profiles and everything outside of that folder alone.
# Run it again to install the newest release. Variables:
#
#   TARS_INSTALL_PREFIX   where to install (default: ~/.local)
#   TARS_INSTALL_FROM     address of the release's files (default: those of the newest release)
#
# Exit codes: 0 installed, 2 it failed: nothing was changed, or the message says what was.
set -eu

self=install.sh
# Addresses are https; tests set their own.
from=${TARS_INSTALL_FROM:-@REPOSITORY@/releases/latest/download}

main() {
    [ $# -eq 0 ] || fail "takes no arguments" "set TARS_INSTALL_PREFIX or TARS_INSTALL_FROM"
    if [ -z "${TARS_INSTALL_PREFIX-}" ] && [ -z "${HOME-}" ]; then
        fail "HOME is not set" "set it, or TARS_INSTALL_PREFIX"
    fi
    prefix=${TARS_INSTALL_PREFIX:-${HOME-}/.local}
    choose_target
    choose_tools
    make_scratch
    say "release     $from"
    choose_archive
    download "$archive"
    verify "the file that SHA256SUMS names"
    say "archive     $archive, sha256 as in SHA256SUMS"
    unpack
    install_model
    install_documents
    install_program
    report
}

# Sets `archive` to the one for this machine, and `expected` to its sha256.
choose_archive() {
    download SHA256SUMS
    archive=$(awk -v ending="-$target.tar.gz" 'substr($2, length($2) - length(ending) + 1) == ending { print $2 }' "$scratch/SHA256SUMS")
    case $archive in
        # A release's names have no slash and no blank; two archives would be two lines.
        */* | *[!A-Za-z0-9._-]*) fail "SHA256SUMS names an archive as no release does: $archive" ;;
        tars-*-"$target".tar.gz) ;;
        *) fail "this release has no archive for $target" "build tars from its sources" ;;
    esac
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$scratch/SHA256SUMS")
}

install_documents() {
    mkdir -p "$prefix/share"
    cp -R "$staged/share/." "$prefix/share/" || fail "cannot write into $prefix/share"
}

report() {
    say "installed   $found"
    say "program     $prefix/bin/tars"
    say "model       $prefix/lib/tars/models"
    say "manual      $prefix/share/man/man1, completions and documents beside"
    say "remove      rm -rf $prefix/bin/tars $prefix/lib/tars $prefix/share/doc/tars $prefix/share/man/man1/tars*.1 \\"
    say "              $prefix/share/bash-completion/completions/tars $prefix/share/zsh/site-functions/_tars \\"
    say "              $prefix/share/fish/vendor_completions.d/tars.fish"
    case ":$PATH:" in
        *":$prefix/bin:"*) say "next        tars init FOLDER_OF_YOUR_NOTES" ;;
        *)
            # shellcheck disable=SC2016 # The reader's shell expands $PATH.
            printf 'next        %s/bin is not on PATH; add this to your shell profile: export PATH="%s/bin:$PATH"\n' "$prefix" "$prefix"
            say "            then: tars init FOLDER_OF_YOUR_NOTES"
            ;;
    esac
}

# @shared skills/install/install-tars.sh
