#!/bin/sh
# The quick stage: the code must be sound and pass its test. The test is built
# here, without C: a C compiler would read any file that the code names. It runs
# through the launcher, with fewer rights than this script.
set -e
export CGO_ENABLED=0
go vet ./packing ./play
go test -c -vet=off -ldflags='-s -w' -o .quick.test ./packing
$ATOLL_RUN ./.quick.test
rm -f .quick.test
