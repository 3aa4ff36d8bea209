# Runs a command once, so that what it builds is built, then with every compiler of PATH behind a clock,
# and tells which part of its processor time they take.
TIMEFORMAT='%U %S'
clocks="$TMPDIR/atoll-clocks" built="$TMPDIR/atoll-built"
mkdir "$clocks" && : > "$built" || exit 1
for name in cc c++ gcc g++ clang clang++ gfortran rustc ghc javac; do
  real=$(command -v "$name") || continue
  printf '#!/bin/bash\nTIMEFORMAT="%%U %%S"\nexec 3>&2\n{ time %q "$@" 2>&3 3>&-; } 2>> %q\n' "$real" "$built" > "$clocks/$name"
  chmod +x "$clocks/$name"
done
"$@" > /dev/null 2>&1
all=$({ time PATH="$clocks:$PATH" "$@" > /dev/null 2>&1; } 2>&1)
awk -v all="$all" '{ s += $1 + $2 } END { split(all, a, " "); if (a[1] + a[2] > 0) printf "ATOLL_BUILDING %.3f\n", s / (a[1] + a[2]) }' "$built"
