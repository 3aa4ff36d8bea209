package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/examples"
	"atoll/gitops"
)

func (a *App) demoCmd() *cobra.Command {
	var f runFlags
	var dir string
	var list bool
	cmd := &cobra.Command{
		Use: "demo [NAME]", Short: "Copy an example into a repository of its own and evolve it",
		Example: "  atoll demo\n  atoll demo bin-packing --dir /tmp/packing\n  atoll demo circle-packing --headless --max-jobs 500 --seed 1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return a.listExamples()
			}
			flags, err := f.values(cmd)
			if err != nil {
				return err
			}
			ex, err := a.chooseExample(args)
			if err != nil {
				return err
			}
			if dir, err = a.demoDir(ex.Name, dir); err != nil {
				return err
			}
			if err := a.makeDemo(cmd.Context(), ex.Name, dir, nil); err != nil {
				return err
			}
			a.flags.repo = dir
			fmt.Fprintf(a.Err, "atoll: %s in %s; again: %s\n", ex.Title, dir, a.says("run"))
			if err := a.warm(cmd.Context(), ex, dir); err != nil {
				return err
			}
			return a.run(cmd.Context(), f, flags)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&dir, "dir", "", "folder of the copy (default: a new one in your cache)")
	cmd.Flags().BoolVar(&list, "list", false, "list the examples")
	return cmd
}

func (a *App) listExamples() error {
	tw := table(a.Out)
	for _, e := range examples.List() {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", e.Name, e.Language, e.Title)
	}
	return tw.Flush()
}

// defaultExample is what `atoll demo` shows; goExample needs nothing but Go.
const (
	defaultExample = "circle-packing"
	goExample      = "bin-packing"
)

func (a *App) chooseExample(args []string) (examples.Example, error) {
	name := defaultExample
	if len(args) > 0 {
		name = args[0]
	}
	var names []string
	for _, e := range examples.List() {
		names = append(names, e.Name)
		if e.Name != name {
			continue
		}
		if e.NeedsPython && !a.has("python3") {
			return e, usage("the example %s needs python3, which is not on PATH; install it, or try `atoll demo %s`, which needs only Go", name, goExample)
		}
		if e.Language == "Go" && !a.has("go") {
			return e, usage("the example %s needs the go command, which is not on PATH", name)
		}
		return e, nil
	}
	return examples.Example{}, usage("there is no example %q; there are %s", name, strings.Join(names, ", "))
}

// has reports whether a program is on the app's PATH.
func (a *App) has(name string) bool {
	for _, dir := range filepath.SplitList(a.getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// demoDir returns the folder of a demo: the named one, or a new one in the
// user's cache.
func (a *App) demoDir(name, dir string) (string, error) {
	if dir != "" {
		return a.abs(dir), nil
	}
	cache := a.getenv("XDG_CACHE_HOME")
	if cache == "" {
		if home := a.getenv("HOME"); home != "" {
			cache = filepath.Join(home, ".cache")
		} else {
			cache = os.TempDir()
		}
	}
	base := filepath.Join(cache, "atoll", "demo")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", fmt.Errorf("make the demo folder: %w; name another with --dir", err)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(base, fmt.Sprintf("%s-%d", name, n))
		if err := os.Mkdir(dir, 0o755); err == nil {
			return dir, nil
		} else if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("make the demo folder: %w; name another with --dir", err)
		}
	}
}

// halfMade begins the name of the folder, inside that of a demo, in which the demo is
// made: what stands there was broken off.
const halfMade = ".atoll-half-made-"

