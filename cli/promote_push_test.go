package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"atoll/config/suitetest"
)

// forgeOf answers as Gitea does and keeps what it was asked.
func forgeOf(t *testing.T) (address string, asked *atomic.Pointer[map[string]string]) {
	t.Helper()
	asked = &atomic.Pointer[map[string]string]{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var fields map[string]string
		if err := json.NewDecoder(q.Body).Decode(&fields); err != nil || q.URL.Path != "/repos/team/tool/pulls" || q.Header.Get("Authorization") != "token s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if asked.Swap(&fields) != nil {
			w.WriteHeader(http.StatusConflict)
			_, _ = w.Write([]byte(`{"message": "pull request already exists for these targets"}`))
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"html_url": "https://git.example.org/team/tool/pulls/7"}`))
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func TestAVerifiedWinnerIsPushedAndAPullRequestTellsWhatItIs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "one more verified run; TestAVerifiedPromotionStandsOnTheBranchAsItIsNow stands for it")
	dir := searchedSmall(t)
	id := best(t, dir).ID.String()
	there := filepath.Join(t.TempDir(), "team", "tool.git")
	git(t, dir, "init", "--quiet", "--bare", there)
	git(t, dir, "remote", "add", "origin", there)
	put(t, dir, map[string]string{"NOTES": "upstream went on\n"})
	git(t, dir, "add", "NOTES")
	git(t, dir, "commit", "--quiet", "--message", "notes")
	api, asked := forgeOf(t)
	promote := func(token string, args ...string) call {
		cmd := command(t, dir, append([]string{"promote", id}, args...)...)
		cmd.Env = append(cmd.Env, "GITEA_TOKEN="+token)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run() // the exit code says it
		return call{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	}
	pr := []string{"--push", "origin", "--pr", "--forge", "gitea", "--api", api}
	for name, c := range map[string]struct {
		token string
		args  []string
		want  string
	}{
		"nobody agreed":            {"s3cret", append([]string{"--branch", "asked"}, pr...), "say --yes"},
		"there is no token":        {"", append([]string{"--yes"}, pr...), "GITEA_TOKEN"},
		"there is no such remote":  {"s3cret", []string{"--push", "nowhere", "--yes"}, "git remote -v"},
		"--pr without --push":      {"s3cret", []string{"--pr"}, "--push REMOTE"},
		"a form that is no branch": {"s3cret", []string{"--push", "origin", "--patch", "-"}, "go with a branch"},
	} {
		if got := promote(c.token, c.args...); got.code != 2 || !strings.Contains(got.err, c.want) {
			t.Errorf("%s: exit %d: %s%s", name, got.code, got.out, got.err)
		}
	}
	if refs := git(t, there, "for-each-ref"); refs != "" || asked.Load() != nil {
		t.Fatalf("something was sent: %s %v", refs, asked.Load())
	}
	got := promote("s3cret", append([]string{"--verify", "--squash", "--branch", "won", "--yes"}, pr...)...)
	if got.code != 0 || !strings.Contains(got.out, "pull request https://git.example.org/team/tool/pulls/7") {
		t.Fatalf("exit %d: %s%s", got.code, got.out, got.err)
	}
	if here, sent := git(t, dir, "rev-parse", "won"), git(t, there, "rev-parse", "won"); here != sent {
		t.Errorf("won is %s here and %s there", here, sent)
	}
	if parent := git(t, there, "rev-parse", "won^"); parent != git(t, dir, "rev-parse", "main") {
		t.Errorf("it stands on %s", parent)
	}
	fields := *asked.Load()
	if fields["head"] != "won" || fields["base"] != "main" || !strings.Contains(fields["title"], "total") {
		t.Errorf("fields %v", fields)
	}
	for _, want := range []string{"Its total is", "the root's is 32", "### Measured on the branch as it is now", "exact: 2 rounds agree", "### Method", "Evaluator: `sh eval.sh`", "### Do it again", "atoll promote " + id + " --verify"} {
		if !strings.Contains(fields["body"], want) {
			t.Errorf("the text has no %q:\n%s", want, fields["body"])
		}
	}
	t.Run("a branch that is there is not replaced", func(t *testing.T) {
		git(t, dir, "branch", "-D", "won")
		if got := promote("s3cret", "--branch", "won", "--push", "origin", "--yes"); got.code != 2 || !strings.Contains(got.err, "has a branch of that name") {
			t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
		}
	})
	t.Run("what the forge says to a second one is told", func(t *testing.T) {
		got := promote("s3cret", append([]string{"--branch", "again", "--yes"}, pr...)...)
		if got.code != 1 || !strings.Contains(got.err, "already exists") || !strings.Contains(got.err, "the branch is pushed") {
			t.Errorf("exit %d: %s%s", got.code, got.out, got.err)
		}
		if body := (*asked.Load())["body"]; !strings.Contains(body, "not on the branch as it is now") {
			t.Errorf("without a verification it says\n%s", body)
		}
	})
}

func TestASeriesOfPatchesMakesTheSameTree(t *testing.T) {
	t.Parallel()
	dir := searchedSmall(t)
	folder := filepath.Join(t.TempDir(), "patches")
	must(t, dir, "promote", "best", "--series", folder)
	files, err := filepath.Glob(filepath.Join(folder, "0*.patch"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	must(t, dir, "promote", "best", "--branch", "won")
	git(t, dir, "checkout", "--quiet", "-b", "mailed")
	git(t, dir, append([]string{"am", "--quiet"}, files...)...)
	if a, b := git(t, dir, "rev-parse", "mailed^{tree}"), git(t, dir, "rev-parse", "won^{tree}"); a != b {
		t.Errorf("the patches make %s, the branch is %s", a, b)
	}
	if n := git(t, dir, "rev-list", "--count", "main..mailed"); n != strconv.Itoa(len(files)) {
		t.Errorf("%s commits of %d patches", n, len(files))
	}
	if c := atoll(t, dir, "promote", "best", "--series", folder); c.code == 0 || !strings.Contains(c.err, "not empty") {
		t.Errorf("a second time: exit %d: %s", c.code, c.err)
	}
}

func TestTheBestOfEachEpochGetsATag(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	if out := must(t, dir, "promote", "--epochs"); !strings.Contains(out, "epoch-1 is c") {
		t.Errorf("it says %s", out)
	}
	last := best(t, dir).Commit
	tags := strings.Fields(git(t, dir, "for-each-ref", "--format=%(refname:short) %(*objectname)", "--sort=creatordate", "refs/tags/atoll"))
	if len(tags) < 2 || tags[len(tags)-1] != last {
		t.Errorf("the best is %s, tags %v", last, tags)
	}
	git(t, dir, "fsck", "--strict", "--no-dangling")
	if out := must(t, dir, "promote", "--epochs"); !strings.Contains(out, "tag already") {
		t.Errorf("a second time it says %s", out)
	}
}
