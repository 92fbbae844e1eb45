#!/bin/sh
# Spools the client's summary of the session.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
