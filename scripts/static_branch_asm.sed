# SPDX-License-Identifier: GPL-2.0
#
# sed -E script: the string literals below the mark of a preprocessed C file,
# joined and unquoted.
#
# Of the escapes of C it knows \n, \t, \" and \\, in this order: the name of a
# macro parameter, which follows a \\, must not start with n or t.

1,/^\/\/ Cut here\.$/d
# Not the line markers of the preprocessor, which have quotes as well.
/^#/!H
$!d

x
s/\n//g
s/[^"]*"(([^"\\]|\\.)*)"[^"]*/\1/g
s/\\n/\n/g
s/\\t/\t/g
s/\\(.)/\1/g
