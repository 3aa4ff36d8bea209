# Stands for the program that go test would run, and keeps it for later turns,
# with its folder and its arguments.
to=$ATOLL_KEEP/p$(printf %s "${PWD#"$ATOLL_KEEP_TREE"}" | tr / _)
mkdir "$to" || exit 1
pwd >"$to/dir"
ln "$1" "$to/program" 2>/dev/null || cp "$1" "$to/program" || exit 1
shift
printf '%s\n' "$@" >"$to/args"
