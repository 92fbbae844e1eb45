#!/bin/sh
# Spools the session so far, before the client compacts it.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
