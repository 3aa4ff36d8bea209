// Retry reads what `go test -json` says of a run, prints what failed, and tries
// those failed tests once more that are marked as counting time:
//
//	t.Attr("timing", "why a busy machine can make it fail")
//
// Whatever else failed has failed. Each second try is printed with its reason.
//
//	go test -json ./... | go run .ci/retry.go [FLAG...]
//
// The flags are handed to the second `go test`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output, Key, Value string
	ImportPath                                string // of a build
	Elapsed                                   float64
}

// name is one test function of one package.
type name struct{ pkg, test string }

func main() {
	r := run{output: map[name][]string{}, timing: map[name]string{}}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil {
			r.see(e)
		} else if len(line) > 0 {
			fmt.Print(string(line)) // the go command's own words
		}
		if err != nil {
			break
		}
	}
	if !r.settle(os.Args[1:]) {
		os.Exit(1)
	}
}

type run struct {
	output map[name][]string
	timing map[name]string // marked tests, and why
	failed []name          // top-level tests
	broken []string        // packages that failed without a failed test
	ended  int
}

func (r *run) see(e event) {
	top, _, sub := strings.Cut(e.Test, "/")
	n := name{e.Package, top}
	switch e.Action {
	case "output":
		r.output[n] = append(r.output[n], e.Output)
	case "build-output":
		fmt.Print(e.Output)
	case "attr":
		if e.Key == "timing" {
			r.timing[n] = e.Value
		}
	case "fail":
		switch {
		case e.Test == "":
			r.ended++
			fmt.Printf("FAIL %s %.1fs\n", e.Package, e.Elapsed)
			if !slices.ContainsFunc(r.failed, func(f name) bool { return f.pkg == e.Package }) {
				r.broken = append(r.broken, e.Package)
				fmt.Print(strings.Join(r.output[n], ""))
			}
		case !sub:
			r.failed = append(r.failed, n)
			fmt.Print(strings.Join(r.output[n], ""))
		}
	case "pass":
		if e.Test == "" {
			r.ended++
			fmt.Printf("ok   %s %.1fs\n", e.Package, e.Elapsed)
		} else if !sub {
			delete(r.output, n)
		}
	}
}

// settle tries again what may be tried again, and reports whether all is well.
func (r *run) settle(flags []string) bool {
	good := len(r.broken) == 0 && r.ended > 0
	for _, n := range r.failed {
		why, marked := r.timing[n]
		if !marked {
			fmt.Printf("%s of %s failed\n", n.test, n.pkg)
			good = false
			continue
		}
		fmt.Printf("second try of %s of %s, which counts time: %s\n", n.test, n.pkg, why)
		cmd := exec.Command("go", slices.Concat([]string{"test", "-count=1", "-run", "^" + n.test + "$"}, flags, []string{n.pkg})...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Printf("%s of %s failed twice\n", n.test, n.pkg)
			good = false
		}
	}
	return good
}
