# shellcheck shell=sh
# The kernel's arithmetic as a program of its own, shared by scripts/checks/aarch64 and scripts/bench/instructions. It depends on
# no other code, so a cross compiler builds it without cargo within seconds. The program has one thread, because a second one hangs
# under some versions of qemu-user.
#
# Usage, with `name` set to the script's name: . scripts/checks/kernel.sh; need TOOL ...; write_modules FOLDER [PROGRAM]; compile ...

# shellcheck disable=SC2034 # The scripts that read this file use it.
repository=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
rustc=${RUSTC:-rustc}

# Ends unless all tools are installed.
need() {
    for tool in "$rustc" "$@"; do
        if ! command -v "$tool" >/dev/null 2>&1; then
            # shellcheck disable=SC2154 # The script that reads this file sets `name`.
            printf '%s: %s is missing\n  hint: %s\n' "$name" "$tool" \
                "apt install qemu-user gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross; rustup target add aarch64-unknown-linux-gnu, or apt install rustc-web libstd-rust-web-dev:arm64 and set RUSTC=/usr/bin/rustc" >&2
            exit 2
        fi
    done
}

# Prints the kernel's modules, whose sources are in the folder $1, and beside them the module `program` of the file $2, if given.
write_modules() {
    further=''
    [ -z "${2-}" ] || further="#[path = \"$2\"] pub mod program;"
    cat <<EOF
#![allow(dead_code, improper_ctypes, non_upper_case_globals, unused_imports)]
mod embed {
    pub mod bert {
        #[path = "$1/arithmetic/mod.rs"]
        mod arithmetic;
        #[path = "$1/encoder.rs"]
        mod encoder;
        #[path = "$1/matrix.rs"]
        mod matrix;
        #[path = "$1/word_embeddings.rs"]
        mod word_embeddings;
        $further
    }
}
// The sources name each other from the root of their crate.
use embed::bert;
EOF
}

# Compiles the program $1 for the target $2 with the linker $3 into the file $4; further arguments are options of rustc.
compile() {
    source=$1 triple=$2 linker=$3 program=$4
    shift 4
    "$rustc" --edition 2024 "$@" -C "linker=$linker" --target "$triple" -o "$program" "$source"
}