// makeDemo copies an example and makes it a git repository, unless the folder
// holds one already: then its experiment goes on. It may be killed at any moment, and
// a git that outlives it does no harm: the repository is there only when it is whole.
func (a *App) makeDemo(ctx context.Context, name, dir string, more map[string]string) error {
	if _, err := gitops.Inspect(ctx, dir); err == nil {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			if other := demoName(dir); other != name {
				return usage("%s holds another repository (%q); name another folder with --dir, or go on with that one: `atoll -C %s run`", dir, other, dir)
			}
			removeAll(halfMadeIn(dir))
			return nil
		}
	}
	broken := halfMadeIn(dir)
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 && len(broken) == 0 {
		return usage("%s is not empty and no repository; name another folder with --dir", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the demo folder: %w; name another with --dir", err)
	}
	half, err := os.MkdirTemp(dir, halfMade)
	if err != nil {
		return fmt.Errorf("make the demo in %s: %w; name another folder with --dir", dir, err)
	}
	removeAll(broken)
	if err := a.makeRepository(ctx, name, half, more); err != nil {
		return err
	}
	if err := moveIn(half, dir); err != nil {
		return fmt.Errorf("make the demo in %s: %w", dir, err)
	}
	return nil
}

// makeRepository copies an example into a folder, with more files by their path, and commits
// it.
func (a *App) makeRepository(ctx context.Context, name, dir string, more map[string]string) error {
	if err := examples.Copy(name, dir); err != nil {
		return fmt.Errorf("copy the example to %s: %w", dir, err)
	}
	for path, text := range more {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("make the demo: %w", err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return fmt.Errorf("make the demo: %w", err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		{"-c", "user.name=atoll", "-c", "user.email=atoll@localhost", "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", "Start of the example " + name},
	} {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.hooksPath=/dev/null"}, args...)...)
		cmd.Env = append(append([]string(nil), a.Env...), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE="+demoDate, "GIT_COMMITTER_DATE="+demoDate)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// moveIn moves a repository that was made in half into the folder around it, .git last:
// with it the repository is there. It replaces no file.
func moveIn(half, dir string) error {
	err := filepath.WalkDir(half, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(half, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if _, err := os.Lstat(to); err == nil { // of one that was broken off
			return nil
		}
		return os.Rename(path, to)
	})
	if err == nil {
		err = os.Rename(filepath.Join(half, ".git"), filepath.Join(dir, ".git"))
	}
	return errors.Join(err, os.RemoveAll(half))
}

// halfMadeIn lists what was broken off while a demo was made.
func halfMadeIn(dir string) (half []string) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read is told of when it is written to
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), halfMade) {
			half = append(half, filepath.Join(dir, e.Name()))
		}
	}
	return half
}

// removeAll removes folders. A git that still writes there may leave some of one, for
// the next time.
func removeAll(dirs []string) {
	for _, dir := range dirs {
		_ = os.RemoveAll(dir)
	}
}

// demoName returns the name of the experiment that a folder's atoll.yaml sets.
func demoName(dir string) string {
	loaded, err := config.Load(config.LoadOptions{Dir: dir})
	if err != nil {
		return ""
	}
	return loaded.Config.Name
}

// warm runs what an example names once, outside of any sandbox, so that its
// first evaluation finds warm build caches.
func (a *App) warm(ctx context.Context, ex examples.Example, dir string) error {
	if len(ex.Warm) == 0 {
		return nil
	}
	fmt.Fprintf(a.Err, "atoll: building %s once, so that the build cache is warm\n", ex.Name)
	cmd := exec.CommandContext(ctx, ex.Warm[0], ex.Warm[1:]...)
	cmd.Dir, cmd.Env = dir, a.Env
	done := a.elapsing("building")
	out, err := cmd.CombinedOutput()
	done()
	if err != nil {
		return fmt.Errorf("build the example %s in %s: %w: %s; run it there by hand: %s", ex.Name, dir, err, strings.TrimSpace(string(out)), strings.Join(ex.Warm, " "))
	}
	return nil
}

// elapsing shows on a terminal how long something takes, until the function that
// it returns is called. Elsewhere it writes nothing.
func (a *App) elapsing(what string) (done func()) {
	if !a.IsTTY(a.Err) {
		return func() {}
	}
	began := time.Now()
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-end:
				fmt.Fprint(a.Err, "\r\x1b[K")
				return
			case <-tick.C:
				fmt.Fprintf(a.Err, "\r%s, %.0f s", what, time.Since(began).Seconds())
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// demoDate makes the root commit of a demo the same on every machine.
const demoDate = "2026-01-01T00:00:00Z"
