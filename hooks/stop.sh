#!/bin/sh
# Spools a turn; a background process writes its note.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
