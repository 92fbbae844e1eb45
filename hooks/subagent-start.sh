#!/bin/sh
# Puts what is relevant to the present request before a helper of the agent.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 3 search --hook
exit 0
