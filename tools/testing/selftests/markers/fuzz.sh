#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# fuzz.sh LINES: so many definitions with errors are written to marker_events; after that
# everything has to be as it was. To be run as root, in the tracing directory, without
# dynamic events there.
#
# Copyright (C) 2026 The static-key tracepoints developers

DIR="$(dirname "$(readlink -f "$0")")"
exec "$DIR"/../function_events/fuzz.sh "${1:?how many lines?}" marker_events \
	"$DIR/definitions" markers other group-1
