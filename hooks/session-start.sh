#!/bin/sh
# Puts the memory before the agent when a session begins, and starts the watcher.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars 8 search --hook
printf '%s\n' '{"systemMessage":"tars is not installed, so nothing is remembered: see the README of the tars plugin"}'
