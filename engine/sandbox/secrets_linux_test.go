package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/sandbox"
)

// A folder of the system may be a home of cargo, or of a service, with keys in it.
func TestHostileReadsOfKeysInTheSystemsFoldersFindNothing(t *testing.T) {
	home, err := os.MkdirTemp("/usr/local", "atoll-test-")
	if err != nil {
		t.Skipf("this user can put no key into a folder of the system: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	keys := []string{"credentials.toml", ".netrc", ".ssh/id_rsa", ".cargo/credentials", "config.toml"}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range keys {
		put(name, "token = \"planted key\"\n")
	}
	put("bin/tool", "#!/bin/sh\necho the tool works\n")
	if err := os.Chmod(home, 0o755); err != nil {
		t.Fatal(err)
	}
	onRungs(t, []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock}, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		script := home + "/bin/tool; for f in " + strings.Join(keys, " ") + "; do cat " + home + "/$f; done 2>/dev/null; ls /usr/bin/env"
		res, err := b.Run(t.Context(), sandbox.Spec{Base: w.base, Args: []string{"sh", "-c", script}})
		if err != nil {
			t.Fatal(err)
		}
		out := string(res.Stdout)
		if strings.Contains(out, "planted") || !strings.Contains(out, "the tool works") || !strings.Contains(out, "/usr/bin/env") {
			t.Errorf("it printed %q, %s", out, res.Stderr)
		}
	})
}

// A key may be thrown away while a search runs: the next evaluation runs all the same.
func TestAKeyThatIsGoneNeedsNoCover(t *testing.T) {
	home, err := os.MkdirTemp("/usr/local", "atoll-test-")
	if err != nil {
		t.Skipf("this user can put no key into a folder of the system: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".netrc", ".ssh/id_rsa"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("planted key"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	for _, gone := range []string{home + "/.netrc", home + "/.ssh", home} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		res, err := b.Run(t.Context(), sandbox.Spec{Base: w.base, Args: []string{"echo", "runs"}})
		if err != nil || string(res.Stdout) != "runs\n" {
			t.Errorf("without %s: %v, %q %s", gone, err, res.Stdout, res.Stderr)
		}
	}
}
