// Package suitetest says how much of the tests was asked for. There are three levels,
// and each has what those before it have:
//
//   - every day: `go test ./...`, a quick representative of each behaviour;
//   - full, ATOLL_FULL=1: what holds before a change lands. More seeds, more kills, whole
//     experiments, every rung of the sandbox. ATOLL_FULL=2/6 has the second of six parts of
//     the tests that are long as a whole; .ci/run asks for one, which follows from the commit;
//   - slow, ATOLL_SLOW=1: the figures that docs/decisions name, for hours.
//
// A test that is long as a whole calls [Full] or [Slow] first. One that is quick with
// smaller numbers takes them from [Pick] and says what the small form cannot show.
package suitetest

import (
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// Full skips a test unless the full level, or the part of it that the test is in, or the
// slow level was asked for. why says what takes so long, and which quick test stands for
// it every day. A test and its subtests are in one part.
func Full(t testing.TB, why string) {
	t.Helper()
	if !IsSlow() && !isIn(os.Getenv("ATOLL_FULL"), t.Name()) {
		t.Skipf("%s; ATOLL_FULL=1 runs it", why)
	}
}

// Slow skips a test unless the slow level was asked for.
func Slow(t testing.TB, why string) {
	t.Helper()
	if !IsSlow() {
		t.Skipf("%s; ATOLL_SLOW=1 runs it", why)
	}
}

// IsFull reports whether the full level, or a part of it, or the slow one was asked for.
func IsFull() bool {
	_, of := part(os.Getenv("ATOLL_FULL"))
	return of > 0 || IsSlow()
}

// part reads "1", all of one part, and "2/6", the second of six; 0 parts are none.
func part(text string) (which, of int) {
	if text == "1" {
		return 1, 1
	}
	if n, err := fmt.Sscanf(text, "%d/%d", &which, &of); n < 2 || err != nil || which < 1 || which > of {
		return 0, 0
	}
	return which, of
}

// isIn reports that a test is in a part.
func isIn(text, test string) bool {
	which, of := part(text)
	top, _, _ := strings.Cut(test, "/")
	return of > 0 && crc32.ChecksumIEEE([]byte(top))%uint32(of) == uint32(which-1)
}

// IsSlow reports whether the slow level was asked for.
func IsSlow() bool { return os.Getenv("ATOLL_SLOW") == "1" }

// Pick returns the value of the level that was asked for.
func Pick[T any](everyDay, full, slow T) T {
	switch {
	case IsSlow():
		return slow
	case IsFull():
		return full
	}
	return everyDay
}

// Every returns each nth of a list every day, from the first, and all at the other
// levels: for tables of cases that each start a program, where neighbours are alike.
func Every[T any](n int, list []T) []T {
	if IsFull() {
		return list
	}
	return eachNth(n, list)
}

// Some returns each nth of a list, from the first, at all levels but the slow one, which
// has all: for tables whose cases each take seconds of the processor.
func Some[T any](n int, list []T) []T {
	if IsSlow() {
		return list
	}
	return eachNth(n, list)
}

func eachNth[T any](n int, list []T) []T {
	var some []T
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}

// RunAtOnce runs the tests of a package from its TestMain, n parallel ones at a time
// unless -parallel says otherwise, and returns the exit code. It is for packages whose
// tests wait for processes, frames and disks more than they compute.
func RunAtOnce(m *testing.M, n string) int {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		if err := flag.Set("test.parallel", n); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// SystemFirst puts the folders of the system first on PATH, for this process and those
// that it starts, and leaves out others that have one of the programs without, which no
// test of the package runs. A version manager's python3 in front is a script that every
// sandbox has to ask where it lives, which took a fifth of the processor time of tests
// that run whole experiments; rustup's cargo, wherever it is, loads a compiler for the
// answer, which took a twelfth.
func SystemFirst(without ...string) {
	path := []string{"/usr/local/bin", "/usr/bin", "/bin"}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !slices.Contains(path, dir) && !slices.ContainsFunc(without, func(name string) bool { return hasFile(dir, name) }) {
			path = append(path, dir)
		}
	}
	if err := os.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator))); err != nil {
		panic(err)
	}
}

func hasFile(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// Stretched is a limit of time on this machine as busy as it is: so much longer as
// there are more processes that want to run than processors. The test is marked as one
// that counts time, which .ci/run tries a second time.
func Stretched(t testing.TB, limit time.Duration) time.Duration {
	t.Helper()
	t.Attr("timing", "how soon something ends is measured")
	text, err := os.ReadFile("/proc/loadavg")
	var load float64
	if err == nil {
		_, err = fmt.Sscan(string(text), &load)
	}
	if err != nil {
		return limit
	}
	return time.Duration(float64(limit) * max(1, load/float64(runtime.NumCPU())))
}
