# shellcheck shell=sh
# What the hooks share: hand standard input to tars and pass its answer on, one JSON object or nothing. A hook always ends
# with success, whatever tars does: anything else would disturb the session.
#
# Usage, from a hook: . "${0%/*}/tars.sh"; ask_tars SECONDS ARGUMENT...

# The version of the plugin, as .claude-plugin/plugin.json names it. Tars says where its own is another one.
TARS_PLUGIN_VERSION=0.1.0
export TARS_PLUGIN_VERSION

# Calls "$@" with each program that there may be, until it returns 0.
each_tars() {
  for tars in "$(command -v tars)" "${CLAUDE_PLUGIN_DATA:-/none}/bin/tars" "${HOME:-}/.local/bin/tars" "${HOME:-}/.cargo/bin/tars" \
    /opt/homebrew/bin/tars /usr/local/bin/tars /home/linuxbrew/.linuxbrew/bin/tars; do
    [ -f "$tars" ] && [ -x "$tars" ] && "$@" && return 0
  done
  return 1
}

# Sets `tars` to the program that the session's start chose, else to the first one. The choice is read without starting a process,
# since a hook comes before each prompt.
find_tars() {
  if [ -f "${CLAUDE_PLUGIN_DATA:-/none}/program" ] && read -r version tars <"$CLAUDE_PLUGIN_DATA/program" &&
    [ "$version" = "$TARS_PLUGIN_VERSION" ] && [ -f "$tars" ] && [ -x "$tars" ]; then
    return 0
  fi
  each_tars true
}

# Sets `tars` to the program for the session that begins: where there are several, to one of the plugin's version. Further hooks find
# it by a line in the plugin's data, and what the agent runs by the environment that the client keeps for the session.
choose_tars() {
  count=0
  each_tars counted
  [ "$count" -gt 0 ] || return 1
  # Where there is one alone, its version is not asked: tars says itself that it does not fit.
  { [ "$count" -gt 1 ] && each_tars fits; } || each_tars true
  if [ -n "${CLAUDE_PLUGIN_DATA:-}" ] && mkdir -p "$CLAUDE_PLUGIN_DATA"; then
    printf '%s %s\n' "$TARS_PLUGIN_VERSION" "$tars" >"$CLAUDE_PLUGIN_DATA/program.$$"
    mv -f "$CLAUDE_PLUGIN_DATA/program.$$" "$CLAUDE_PLUGIN_DATA/program"
  fi
  if [ -n "${CLAUDE_ENV_FILE:-}" ]; then
    # The path behind it is that of the shell which reads this.
    # shellcheck disable=SC2016
    [ "$(command -v tars)" = "$tars" ] || printf 'export PATH=%s:"$PATH"\n' "$(quoted "${tars%/*}")" >>"$CLAUDE_ENV_FILE"
    [ -z "${CLAUDE_PLUGIN_OPTION_VAULT:-}" ] ||
      printf 'export CLAUDE_PLUGIN_OPTION_VAULT=%s\n' "$(quoted "$CLAUDE_PLUGIN_OPTION_VAULT")" >>"$CLAUDE_ENV_FILE"
  fi
}

# Counts programs; the one of the PATH often is found a second time.
counted() {
  [ "$tars" = "${seen:-}" ] || count=$((count + 1))
  seen=${seen:-$tars}
  return 1
}

fits() {
  [ "$(limited 2 "$tars" --version </dev/null)" = "tars $TARS_PLUGIN_VERSION" ]
}

# Prints a text as one word of a shell.
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

# Runs a program for so many seconds at most. What tars has begun to write when it is killed is not there at all.
limited() {
  seconds=$1
  shift
  if command -v timeout >/dev/null 2>&1; then
    timeout -s KILL "$seconds" "$@"
    return
  fi
  # A program in the background has no input of its own accord.
  exec 3<&0
  "$@" <&3 &
  program=$!
  (
    exec 3<&-
    sleep "$seconds" &
    # Nothing may be left running when the program has ended in time.
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

# Runs tars and passes its answer on. Returns only where there is no tars.
ask_tars() {
  [ "${TARS_DISABLE:-0}" = 0 ] || exit 0
  # Nothing that the shell says of a program that was killed is for the client either.
  exec 2>/dev/null
  "${finding:-find_tars}" || return 0
  seconds=$1
  shift
  # The client ends a hook that hangs, and tells the person so: it must not come to that.
  answer=$(limited "$seconds" "$tars" "$@") || exit 0
  case $answer in
    '{'*'}') printf '%s\n' "$answer" ;;
  esac
  exit 0
}
