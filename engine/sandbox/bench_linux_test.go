package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
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

// BenchmarkTrue is the cost of a sandbox: `true` over a base of 20,000 files.
func BenchmarkTrue(b *testing.B) {
	for _, mode := range []sandbox.Mode{sandbox.ModeNamespaces} {
		base := forest(b, 20_000)
		for _, parallel := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/parallel=%v", mode, parallel), func(b *testing.B) {
				box := mustBox(b, mode)
				s := sandbox.Spec{Args: []string{"true"}, Base: base, Limits: sandbox.Limits{Wall: time.Minute, Disk: 64 << 20}, RunHelper: true, ResultName: "r"}
				run := func() {
					if res, err := box.Run(b.Context(), s); err != nil || res.Exit != 0 {
						b.Error(res.Exit, err)
					}
				}
				before, began := spent(b), time.Now()
				if parallel {
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
				b.ReportMetric(float64(spent(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
				b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "runs/s")
			})
		}
	}
}
