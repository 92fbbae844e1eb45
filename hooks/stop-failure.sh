#!/bin/sh
# Spools a turn that ended with an error of the model's server.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
