# shellcheck shell=sh
# Shared by the hooks: passes standard input to tars and prints its answer, one JSON object or nothing. A hook always exits with 0,
# whatever tars does: another exit code would disturb the session.
#
# Usage, from a hook: . "${0%/*}/tars.sh"; ask_tars SECONDS ARGUMENT...

# The version in .claude-plugin/plugin.json. tars warns if its own version differs.
TARS_PLUGIN_VERSION=0.1.0
export TARS_PLUGIN_VERSION

# Sets `tars` to each installed program in turn and calls "$@", until it returns 0.
each_tars() {
  for tars in "$(command -v tars)" "${CLAUDE_PLUGIN_DATA:-/none}/bin/tars" "${HOME:-}/.local/bin/tars" "${HOME:-}/.cargo/bin/tars" \
    /opt/homebrew/bin/tars /usr/local/bin/tars /home/linuxbrew/.linuxbrew/bin/tars; do
    [ -f "$tars" ] && [ -x "$tars" ] && "$@" && return 0
  done
  return 1
}

# Sets `tars` to the program that choose_tars chose, else to the first one. Reads the choice without starting a process, because a
# hook runs before each prompt.
find_tars() {
  if [ -f "${CLAUDE_PLUGIN_DATA:-/none}/program" ] && read -r version tars <"$CLAUDE_PLUGIN_DATA/program" &&
    [ "$version" = "$TARS_PLUGIN_VERSION" ] && [ -f "$tars" ] && [ -x "$tars" ]; then
    return 0
  fi
  each_tars true
}

# Sets `tars` to the program for the new session: of several programs, one of the plugin's version. Later hooks find it by a line in
# the plugin's data, and the agent's commands by the environment that the client keeps for the session.
choose_tars() {
  count=0
  each_tars counted
  [ "$count" -gt 0 ] || return 1
  # The version of a single program does not matter here: tars itself warns if it does not fit.
  { [ "$count" -gt 1 ] && each_tars fits; } || each_tars true
  if [ -n "${CLAUDE_PLUGIN_DATA:-}" ] && mkdir -p "$CLAUDE_PLUGIN_DATA"; then
    printf '%s %s\n' "$TARS_PLUGIN_VERSION" "$tars" >"$CLAUDE_PLUGIN_DATA/program.$$"
    mv -f "$CLAUDE_PLUGIN_DATA/program.$$" "$CLAUDE_PLUGIN_DATA/program"
  fi
  if [ -n "${CLAUDE_ENV_FILE:-}" ]; then
    # The shell that reads the file expands $PATH.
    # shellcheck disable=SC2016
    [ "$(command -v tars)" = "$tars" ] || printf 'export PATH=%s:"$PATH"\n' "$(quoted "${tars%/*}")" >>"$CLAUDE_ENV_FILE"
    [ -z "${CLAUDE_PLUGIN_OPTION_VAULT:-}" ] ||
      printf 'export CLAUDE_PLUGIN_OPTION_VAULT=%s\n' "$(quoted "$CLAUDE_PLUGIN_OPTION_VAULT")" >>"$CLAUDE_ENV_FILE"
    [ -z "${CLAUDE_PLUGIN_OPTION_NOTES:-}" ] ||
      printf 'export CLAUDE_PLUGIN_OPTION_NOTES=%s\n' "$(quoted "$CLAUDE_PLUGIN_OPTION_NOTES")" >>"$CLAUDE_ENV_FILE"
  fi
}

# Counts programs. The first one, on PATH, is often found a second time.
counted() {
  [ "$tars" = "${seen:-}" ] || count=$((count + 1))
  seen=${seen:-$tars}
  return 1
}

fits() {
  [ "$(limited 2 "$tars" --version </dev/null)" = "tars $TARS_PLUGIN_VERSION" ]
}

# Prints a text quoted for a shell.
quoted() {
  rest=$1 word=
  while :; do
    case $rest in
      *\'*) word=$word${rest%%\'*}"'\\''" rest=${rest#*\'} ;;
      *) break ;;
    esac
  done
  printf "'%s'" "$word$rest"
}

# Runs a program for at most $1 seconds. Killing tars is safe, because it writes atomically.
limited() {
  seconds=$1
  shift
  if command -v timeout >/dev/null 2>&1; then
    timeout -s KILL "$seconds" "$@"
    return
  fi
  # A background process would read from /dev/null.
  exec 3<&0
  "$@" <&3 &
  program=$!
  (
    exec 3<&-
    sleep "$seconds" &
    # Ends the sleep too when the program has ended in time.
    trap 'kill $!; exit' TERM
    wait $!
    kill -9 "$program"
  ) </dev/null >/dev/null &
  watch=$!
  wait "$program"
  status=$?
  kill "$watch"
  return "$status"
}

# Runs tars for at most $1 seconds, prints its answer and exits. Returns only if there is no tars.
ask_tars() {
  [ "${TARS_DISABLE:-0}" = 0 ] || exit 0
  # The client must not see the shell's message about a killed program either.
  exec 2>/dev/null
  "${finding:-find_tars}" || return 0
  seconds=$1
  shift
  # The client ends a hook that hangs and tells the user, so tars gets less time than the hook.
  answer=$(limited "$seconds" "$tars" "$@") || exit 0
  case $answer in
    '{'*'}') printf '%s\n' "$answer" ;;
  esac
  exit 0
}
