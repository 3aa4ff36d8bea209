package plugin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/plugin"
	"atoll/engine/sandbox"
	_ "atoll/engine/sandbox/boot" // this binary is the first process of sandboxes
)

func TestMain(m *testing.M) {
	suitetest.SystemFirst("cargo")
	os.Exit(m.Run())
}

// box is a sandbox as a run has it.
func box(t *testing.T) *sandbox.Box {
	t.Helper()
	b, err := sandbox.New(t.Context(), sandbox.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func host(t *testing.T) *plugin.Host {
	return &plugin.Host{Box: box(t), Getenv: func(string) string { return "" }}
}

// needs skips a test of a language that is not here.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed, so plug-ins in its language cannot be tried", program)
	}
}

// fresh writes a plug-in from the template.
func fresh(t *testing.T, kind plugin.Kind, lang string) (dir, build string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "p")
	build, err := plugin.New(dir, "sample-"+string(kind), kind, lang)
	if err != nil {
		t.Fatal(err)
	}
	return dir, build
}

// edit replaces text in a file of a plug-in, which must be there.
func edit(t *testing.T, dir, file, old, new string) {
	t.Helper()
	name := filepath.Join(dir, file)
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q (%v):\n%s", file, old, err, text)
	}
	write(t, dir, file, strings.Replace(string(text), old, new, 1))
}

func write(t *testing.T, dir, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func fill(t *testing.T, dir string) {
	t.Helper()
	if _, err := plugin.Fill(dir); err != nil {
		t.Fatal(err)
	}
}
