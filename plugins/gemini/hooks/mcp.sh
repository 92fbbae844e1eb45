#!/bin/sh
# Serves the memory as tools (docs/mcp.md), with the program that the hooks use.
set -u
# shellcheck source=hooks/tars.sh
. "${0%/*}/tars.sh"
find_tars || exit 1
exec "$tars" mcp
