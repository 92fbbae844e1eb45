#!/bin/sh
# Passes an event of Gemini CLI to tars: event.sh SECONDS EVENT. tars.sh beside it is that of the plugin for Claude Code.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
ask_tars "$1" hook "$2" --client gemini
# There is no tars.
[ "$2" != session-start ] ||
  printf '%s\n' '{"systemMessage":"tars is not installed, so nothing is remembered: install it, or remove this extension with gemini extensions uninstall tars"}'
exit 0
