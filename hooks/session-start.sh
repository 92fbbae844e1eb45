#!/bin/sh
# Gives the agent the memory when a session starts, and starts the watcher.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
# ask_tars reads it.
# shellcheck disable=SC2034
finding=choose_tars
ask_tars 8 search --hook
printf '%s\n' '{"systemMessage":"tars is not installed, so nothing is remembered: /tars:install fetches it"}'
