#!/bin/sh
# Passes the input of a hook to tars and prints its answer: one JSON object, or nothing. Always exits with 0, because another exit code
# would disturb the session.
#
# Usage: hook.sh EVENT
#
# A person approves the hooks of this plugin, and Codex asks again when a byte of the plugin has changed. So nothing here depends on the
# version of tars: the program that is installed knows what to do.
set -u
[ "${TARS_DISABLE:-0}" = 0 ] || exit 0
# The client must not see the shell's message about a killed program.
exec 2>/dev/null
PATH="${PATH:-/usr/bin:/bin}:${HOME:-}/.local/bin:${HOME:-}/.cargo/bin:/opt/homebrew/bin:/usr/local/bin:/home/linuxbrew/.linuxbrew/bin"
if ! command -v tars >/dev/null; then
  [ "$1" != session-start ] || printf '%s\n' '{"systemMessage":"tars is not installed, so nothing is remembered: docs/install.md says how to install it"}'
  exit 0
fi
# Less than the limit in hooks.json, after which Codex ends the hook and tells the person. tars writes atomically, so ending it is safe.
case $1 in
  session-start) seconds=8 ;;
  session-end) seconds=2 ;;
  *) seconds=3 ;;
esac
limit="timeout -s KILL $seconds"
command -v timeout >/dev/null || limit=
# shellcheck disable=SC2086 # the limit consists of words
answer=$($limit tars hook "$1" --client codex) || exit 0
case $answer in
  '{'*'}') printf '%s\n' "$answer" ;;
esac
exit 0
