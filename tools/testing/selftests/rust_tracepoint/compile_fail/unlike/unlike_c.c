// SPDX-License-Identifier: GPL-2.0

#include "unlike_rust.trace.h"
