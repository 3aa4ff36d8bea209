# Tells what a command takes on one processor: alone, and where a busy loop shares it.
set -e
cores=$(taskset -cp $$)
core=${cores##*: }
taskset -cp "${core%%[,-]*}" $$ > /dev/null
TIMEFORMAT='%R %U %S'
clock() { # sets took: seconds by the clock, and of the processor
  took=$({ time "$@" > "$TMPDIR/atoll-out" 2>&1 || echo failed; } 2>&1)
  case $took in *failed*) exit 1 ;; esac
  took=$(echo "$took" | awk '{ print $1, $2 + $3 }')
}
while :; do :; done &
busy=$!
trap 'kill $busy' EXIT
clock "$@" # first: what only the first run does makes it longer
beside=$took
kill $busy
trap - EXIT
clock "$@"
printf '{"metrics": {"alone_s": %s, "alone_cpu_s": %s, "beside_s": %s, "beside_cpu_s": %s}}\n' ${took% *} ${took#* } ${beside% *} ${beside#* } > "$ATOLL_RESULT"
