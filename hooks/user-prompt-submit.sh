#!/bin/sh
# Puts what is relevant to a prompt before the agent.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 3 search --hook
exit 0
