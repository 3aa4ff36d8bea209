package sandbox_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"

	"golang.org/x/sys/unix"
)

// mapPages is a command of a shell: the given number of small processes each map a
// page as often as given, one step from the other. Where reading is told, a byte of
// each is read, which takes a page table and no resident page.
func mapPages(procs, pages, step int, file, read bool) string {
	flags, fd, touch := unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_ANONYMOUS, "-1", ""
	if file {
		flags, fd = unix.MAP_PRIVATE|unix.MAP_FIXED, "fileno($f)"
	}
	if read {
		touch = `unpack("P1", pack("Q", $a));`
	}
	return fmt.Sprintf(`perl -e 'open $f, "<", "main.txt"; for (1..%d) { next if fork; $a = 1 << 45; for (1..%d) { syscall(%d, $a, 4096, 1, %d, %s, 0); %s $a += %d } sleep 600 } sleep 600'`,
		procs, pages, unix.SYS_MMAP, flags, fd, touch, step)
}

// attackHeadless ends the first thread of its process and has others go on: take
// memory, or be many.
func attackHeadless(args []string) {
	debug.SetGCPercent(-1) // a collection would wait for the thread that has ended
	if args[0] == "memory" {
		go attackMemory(args[1:])
	}
	for range 8 {
		go func() {
			runtime.LockOSThread()
			_ = unix.Pause()
		}()
	}
	endFirstThread()
}

// The first thread of a process carries what was locked to it while packages began.
func init() {
	if os.Getenv("ATOLL_HOSTILE") == "headless" {
		runtime.LockOSThread()
	}
}

// endFirstThread ends the thread whose number is that of the process. It is called
// where the program began.
func endFirstThread() {
	if unix.Gettid() != os.Getpid() {
		panic("this is not the first thread")
	}
	say("headless")
	_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
}

// attackTables reads a byte in every second megabyte of an empty space: that takes
// page tables, and no resident byte.
func attackTables(args []string) {
	megabytes, _ := strconv.Atoi(args[0])
	const step = 2 << 20 // what a page of a page table covers
	for made := 0; made < megabytes; made += 64 {
		space, err := unix.Mmap(-1, 0, 64<<8*step, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
		if err != nil {
			say("refused: %v", err)
			break
		}
		_ = unix.Madvise(space, unix.MADV_NOHUGEPAGE)
		sum := byte(0)
		for i := 0; i < len(space); i += step {
			sum += space[i]
		}
		say("made %d%.0d", made+64, sum)
	}
	say("done")
	time.Sleep(time.Hour)
}

// attackSegments fills segments of shared memory, and message queues, and lets go
// of them: no process holds them, and they stay.
func attackSegments(args []string) {
	megabytes, _ := strconv.Atoi(args[0])
	made := 0
	for range megabytes {
		id, _, e := unix.Syscall(unix.SYS_SHMGET, 0, 1<<20, 0o1600)
		if e != 0 {
			say("refused: %v", e)
			break
		}
		at, _, e := unix.Syscall(unix.SYS_SHMAT, id, 0, 0)
		if e != 0 {
			say("not attached: %v", e)
			break
		}
		fillSegment(at)
		_, _, _ = unix.Syscall(unix.SYS_SHMDT, at, 0, 0)
		made++
	}
	say("made %d", made)
	if made > 0 {
		time.Sleep(time.Hour)
	}
}

func TestHostileMemoryThatNoProcessHoldsIsCounted(t *testing.T) {
	suitetest.Full(t, "gigabytes are written; TestHostileLimits stands for it")
	for _, tc := range []struct {
		name, attack string
		script       string
	}{
		{"page tables", "tables", hostilePath + " 800"},
		{"page tables of candidate code", "tables", "$ATOLL_RUN " + hostilePath + " 800"},
		{"page tables for one file in many processes", "", mapPages(20, 4000, 2<<20, true, true)},
		{"page tables for lone pages in many processes", "", mapPages(20, 4000, 2<<20, false, true)},
		{"mappings that hold no page", "", mapPages(12, 60000, 8192, false, false)},
		{"segments that nobody is attached to", "segments", hostilePath + " 800"},
		{"segments of candidate code", "segments", "$ATOLL_RUN " + hostilePath + " 800"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onRungs(t, suitetest.Pick(isolating[:1], isolating, isolating), func(t *testing.T, b *sandbox.Box) {
				w := newWorld(t)
				s := w.spec(tc.attack)
				s.Args, s.RunHelper = []string{"sh", "-c", tc.script}, true
				s.Limits = sandbox.Limits{Wall: 2 * time.Minute, Procs: 150, Memory: 128 << 20}
				res := w.mustRun(b, s)
				if strings.Contains(string(res.Stdout), "refused") && !strings.Contains(string(res.Stdout), "made 800") {
					return // there is no such memory here
				}
				wantLimits(t, res, "memory")
				t.Logf("%v, %d MiB: %s", res.Wall, res.MaxRSS>>20, res.Stdout[max(0, len(res.Stdout)-20):])
			})
		})
	}
}

// fillSegment writes to each page of a megabyte.
//
//go:nocheckptr
func fillSegment(at uintptr) {
	for i := uintptr(0); i < 1<<20; i += 4096 {
		*(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))) = 1
		at += 4096
	}
}

func TestHostileProcessesWithoutTheirFirstThreadAreSeen(t *testing.T) {
	for _, tc := range []struct {
		name, script, want string
	}{
		{"their memory", "exec " + hostilePath + " memory 700", "memory"},
		{"their number", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do " + hostilePath + " threads & done; wait", "procs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onRungs(t, suitetest.Pick(isolating[:1], modes, modes), func(t *testing.T, b *sandbox.Box) {
				w := newWorld(t)
				s := w.spec("headless")
				s.Args = []string{"sh", "-c", tc.script}
				s.Limits = sandbox.Limits{Wall: 2 * time.Minute, Procs: 60, Memory: 600 << 20}
				wantLimits(t, w.mustRun(b, s), tc.want)
			})
		})
	}
	t.Run("they are said to be left behind", func(t *testing.T) {
		onRungs(t, suitetest.Pick(isolating[:1], modes, modes), func(t *testing.T, b *sandbox.Box) {
			w := newWorld(t)
			s := w.spec("headless")
			s.Args = []string{"sh", "-c", hostilePath + " threads > $TMPDIR/said & until [ -s $TMPDIR/said ]; do sleep 0.01; done"}
			if res := w.mustRun(b, s); len(res.Violations) != 1 {
				t.Errorf("violations %q, want one: %+v", res.Violations, res)
			}
		})
	})
}
