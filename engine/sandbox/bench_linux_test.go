package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"atoll/engine/sandbox"
)

// forest makes a base checkout of n small files.
func forest(b testing.TB, n int) string {
	b.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "atoll-forest-")
	if err != nil {
		b.Skipf("no memory file system: %v", err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("d%03d", i/100))
		if i%100 == 0 {
			if err := os.Mkdir(sub, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%d.go", i)), []byte("package p\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// spent is the processor time of this process and all it waited for.
func spent(b testing.TB) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var ru syscall.Rusage
		if err := syscall.Getrusage(who, &ru); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	}
	return sum
}

// BenchmarkTrue is the cost of a sandbox: `true` over a base of 20,000 files,
// alone and two at a time, from a small process, from one that holds a large
// archive, and by the launcher. The processor time is that of everything that took
// part.
func BenchmarkTrue(b *testing.B) {
	base := forest(b, 20_000)
	for _, tc := range []struct {
		name     string
		parallel bool
		heap     int // megabytes
		command  string
	}{
		{"alone", false, 0, "true"},
		{"two at a time", true, 0, "true"},
		{"large supervisor", false, 500, "true"},
		{"launched", true, 0, sandbox.RunPath},
	} {
		b.Run(tc.name, func(b *testing.B) {
			ballast := make([]byte, tc.heap<<20)
			for i := 0; i < len(ballast); i += 4096 {
				ballast[i] = 1
			}
			box, err := sandbox.New(b.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces})
			if err != nil {
				b.Skipf("this machine does not give rung 1: %v", err)
			}
			s := sandbox.Spec{
				Args: []string{tc.command, "true"}, Base: base, RunHelper: true, ResultName: "r",
				Limits: sandbox.Limits{Wall: time.Minute, Disk: 64 << 20},
			}
			run := func() {
				if res, err := box.Run(b.Context(), s); err != nil || res.Exit != 0 {
					b.Error(res.Exit, err)
				}
			}
			before, began := spent(b), time.Now()
			if tc.parallel {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						run()
					}
				})
			} else {
				for range b.N {
					run()
				}
			}
			b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "runs/s")
			if err := box.Close(); err != nil { // only now is the starter's time ours
				b.Error(err)
			}
			b.ReportMetric(float64(spent(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
			runtime.KeepAlive(ballast)
		})
	}
}
