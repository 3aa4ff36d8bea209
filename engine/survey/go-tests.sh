# Builds the tests of packages, and times what is built as time.sh does: the go command is no part of what is
# timed. Words are flags of built tests, -test.NAME, and packages. They run one after another, each in its folder.
set -e
flags=() packages=() n=0
for word in "$@"; do
  case $word in -test.*) flags+=("$word") ;; *) packages+=("$word") ;; esac
done
folders=$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' "${packages[@]}")
echo 'set -e' > "$TMPDIR/atoll-tests"
while IFS= read -r folder; do
  if [ -z "$folder" ]; then continue; fi
  n=$((n + 1))
  go test -c -trimpath -vet=off -o "$TMPDIR/atoll-tests-$n" "$folder"
  { printf '(cd %q && exec' "$folder" && printf ' %q' "$TMPDIR/atoll-tests-$n" -test.paniconexit0 "${flags[@]}" && echo ')'; } >> "$TMPDIR/atoll-tests"
done <<< "$folders"
exec bash "$ATOLL_EVAL_DIR/time.sh" sh "$TMPDIR/atoll-tests"
