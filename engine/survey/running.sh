# Runs a command of make once, so that what it builds is built, and tells what it takes then, what make
# takes of that by itself, what a program takes that does nothing, which programs it built, and which lines make runs.
touch "$TMPDIR/atoll-before"
"$@" > "$TMPDIR/atoll-first" 2>&1 || exit 1
built=$(find . -path ./.git -prune -o -type f -perm -u+x -newer "$TMPDIR/atoll-before" ! -name '*.o' ! -name '*.so*' -print | grep -x '[A-Za-z0-9_./-]*' | sed 's/.*/"&"/' | paste -sd, -)
TIMEFORMAT='%R %U %S'
spent=$({ time "$@" -s > "$TMPDIR/atoll-made" 2>&1 || echo failed; } 2>&1)
case $spent in *failed*) exit 1 ;; esac
# Beside a second of the processor make takes next to nothing; what waits for long is not run again and again.
if echo "$spent" | awk '{ exit !($1 > 3 || $2 + $3 > 1) }'; then exit 0; fi
took() {
  ATOLL_RESULT="$TMPDIR/atoll-took" bash "$ATOLL_EVAL_DIR/time.sh" "$@" > /dev/null 2>&1 && sed -n 's/.*"value": \([0-9.]*\).*/\1/p' "$TMPDIR/atoll-took"
}
whole=$(took "$@") && make=$(took "$@" -n) && empty=$(took "$(type -P true)") || exit 0
lines=$("$@" -s -n 2> /dev/null)
sh -ec "$lines" > "$TMPDIR/atoll-ran" 2>&1 && same=true || same=false
figures() { sed 's/[0-9.]//g' "$1"; } # may be times
[ "$(figures "$TMPDIR/atoll-made")" = "$(figures "$TMPDIR/atoll-ran")" ] || same=false
printf 'ATOLL_RUNNING {"whole": %s, "make": %s, "empty": %s, "same": %s, "built": [%s]}\n%s\n' "$whole" "$make" "$empty" "$same" "$built" "$lines"
