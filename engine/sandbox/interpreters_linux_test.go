package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/engine/sandbox"
)

func TestInterpretersFollowShimsSymlinksAndScripts(t *testing.T) {
	b := mustBox(t, sandbox.ModeUnsafe)
	dir := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put("versions/3/bin/python3", "#!/bin/sh\necho "+dir+"/versions/3/bin/python3\necho "+dir+"/versions/3\n")
	put("shims/python3", "#!/bin/sh\nexec "+dir+"/versions/3/bin/python3 \"$@\"\n")
	put("node/lib/node_modules/agent/cli.js", "#!/usr/bin/env python3\n")
	if err := os.Symlink(dir+"/node/lib/node_modules/agent/cli.js", dir+"/shims/agent"); err != nil {
		t.Fatal(err)
	}
	put("shims/lone", "#!/bin/sh\n")
	t.Setenv("PATH", dir+"/shims:/usr/bin:/bin")
	for _, tc := range []struct {
		name  string
		needs []string
		path  string
	}{
		{"python3", []string{dir + "/versions/3"}, dir + "/versions/3/bin"},
		{"agent", []string{dir + "/node", dir + "/shims/agent", dir + "/versions/3"}, dir + "/shims"},
		{"lone", []string{dir + "/shims/lone"}, dir + "/shims"},
		{"sh", nil, "/usr/bin"},
		{"no-such-program", nil, "/usr/local/bin"},
	} {
		mounts, path := b.Interpreters(t.Context(), tc.name)
		var needs []string
		for _, m := range mounts {
			needs = append(needs, m.Host)
			if m.Write || m.At != m.Host {
				t.Errorf("%s: mount %+v, want it read-only at its own place", tc.name, m)
			}
		}
		if !slices.Equal(needs, tc.needs) || path[0] != tc.path || !slices.Contains(path, "/usr/bin") {
			t.Errorf("%s needs %v and path %v, want %v and %s first", tc.name, needs, path, tc.needs, tc.path)
		}
	}
}

