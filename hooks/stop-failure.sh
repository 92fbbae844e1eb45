#!/bin/sh
# Takes a turn aside that the model's server has left unanswered.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 4 remember --hook
exit 0
