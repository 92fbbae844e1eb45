#!/bin/sh
# Takes what the session has so far aside, before it is summarised.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
