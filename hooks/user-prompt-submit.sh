#!/bin/sh
# Gives the agent the context for a prompt.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 3 search --hook
exit 0
