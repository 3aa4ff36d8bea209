package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// What a tool downloaded before is there, and the tool is told to stay offline.
// What a run writes to its cache reaches neither the host nor the next run, what
// candidate code writes not even the evaluator, and a login that lies beside the
// cache is not there.
func TestCachesAreWarmAndKeepNothing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, name string
		host       string // a cached file, below the home folder
		at         string // the same, as the tool finds it
		offline    string
		beside     string // a file of the host, and where it would lie for the tool
		besideAt   string
	}{
		{"npm", "npm", ".npm/_cacache/index-v5/entry", "$npm_config_cache/_cacache/index-v5/entry", `test "$npm_config_offline" = true`, ".npmrc", "$npm_config_cache/../.npmrc"},
		{"pip", "pip", ".cache/pip/http-v2/wheel", "$PIP_CACHE_DIR/http-v2/wheel", `test "$PIP_NO_INDEX" = 1`, ".config/pip/pip.conf", "$HOME/.config/pip/pip.conf"},
		{"cargo", "cargo crates", ".cargo/registry/cache/crate", "$CARGO_HOME/registry/cache/crate", `test "$CARGO_NET_OFFLINE" = true`, ".cargo/credentials.toml", "$CARGO_HOME/credentials.toml"},
		{"cargo", "cargo repositories", ".cargo/git/db/repo", "$CARGO_HOME/git/db/repo", `test "$CARGO_NET_OFFLINE" = true`, ".cargo/config.toml", "$CARGO_HOME/config.toml"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachRung(t, func(t *testing.T, box *sandbox.Box) {
				home := mustTree(t, map[string]string{tc.host: "downloaded\n", tc.beside: "login\n"})
				e := mustNew(t, box, eval.Options{
					Command: shell(
						`f="`+tc.at+`"; said=`,
						`say() { said="$said $1"; }`,
						`[ "$(cat "$f")" = downloaded ] && say warm`,
						tc.offline+` && say offline`,
						`cat "`+tc.besideAt+`" "`+filepath.Join(home, tc.beside)+`" 2>/dev/null | grep -q login && say LOGIN`,
						`test -e "$f.new" && say KEPT`,
						`"$ATOLL_RUN" sh -c 'f="`+tc.at+`"; echo evil > "$f"; echo evil > "$f.evil"' 2>/dev/null`,
						`grep -qs evil "$f" "$f.evil" && say POISONED`,
						`echo changed >> "$f" && echo more > "$f.new" && say writable`,
						`printf '{"summary":"%s","metrics":{"score":1}}' "$said" > "$ATOLL_RESULT"`),
					Caches: []string{tc.tool}, Timeout: 20 * time.Second,
					LookupEnv: func(name string) (string, bool) {
						switch name {
						case "HOME":
							return home, true
						case "PATH":
							return "/usr/local/bin:/usr/bin:/bin", true
						}
						return "", false
					},
				})
				for range 2 {
					out := mustRun(t, e, eval.Request{})
					if out.Failed() || out.Summary != "warm offline writable" {
						t.Errorf("%s: %s: the evaluator said %q, want warm, offline, writable and nothing else\n%s",
							out.Class, out.Reason, out.Summary, evidence(out, "stderr"))
					}
				}
				for path, want := range map[string]string{tc.host: "downloaded\n", tc.beside: "login\n"} {
					if data, err := os.ReadFile(filepath.Join(home, path)); err != nil || string(data) != want {
						t.Errorf("%s on the host became %q, %v", path, data, err)
					}
				}
				if list, err := os.ReadDir(filepath.Dir(filepath.Join(home, tc.host))); err != nil || len(list) != 1 {
					t.Errorf("the cache on the host became %v, %v", list, err)
				}
			})
		})
	}
}

// A go command that ends at once would leave a child behind that looks for reports of telemetry.
func TestAQuickCommandOfGoLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	eachRung(t, func(t *testing.T, box *sandbox.Box) {
		e := mustNew(t, box, eval.Options{
			Command: shell(`exec go test ./...`), Caches: []string{"go"}, Timeout: time.Minute,
		})
		tree := mustTree(t, map[string]string{"go.mod": "module quick\n\ngo 1.24\n"})
		for range 5 {
			if out := mustRun(t, e, eval.Request{Base: tree}); out.Class != record.ClassTest || out.Reason != "no packages to test" || len(out.Warnings) > 0 {
				t.Fatalf("%s: %s, warnings %q\n%s", out.Class, out.Reason, out.Warnings, evidence(out, "stderr"))
			}
		}
	})
}

func TestCandidateCodeReadsAFolderOfCachesWhereverItLies(t *testing.T) {
	t.Parallel()
	box := mustBox(t, sandbox.ModeNamespaces) // candidate code has a /tmp of its own there alone
	folder, err := os.MkdirTemp("/tmp", "atoll-packages-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(folder, "package"), []byte("installed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	variable := "ATOLL_CACHE_" + strings.ToUpper(strings.ReplaceAll(filepath.Base(folder), "-", "_"))
	e := mustNew(t, box, eval.Options{
		Command: shell(
			`ln -sfn "$`+variable+`" packages`,
			`[ "$("$ATOLL_RUN" cat packages/package)" = installed ] && [ "$(cat `+folder+`/package)" = installed ] && echo '{"metrics":{"score":1}}' > "$ATOLL_RESULT"`),
		Caches: []string{folder}, Timeout: 20 * time.Second,
	})
	if out := mustRun(t, e, eval.Request{}); out.Failed() {
		t.Errorf("%s: %s\n%s", out.Class, out.Reason, evidence(out, "stderr"))
	}
}
