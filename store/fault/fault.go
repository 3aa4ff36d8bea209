// Package fault has the points at which tests end the program, as a kill or the loss of
// power would: between two writes that belong together.
//
// A [Point] is a name for such a place. [At] stands there. The environment variable
// ATOLL_FAULT arms one, "row" or "row:3" for the third time that the program comes to
// it; without it a point costs a comparison. It is a variable because it must reach a
// program that another one starts and has killed, and there is nothing else that it
// could do: whoever can set it can kill the program as well.
package fault

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Point is a place between two writes.
type Point string

// The points, in the order in which a candidate comes to them.
const (
	Commit       Point = "commit"      // a commit object is there, and nothing leads to it
	Row          Point = "row"         // its attempt's ref is there, and not its row
	Group        Point = "group"       // a group of writes was run and is not committed
	Acknowledge  Point = "acknowledge" // the group is committed, and nobody was told
	Measure      Point = "measure"     // past the gate, not measured
	Kept         Point = "kept"        // a sample of several is kept, and the next not begun
	Measured     Point = "measured"    // measured, and not written
	Anchor       Point = "anchor"      // an anchor is there, and its ref leads to the one before
	Anchored     Point = "anchored"    // the anchor's ref leads to it, and attempts' refs are still there
	Packed       Point = "packed"      // git has packed, and the store does not know
	Refit        Point = "refit"       // a new map was fitted and is not written
	Refitted     Point = "refitted"    // it is written, and nothing is placed on it
	Layout       Point = "layout"      // the tables have a new layout that is not committed
	Promote      Point = "promote"     // the user's repository has the branch, and the log does not know
	Seal         Point = "seal"        // sums of the pages are written beside their place
	Unseal       Point = "unseal"      // they are gone, and nothing is written yet
	noPoint      Point = ""
	variableName       = "ATOLL_FAULT"
)

// Points lists all of them.
func Points() []Point {
	return []Point{Commit, Row, Group, Acknowledge, Measure, Kept, Measured, Anchor, Anchored, Packed, Refit, Refitted, Layout, Promote, Seal, Unseal}
}

// armed is the point that the environment names.
var armed = sync.OnceValue(func() *trap {
	text, ok := os.LookupEnv(variableName)
	if !ok {
		return &trap{}
	}
	name, count, _ := strings.Cut(text, ":")
	t := &trap{point: Point(name)}
	if n, err := strconv.ParseInt(count, 10, 64); err == nil {
		t.left.Store(n - 1)
	}
	if !slices.Contains(Points(), t.point) {
		fmt.Fprintf(os.Stderr, "atoll: %s names no point: %q is none of %q\n", variableName, name, Points())
		return &trap{}
	}
	return t
})

type trap struct {
	point Point
	left  atomic.Int64 // times that the program may pass
}

// At is called at a point. It does not return where that is the one that ends the
// program.
func At(p Point) {
	t := armed()
	if t.point == noPoint || t.point != p || t.left.Add(-1) >= 0 {
		return
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until the signal comes
}
