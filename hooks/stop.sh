#!/bin/sh
# Takes a turn aside; a process of its own makes a note of it.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