func TestARustupShimShowsTheToolchainAndNotTheKeysBesideIt(t *testing.T) {
	b := mustBox(t, sandbox.ModeUnsafe)
	home := t.TempDir()
	chain := filepath.Join(home, ".rustup/toolchains/stable")
	for path, text := range map[string]string{
		".cargo/bin/rustup": "#!/bin/sh\necho " + chain + "\n", ".cargo/bin/tool": "\x7fELF", ".cargo/credentials.toml": "token",
		".rustup/toolchains/stable/bin/cargo": "#!/bin/sh\n", ".rustup/toolchains/stable/lib/rustlib/version": "3",
	} {
		path = filepath.Join(home, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(home, ".cargo/bin")
	for _, name := range []string{"rustc", "cargo"} {
		if err := os.Symlink("rustup", filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	for name, want := range map[string]string{"rustc": chain, "cargo": chain, "tool": filepath.Join(bin, "tool"), "rustup": filepath.Join(bin, "rustup")} {
		mounts, _ := b.Interpreters(t.Context(), name)
		if len(mounts) != 1 || mounts[0].Host != want {
			t.Errorf("%s: mounts %+v, want %s alone", name, mounts, want)
		}
	}
}

// A service has another HOME, sudo -H changes it, and CARGO_HOME may be anywhere.
func TestACargoHomeOfAnyNameShowsProgramsAlone(t *testing.T) {
	top := t.TempDir()
	t.Setenv("HOME", filepath.Join(top, "elsewhere"))
	for _, c := range []struct {
		folder, beside string
		shims          []string
	}{
		{"person/.cargo", "credentials.toml", []string{"rustup", "rustc", "cargo"}},
		{"shared/rust", "config.toml", []string{"rustup", "rustc", "cargo"}},
		{"shared/lone", "config.toml", []string{"cargo"}},
		{"shared/tools", "credentials.toml", []string{"tool"}},
		{"shared/installed", ".crates.toml", []string{"tool"}},
		{"person/.local", "share", []string{"tool"}},
	} {
		dir := filepath.Join(top, c.folder)
		bin := filepath.Join(dir, "bin")
		if err := errors.Join(os.MkdirAll(bin, 0o755), os.WriteFile(filepath.Join(dir, c.beside), []byte("token"), 0o644),
			os.WriteFile(filepath.Join(bin, c.shims[0]), []byte("#!/bin/sh\necho no toolchain is chosen >&2\nexit 1\n"), 0o755)); err != nil {
			t.Fatal(err)
		}
		for _, name := range c.shims[1:] {
			if err := os.Symlink(c.shims[0], filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		b := mustBox(t, sandbox.ModeUnsafe)
		for _, name := range c.shims {
			mounts, path := b.Interpreters(t.Context(), name)
			if len(mounts) == 0 || path[0] != bin {
				t.Errorf("%s of %s: mounts %+v and path %v", name, c.folder, mounts, path)
			}
			for _, m := range mounts {
				if filepath.Dir(m.Host) != bin {
					t.Errorf("%s of %s: mounts %s", name, c.folder, m.Host)
				}
			}
		}
	}
}

// A toolchain that no version manager owns has bin/cargo and lib, and is needed whole.
func TestAToolchainWithoutAVersionManagerIsShownWhole(t *testing.T) {
	top := filepath.Join(t.TempDir(), "rust-1.90")
	bin := filepath.Join(top, "bin")
	if err := errors.Join(os.MkdirAll(bin, 0o755), os.MkdirAll(filepath.Join(top, "lib/rustlib"), 0o755),
		os.WriteFile(filepath.Join(bin, "rustc"), []byte("#!/bin/sh\necho "+top+"\n"), 0o755),
		os.WriteFile(filepath.Join(bin, "cargo"), []byte("#!/bin/sh\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	b := mustBox(t, sandbox.ModeUnsafe)
	for _, name := range []string{"rustc", "cargo"} {
		if mounts, _ := b.Interpreters(t.Context(), name); len(mounts) != 1 || mounts[0].Host != top {
			t.Errorf("%s: mounts %+v, want %s", name, mounts, top)
		}
	}
}

// TestCachesMakeGoFast runs go vet and go test inside, with the host's warm
// caches: a minute of compiling would be the price without them.
func TestCachesMakeGoFast(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles; not with -short")
	}
	b := mustBox(t, sandbox.ModeAuto)
	w := newWorld(t)
	w.put(w.base, "go.mod", "module example.com/m\n\ngo 1.24\n")
	w.put(w.base, "m.go", "package m\n\nimport \"strings\"\n\nfunc Up(s string) string { return strings.ToUpper(s) }\n")
	w.put(w.base, "m_test.go", "package m\n\nimport \"testing\"\n\nfunc TestUp(t *testing.T) {\n\tif Up(\"a\") != \"A\" {\n\t\tt.Fatal()\n\t}\n}\n")
	w.before = w.picture()
	warm := exec.Command("sh", "-c", "go vet ./... && go test ./...")
	warm.Dir = w.base
	if out, err := warm.CombinedOutput(); err != nil {
		t.Fatalf("warm the caches: %v\n%s", err, out)
	}
	mounts, path := b.Interpreters(t.Context(), "go")
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	host := strings.Fields(string(out))
	caches := []sandbox.Mount{{Host: host[0], At: sandbox.CacheDir + "/go-build", Write: true}, {Host: host[1], At: sandbox.CacheDir + "/go-mod"}}
	env := []string{"GOCACHE=" + caches[0].At, "GOMODCACHE=" + caches[1].At, "GOPROXY=off", "GOTOOLCHAIN=local"}
	run := func(caches []sandbox.Mount) time.Duration {
		s := w.sh("go vet ./... && go test ./...")
		s.Mounts = append(s.Mounts, mounts...)
		s.Caches = caches
		s.Env = append(append(s.Env, "PATH="+strings.Join(path, ":")), env...)
		s.Limits = sandbox.Limits{Wall: 3 * time.Minute, Disk: 1 << 30}
		res := w.mustRun(b, s)
		if res.Exit != 0 {
			t.Fatalf("go ended with %d\n%s%s", res.Exit, res.Stdout, res.Stderr)
		}
		wantOut(t, res, "ok")
		return res.CPU
	}
	cpu := run(caches)
	t.Logf("go vet and go test take %v of processor time with warm caches", cpu)
	if cpu > 8*time.Second {
		t.Errorf("go vet and go test take %v of processor time: the caches were not used", cpu)
	}
}

// A version manager keeps its programs beside keys.
func TestInterpretersShowNoFolderOfKeys(t *testing.T) {
	b := mustBox(t, sandbox.ModeUnsafe)
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, dir := range []string{".cargo", ".local"} {
		program := filepath.Join(home, dir, "bin", "tool"+dir)
		if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", filepath.Dir(program)+":/usr/bin:/bin")
		mounts, _ := b.Interpreters(t.Context(), "tool"+dir)
		if len(mounts) != 1 || mounts[0].Host != program {
			t.Errorf("%s: mounts %+v, want the program alone", dir, mounts)
		}
	}
}
