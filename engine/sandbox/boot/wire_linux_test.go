package boot

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

func sampleJob() *Job {
	return &Job{
		Rung: 2, Stage: "/s", Args: []string{"a", "", "c\x00\n"}, Env: []string{"A=1"}, Dir: "d", Base: "/b",
		Delta: []Change{{Path: "x\xff", Mode: modeRegular, Data: []byte("data")}, {Path: "gone", Data: []byte{}}},
		Seals: []Pair{{"a", "/b"}}, Mounts: []Mount{{Host: "/h", At: "/a", Write: true, Private: true}, {Host: "/d", At: "/d", Device: true, Overlay: true, Optional: true}},
		Links: []Pair{{"/l", "t"}}, Texts: []File{{Path: "/t", Mode: 0o444, Data: []byte("x")}}, Hidden: []string{"h"},
		Files: []File{{Path: "f", Mode: 1, Data: []byte("y")}}, ResultName: "r", ResultMax: 1, Product: "a/b", ProductMax: 9, Harvest: true, HarvestFile: 2,
		HarvestTotal: 3, HarvestSkip: []string{"s"}, Wall: 4, Grace: 5, CPU: 6, Memory: 7, Disk: 8, Procs: 9, OwnNet: true,
		Gateway: "/g", GatewayPort: 10, Launcher: "/e", ReadOnly: true, MaskProc: true, Filter: []byte{1, 2, 3}, Narrow: []byte{4}, ABI: 11, ProcLimit: true,
		Fence: FenceTrace, PidMax: 12, Nice: 13, Slack: 14, NoOverlay: true,
	}
}

func TestMessagesComeBackAsTheyWere(t *testing.T) {
	var j Job
	want := sampleJob()
	if err := j.Decode(want.Encode()); err != nil || !reflect.DeepEqual(&j, want) {
		t.Errorf("job %+v, %v\nwant %+v", j, err, want)
	}
	for i, v := 0, reflect.ValueOf(*want); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the sample leaves %s empty: a field that is not coded would not be seen", v.Type().Field(i).Name)
		}
	}
	rep := Report{
		Err: "e", Exit: 1, Signal: 2, TimedOut: true, Limits: []string{"wall"}, Violations: []string{"v"}, Wall: 3, CPU: 4,
		MaxRSS: 5, Result: []byte("r"), HasResult: true, Product: []byte("p"), HasProduct: true, Changes: []Change{{"p", 1, []byte("d")}}, Refused: []string{"f"}, Copied: true,
	}
	var back Report
	if err := back.Decode(rep.Encode()); err != nil || !reflect.DeepEqual(back, rep) {
		t.Errorf("report %+v, %v\nwant %+v", back, err, rep)
	}
	for i, v := 0, reflect.ValueOf(rep); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("the sample leaves %s empty", v.Type().Field(i).Name)
		}
	}
}

func FuzzDamagedMessagesAreRefused(f *testing.F) {
	f.Add(sampleJob().Encode())
	f.Add((&Report{Err: "x"}).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		var j Job
		if err := j.Decode(data); err == nil {
			if again := j.Encode(); string(again) != string(data) && len(again) != len(data) {
				t.Errorf("decoded %d bytes, encoded %d", len(data), len(again))
			}
		}
		var r Report
		_ = r.Decode(data)
		_ = decode(data, new(Policy))
		_ = decode(data, new(launch))
	})
}

func TestCutMessagesAreRefused(t *testing.T) {
	whole := sampleJob().Encode()
	for n := range whole {
		if err := new(Job).Decode(whole[:n]); err == nil {
			t.Fatalf("a message cut after %d of %d bytes was accepted", n, len(whole))
		}
	}
	if err := new(Job).Decode(append(whole, 0)); err == nil {
		t.Error("a message with a byte too many was accepted")
	}
}

func TestProcessTableLinesWithHostileNames(t *testing.T) {
	tail := " S 7 1 1 0 -1 4194560 100 0 0 0 3 4 5 6 20 0 9 0 100 1000 50 18446744073709551615 1 1"
	for _, name := range []string{"sh", "a) Z 1 (", ") R 1 1 1 1 1", "new\nline"} {
		s, ok := parseStat([]byte("12 (" + name + ")" + tail))
		if !ok || s.parent != 7 || s.threads != 9 || s.cpu != 18 || s.rss == 0 || s.zombie {
			t.Errorf("%q: %+v %v", name, s, ok)
		}
	}
	for _, text := range []string{"", "12 (x", "12 (x) S 1"} {
		if _, ok := parseStat([]byte(text)); ok {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestBadTreePaths(t *testing.T) {
	for path, bad := range map[string]bool{
		"a": false, "a/b.txt": false, ".gitignore": false, "a/.github/x": false, "a\nb": false, "...": false,
		"": true, "/a": true, "a/": true, "a//b": true, "..": true, "a/../b": true, "./a": true, ".git": true, "a/.GIT/b": true,
		".git.": true, ".git ": true, "GIT~1": true, "a\x00b": true,
	} {
		if got := badPath(path); got != bad {
			t.Errorf("badPath(%q) = %v, want %v", path, got, bad)
		}
	}
}

func TestOnlyTheStandardLibraryIsLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("list the dependencies: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path := strings.TrimSpace(line)
		heavy := path == "fmt" || path == "net" || path == "reflect" || path == "encoding/json" || path == "regexp"
		if strings.Contains(strings.SplitN(path, "/", 2)[0], ".") || heavy {
			t.Errorf("the first process depends on %s", path)
		}
	}
}
