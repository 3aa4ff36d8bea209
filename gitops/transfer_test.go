package gitops_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/gitops"
	"atoll/store/record"
)

// long is a repository with a history, and its commits from the first on.
func long(t *testing.T) (repository, []record.Hash) {
	r := sample(t)
	all := []record.Hash{parse(t, r.run("rev-parse", "HEAD"))}
	for i := range 6 {
		all = append(all, r.commit(map[string]string{"n": strings.Repeat(fmt.Sprint(i), 1000)}))
	}
	return r, all
}

func TestImportBringsNoHistoryThatNobodyNeeds(t *testing.T) {
	t.Parallel()
	r, all := long(t)
	s := openStore(t)
	ctx := t.Context()
	target := inspect(t, r.dir)
	root := must(s.Import(ctx, target, all[3].String()))(t)
	if err := s.Whole(ctx, root); err != nil {
		t.Error(err)
	}
	if s.Has(ctx, all[2]) {
		t.Error("the commit before the root came along")
	}
	t.Run("a commit that descends from it comes with what lies between", func(t *testing.T) {
		if got := must(s.FetchCommit(ctx, target, "main"))(t); got != all[6] {
			t.Fatalf("got %s", got)
		}
		for _, c := range all[3:] {
			if err := s.Whole(ctx, c); err != nil {
				t.Error(err)
			}
		}
		if got := storeGit(t, s).run("rev-list", "--count", all[6].String()); got != "4" {
			t.Errorf("it has %s commits, want the root and three more", got)
		}
	})
	t.Run("a commit of another branch comes alone", func(t *testing.T) {
		r.run("checkout", "-q", "-b", "side", all[1].String())
		side := r.commit(map[string]string{"side": "x"})
		if got := must(s.FetchCommit(ctx, target, "side"))(t); got != side || s.Has(ctx, all[1]) {
			t.Errorf("got %s, with its parent: %v", got, s.Has(ctx, all[1]))
		}
		if err := s.Whole(ctx, side); err != nil {
			t.Error(err)
		}
	})
	info := must(s.Commit(ctx, root))(t)
	next := must(s.WriteTree(ctx, info.Tree, []record.Change{write("made", "x")}))(t)
	c := commitTree(t, s, next, 1, root)
	if err := s.Anchor(ctx, 1, []record.Hash{c}); err != nil {
		t.Fatal(err)
	}
	t.Run("a candidate goes back with its history", func(t *testing.T) {
		if err := s.Promote(ctx, target, "best", c); err != nil {
			t.Fatal(err)
		}
		if got := r.run("rev-list", "--count", "best"); got != "5" || inspect(t, r.dir).Shallow {
			t.Errorf("%s commits, shallow: %v", got, inspect(t, r.dir).Shallow)
		}
		r.run("fsck", "--strict", "--no-dangling")
	})
	t.Run("a bundle has the history", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "b")
		if err := s.Bundle(ctx, target, c, path); err != nil {
			t.Fatal(err)
		}
		out := repository{t: t, dir: t.TempDir()}
		out.run("clone", "-q", "-b", "atoll/"+c.Short(), path, "clone")
		if got := (repository{t: t, dir: out.dir + "/clone"}).run("rev-list", "--count", "HEAD"); got != "5" {
			t.Errorf("the clone has %s commits", got)
		}
		if err := s.Bundle(ctx, gitops.Target{}, c, path+"2"); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("without the repository: %v", err)
		}
	})
	t.Run("an outside gc and a clone leave it whole", func(t *testing.T) {
		gc(storeGit(t, s))
		if _, err := try(t.TempDir(), nil, "clone", "-q", "--bare", "file://"+s.Dir(), "clone.git"); err != nil {
			t.Error(err)
		}
		again := must(gitops.Open(ctx, gitops.Options{Dir: s.Dir(), Cache: t.TempDir()}))(t)
		defer again.Close()
		for _, h := range []record.Hash{root, c} {
			if err := again.Whole(ctx, h); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestImportTellsItsProgress(t *testing.T) {
	t.Parallel()
	r, _ := long(t)
	s := openStore(t)
	var told []string
	s.OnProgress(func(text string) { told = append(told, text) })
	must(s.Import(t.Context(), inspect(t, r.dir), ""))(t)
	if all := strings.Join(told, "\n"); !strings.Contains(all, "taking in what is committed, as git says it: Counting objects: 100%") {
		t.Errorf("told %q", told)
	}
}

// slowGit is a git that never ends packing. Its children can be told by a word in
// their environment, which is the folder for temporary files.
func slowGit(t *testing.T) (git, word string) {
	word = filepath.Join(t.TempDir(), "tmp-of-the-import")
	mkdir(t, word, 0o700)
	git = filepath.Join(t.TempDir(), "git")
	lay(t, git, `#!/bin/sh
case "$*" in *pack-objects*) echo "Counting objects:  10% (1/10)" >&2; exec sleep 1000;; *) exec git "$@";; esac
`)
	if err := os.Chmod(git, 0o755); err != nil {
		t.Fatal(err)
	}
	return git, word
}

// withWord lists the processes that have a word in their environment.
func withWord(word string) (list []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if env, err := os.ReadFile(dir + "/environ"); err == nil && filepath.Base(dir) != strconv.Itoa(os.Getpid()) && strings.Contains(string(env), "TMPDIR="+word) {
			line, _ := os.ReadFile(dir + "/cmdline")
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// importing is the life of a process that imports and is killed meanwhile.
func importing() {
	s, err := gitops.Open(context.Background(), gitops.Options{Dir: os.Getenv("STORE"), Cache: os.Getenv("STORE") + ".cache", Git: os.Getenv("SLOW_GIT")})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.OnProgress(func(text string) { fmt.Println(text) })
	target, err := gitops.Inspect(context.Background(), os.Getenv("SOURCE"))
	if err == nil {
		_, err = s.Import(context.Background(), target, "")
	}
	fmt.Println(err)
}

func TestNothingOfAnImportOutlivesIt(t *testing.T) {
	r, _ := long(t)
	t.Run("when it is cancelled", func(t *testing.T) {
		git, word := slowGit(t)
		t.Setenv("TMPDIR", word)
		s, err := gitops.Open(t.Context(), gitops.Options{Dir: filepath.Join(t.TempDir(), "store.git"), Cache: t.TempDir(), Git: git})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		s.OnProgress(func(string) { at = time.Now(); cancel() })
		_, err = s.Import(ctx, inspect(t, r.dir), "")
		if !errors.Is(err, context.Canceled) || time.Since(at) > suitetest.Stretched(t, 10*time.Second) {
			t.Errorf("%v, %s after the cancel", err, time.Since(at))
		}
		if left := withWord(word); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
	t.Run("when its process is killed", func(t *testing.T) {
		git, word := slowGit(t)
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "IMPORTING=1", "TMPDIR="+word, "SLOW_GIT="+git, "SOURCE="+r.dir, "STORE="+filepath.Join(t.TempDir(), "store.git"))
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line := make([]byte, 200)
		if n, _ := out.Read(line); !strings.Contains(string(line[:n]), "Counting objects") {
			t.Fatalf("it said %q", line[:n])
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			left := withWord(word)
			if len(left) == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("left: %q", left)
			}
		}
	})
}
