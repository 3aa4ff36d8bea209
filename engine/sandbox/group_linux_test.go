package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"atoll/engine/sandbox"
)

// fakeGroups is a tree of control groups of plain files, and a process in it.
func fakeGroups(t *testing.T, cgroup, controllers, enabled string) (proc, own string) {
	t.Helper()
	proc, mount := t.TempDir(), t.TempDir()
	own = filepath.Join(mount, "unit")
	for _, d := range []string{own, filepath.Join(own, "atoll-supervisor")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		proc + "/cgroup":                       cgroup,
		proc + "/mountinfo":                    "24 1 0:22 / /sys rw - sysfs sysfs rw\n30 24 0:26 / " + mount + " rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n31 24 0:27 /unit " + own + " rw - cgroup2 cgroup2 rw\n",
		mount + "/cgroup.controllers":          controllers,
		own + "/cgroup.controllers":            controllers,
		own + "/cgroup.subtree_control":        enabled,
		own + "/cgroup.procs":                  "",
		own + "/atoll-supervisor/cgroup.procs": "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return proc, own
}

func TestADelegatedControlGroupIsFoundAndPrepared(t *testing.T) {
	const all = "cpu memory pids\n"
	for _, tc := range []struct {
		name, cgroup, controllers, enabled string
		delegated                          bool
		found                              bool
		moved                              bool   // this program, out of the way
		why                                string // not
	}{
		{"a unit with Delegate=yes", "3:cpu:/x\n0::/unit\n", all, "", true, true, true, ""},
		{"one whose controllers are on", "0::/unit\n", all, "cpu memory pids", true, true, false, ""},
		{"the program's own part of it, from a program that it started", "0::/unit/atoll-supervisor\n", all, "memory pids", true, true, false, ""},
		{"a unit that belongs to somebody else", "0::/unit\n", all, "memory pids", false, false, false, "belongs to whoever started atoll"},
		{"a unit without the controllers", "0::/unit\n", "cpu\n", "", true, false, false, "no controller of memory"},
		{"a machine of version 1", "3:memory:/unit\n", all, "", true, false, false, "no version 2"},
		{"a group outside of what is mounted", "0::/../other\n", all, "", true, false, false, "no version 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			proc, own := fakeGroups(t, tc.cgroup, tc.controllers, tc.enabled)
			if tc.delegated {
				if err := sandbox.Delegate(own); err != nil {
					t.Skipf("this file system keeps no attributes: %v", err)
				}
			}
			got, err := sandbox.FindGroups(proc)
			if tc.found != (err == nil) || tc.found && got != own || !tc.found && !strings.Contains(err.Error(), tc.why) {
				t.Fatalf("found %q, %v", got, err)
			}
			moved, _ := os.ReadFile(own + "/atoll-supervisor/cgroup.procs")
			enabled, _ := os.ReadFile(own + "/cgroup.subtree_control")
			if tc.moved != (string(moved) == strconv.Itoa(os.Getpid())) || tc.moved && string(enabled) != "+memory +pids" {
				t.Errorf("moved %q, enabled %q", moved, enabled)
			}
		})
	}
}

func TestARunsControlGroupHasItsLimits(t *testing.T) {
	for _, tc := range []struct {
		name         string
		limits       sandbox.Limits
		pids, memory string // "" = none is set
	}{
		{"all limits", sandbox.Limits{Procs: 100, Memory: 512 << 20, Disk: 1 << 30}, "164", strconv.Itoa(512<<20 + 1<<30 + 64<<20)},
		{"no limit of the disk is none of memory", sandbox.Limits{Procs: 1, Memory: 512 << 20}, "65", ""},
		{"no limits", sandbox.Limits{}, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			own := t.TempDir()
			for _, name := range []string{"pids.max", "memory.max", "memory.swap.max", "cgroup.kill"} {
				if err := os.WriteFile(filepath.Join(own, name), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			end, err := sandbox.BoundGroup(own, tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range map[string]string{"pids.max": tc.pids, "memory.max": tc.memory} {
				if got, _ := os.ReadFile(filepath.Join(own, name)); string(got) != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			for name, text := range map[string]string{"cgroup.events": "populated 1\nfrozen 0\n", "memory.events": "low 0\noom_kill 2\n", "pids.events": "max 7\n"} {
				if err := os.WriteFile(filepath.Join(own, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := end(); !slices.Equal(got, []string{"memory", "procs"}) {
				t.Errorf("the kernel's own limits are told as %q", got)
			}
			if got, _ := os.ReadFile(filepath.Join(own, "cgroup.kill")); string(got) != "1" {
				t.Errorf("cgroup.kill got %q", got)
			}
		})
	}
}

// TestRunsLiveInControlGroups needs a control group of version 2 that this user can
// write; it may be without controllers.
func TestRunsLiveInControlGroups(t *testing.T) {
	at := ""
	for _, root := range []string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		if _, err := os.Stat(root + "/cgroup.controllers"); err != nil {
			continue
		}
		if dir, err := os.MkdirTemp(root, "atoll-test-"); err == nil {
			at = dir
			t.Cleanup(func() {
				if err := os.Remove(dir); err != nil {
					t.Errorf("a run left its group or its processes: %v", err)
				}
			})
			break
		}
	}
	if at == "" {
		t.Skip("no control group of version 2 that this user can write")
	}
	for _, mode := range modes {
		t.Run(string(mode), func(t *testing.T) {
			b := lesser(t, mode, sandbox.Lack{Group: at})
			w := newWorld(t)
			s := w.sh("(setsid sleep 1000 >/dev/null 2>&1 &); yes | head -n 200000; exit 7")
			members := -1
			s.OnLine = func(int, string) { // the command waits meanwhile: its output fills the pipe
				if members >= 0 {
					return
				}
				groups, _ := filepath.Glob(at + "/atoll-run-*/cgroup.procs")
				text := []byte{}
				if len(groups) == 1 {
					text, _ = os.ReadFile(groups[0])
				}
				members = len(strings.Fields(string(text)))
			}
			res := w.mustRun(b, s)
			if res.Exit != 7 {
				t.Errorf("exit %d: %s", res.Exit, res.Stderr)
			}
			if n := members; n < 3 {
				t.Errorf("%d processes live in the group, want the first, the shell and what it left", n)
			}
			if left, _ := filepath.Glob(at + "/atoll-run-*"); len(left) > 0 {
				t.Errorf("groups are left: %v", left)
			}
		})
	}
}
