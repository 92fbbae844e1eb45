#!/bin/sh
# Gives a helper of the agent the context for the present request.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 3 search --hook
exit 0
