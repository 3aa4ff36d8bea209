# Measures the Go benchmarks of two trees in turns: of the candidate, which is
# the working directory, and of the root. Arguments: the root's tree, rounds,
# "processor" or "wall", "same" where equal programs need no measurement, and
# the command, which calls go test. The file atoll_layout beside this one holds
# the seed of the order in which the linker lays functions, 0 for its own.
here=${0%/*}
root=$1 rounds=$2 clock=$3 shortcut=$4
shift 4
kept=$TMPDIR/atoll-bench
mkdir -p "$kept/root" "$kept/candidate" || exit 1

flags="$GOFLAGS '-exec=sh $here/atoll_gobench_keep.sh'"
layout=$(cat "$here/atoll_layout")
[ "$layout" = 0 ] || flags="$flags '-ldflags=-w -randlayout=$layout'"
if [ "$clock" = processor ]; then
	of=$(go env GOROOT)/src/testing/testing_other.go
	# Only where this file of the library is the one that is known.
	if [ "$(grep -c '^func ' "$of")" = 3 ] && grep -q 'func highPrecisionTimeSince' "$of"; then
		cp "$here/atoll_clock.go.txt" "$kept/clock.go"
		printf '{"Replace": {"%s": "%s"}}' "$of" "$kept/clock.go" >"$kept/overlay.json"
		flags="$flags -overlay=$kept/overlay.json"
	fi
fi

# Both are built by the command itself; what go test would run is kept.
(GOFLAGS=$flags ATOLL_KEEP=$kept/candidate ATOLL_KEEP_TREE=$PWD "$@") || exit
if ! (cd "$root" && GOFLAGS=$flags ATOLL_KEEP=$kept/root ATOLL_KEEP_TREE=$PWD "$@" >"$kept/out" 2>&1); then
	cat "$kept/out" >&2
	echo "the root does not build beside it" >&2
	exit 1
fi
if [ "$shortcut" = same ]; then
	same=yes
	for d in "$kept"/candidate/*/; do
		cmp -s "$d/program" "$kept/root/$(basename "$d")/program" || same=no
	done
	if [ "$same" = yes ]; then
		echo "atoll: same"
		exit 0
	fi
fi

# What was built names the candidate: another that builds the same is the same. The
# first line counts, and no program ran yet.
echo "atoll: program $(cat "$kept"/candidate/*/program | sha256sum | cut -d' ' -f1)"

turn() {
	for d in "$kept/$1"/*/; do
		echo "atoll: $1"
		(
			cd "$(cat "$d/dir")" || exit
			set --
			while IFS= read -r word; do set -- "$@" "$word"; done <"$d/args"
			exec "$d/program" "$@" -test.count=1
		) || exit
	done
}
i=0
while [ $i -lt "$rounds" ]; do
	if [ $((i % 2)) = 0 ]; then
		turn root
		turn candidate
	else
		turn candidate
		turn root
	fi
	i=$((i + 1))
done
