package guard

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// TestTheProbeIsCompiledOnceForATree: what the compiler made for a root that has a name is kept and
// laid into later builds, and the comparison is the same with it.
func TestTheProbeIsCompiledOnceForATree(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the PATH")
	}
	box, err := sandbox.New(t.Context(), sandbox.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Skipf("this machine gives no sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module kit\n\ngo 1.21\n", "kit.go": "package kit\n\nfunc Twice(n int8) int8 { return 2 * n }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g, err := New(box, Options{Cases: 60, Patience: 2 * time.Second, NoTests: true, Scratch: t.TempDir(), Wall: 9 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	root := Tree{Base: dir, ID: "kit"}
	for _, body := range []string{"n + n", "n - n"} {
		text := "package kit\n\nfunc Twice(n int8) int8 { return " + body + " }\n"
		report, err := g.Check(t.Context(), root, Tree{Base: dir, Delta: []record.Change{{Path: "kit.go", Mode: record.Regular, Data: []byte(text)}}}, []string{"kit.go"})
		if err != nil {
			t.Fatal(err)
		}
		if want := body == "n + n"; report.Same() != want || report.Cases == 0 {
			t.Errorf("%s: %s %v", body, report.Summary(), report.Notes)
		}
	}
	if len(g.compiled.list) != 1 {
		t.Fatalf("%d trees are kept, want 1", len(g.compiled.list))
	}
	entries := 0
	for r := tar.NewReader(bytes.NewReader(g.compiled.list[0].data)); ; entries++ {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if _, mounted := g.o.LookupEnv("HOME"); mounted && entries == 0 {
		t.Error("nothing was kept of what was compiled")
	}
}
