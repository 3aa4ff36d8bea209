package gate_test

import (
	"path"
	"strings"
	"testing"

	"atoll/engine/gate"
	"atoll/store/record"
)

// edit is one change as the table writes it.
type edit struct {
	path   string
	old    record.Mode // Deleted: the path is new
	mode   record.Mode // Deleted: the path goes
	data   string
	lines  int
	hidden bool // the change is not handed over, only the diff
}

func build(edits []edit) (diffs []record.FileDiff, changes []record.Change) {
	for _, e := range edits {
		diffs = append(diffs, record.FileDiff{
			Path: e.path, OldMode: e.old, NewMode: e.mode, Added: e.lines,
			OldExist: e.old != record.Deleted, NewExist: e.mode != record.Deleted,
		})
		if !e.hidden {
			changes = append(changes, record.Change{Path: e.path, Mode: e.mode, Data: []byte(e.data)})
		}
	}
	return diffs, changes
}

func modify(p string) edit {
	return edit{path: p, old: record.Regular, mode: record.Regular, data: "x\n", lines: 1}
}
func add(p string) edit    { return edit{path: p, mode: record.Regular, data: "x\n", lines: 1} }
func remove(p string) edit { return edit{path: p, old: record.Regular, lines: 1} }
func link(p, to string) edit {
	return edit{path: p, mode: record.Symlink, data: to, lines: 1}
}

func TestCheck(t *testing.T) {
	guarded := gate.Policy{Protected: []string{"evaluate.py", "tests/**", "bench/case_*.json"}}
	for _, tt := range []struct {
		name   string
		policy gate.Policy
		op     record.Operator
		edits  []edit
		hard   string // rule of the first hard finding; "" = accepted
		soft   string // rule of some soft finding; "" = none at all, "any" = not looked at
	}{
		{"an ordinary edit passes without a word", guarded, record.OpMutate, []edit{modify("src/a.go")}, "", ""},
		{"a protected file is refused", guarded, record.OpMutate, []edit{modify("evaluate.py")}, gate.RuleProtected, "any"},
		{"a protected glob is refused", guarded, record.OpMutate, []edit{modify("tests/deep/x_test.py")}, gate.RuleProtected, "any"},
		{"another case of a protected name is refused", guarded, record.OpMutate, []edit{add("Evaluate.PY")}, gate.RuleProtected, "any"},
		{"renaming a protected file away is refused", guarded, record.OpMutate, []edit{remove("evaluate.py"), add("evaluate_old.py")}, gate.RuleProtected, "any"},
		{"a file that takes the place of a protected folder is refused", guarded, record.OpMutate, []edit{add("tests")}, gate.RuleProtected, "any"},
		{"a file in place of a folder on the way to a glob is refused", guarded, record.OpMutate, []edit{add("bench")}, gate.RuleProtected, "any"},
		{"a neighbour of a protected glob passes", guarded, record.OpMutate, []edit{modify("bench/readme.md")}, "", ""},
		{"the configuration is always protected", gate.Policy{}, record.OpManual, []edit{modify("atoll.yaml")}, gate.RuleProtected, "any"},
		{"the configuration in another case is protected", gate.Policy{}, record.OpMutate, []edit{add("Atoll.YAML")}, gate.RuleProtected, "any"},
		{"a folder name protects what is beneath", gate.Policy{Protected: []string{"./data/"}}, record.OpMutate, []edit{modify("data/a/b")}, gate.RuleProtected, "any"},
		{"out of scope is refused", gate.Policy{Scope: []string{"src"}}, record.OpMutate, []edit{modify("lib/a.py")}, gate.RuleScope, "any"},
		{"out of scope is refused for structural too", gate.Policy{Scope: []string{"src"}}, record.OpStructural, []edit{modify("lib/a.py")}, gate.RuleScope, "any"},
		{"a case twin of the scope is not in scope", gate.Policy{Scope: []string{"src"}}, record.OpMutate, []edit{add("SRC/a.py")}, gate.RuleScope, "any"},
		{"in scope passes", gate.Policy{Scope: []string{"src/*.py"}}, record.OpMutate, []edit{modify("src/a.py")}, "", ""},
		{"forbidden is refused", gate.Policy{Forbidden: []string{"**/*.so"}}, record.OpMutate, []edit{add("a/b.so")}, gate.RuleForbidden, "any"},
		{"a malformed glob protects nothing and is refused", gate.Policy{Protected: []string{"[a"}}, record.OpMutate, []edit{modify("b")}, gate.RulePolicy, "any"},
		{"too many files", gate.Policy{MaxFiles: 1}, record.OpMutate, []edit{modify("a"), modify("b")}, gate.RuleFiles, "any"},
		{"structural may touch four times the files", gate.Policy{MaxFiles: 1}, record.OpStructural, []edit{modify("a"), modify("b"), modify("c"), modify("d")}, "", ""},
		{"structural has a limit too", gate.Policy{MaxFiles: 1}, record.OpStructural, []edit{modify("a"), modify("b"), modify("c"), modify("d"), modify("e")}, gate.RuleFiles, "any"},
		{"a person's long edit is a warning", gate.Policy{MaxFiles: 1, MaxLines: 1}, record.OpManual, []edit{modify("a"), modify("b")}, "", gate.RuleFiles},
		{"too many lines", gate.Policy{MaxLines: 5}, record.OpMutate, []edit{{path: "a", old: record.Regular, mode: record.Regular, data: "x", lines: 6}}, gate.RuleLines, "any"},
		{"uncounted lines are counted from the content", gate.Policy{MaxLines: 2}, record.OpMutate, []edit{{path: "a", mode: record.Regular, data: "1\n2\n3", lines: -1}}, gate.RuleLines, "any"},
		{"a large file is refused", gate.Policy{MaxFileBytes: 4}, record.OpMutate, []edit{{path: "a", mode: record.Regular, data: "12345", lines: 1}}, gate.RuleSize, "any"},
		{"a link out of the tree is refused", gate.Policy{}, record.OpMutate, []edit{link("a/l", "../../etc/passwd")}, gate.RuleSymlink, "any"},
		{"an absolute link is refused", gate.Policy{}, record.OpMutate, []edit{link("l", "/etc/passwd")}, gate.RuleSymlink, "any"},
		{"a link that climbs after a name is refused", gate.Policy{}, record.OpMutate, []edit{link("l", "d/../../x")}, gate.RuleSymlink, "any"},
		{"a link into git's folder is refused", gate.Policy{}, record.OpMutate, []edit{link("l", ".GIT/config")}, gate.RuleSymlink, "any"},
		{"a link inside the tree is worth a look", gate.Policy{}, record.OpMutate, []edit{link("a/l", "../b")}, "", gate.RuleSymlink},
		{"a link to a protected file is refused", gate.Policy{Protected: []string{"answers/**"}}, record.OpMutate, []edit{link("out/l", "../answers/a.txt")}, gate.RuleSymlink, "any"},
		{"a link to a folder of protected files is refused", gate.Policy{Protected: []string{"data/answers/*.txt"}}, record.OpMutate, []edit{link("out", "data")}, gate.RuleSymlink, "any"},
		{"a link to the folder that it lies in is refused where something is protected", gate.Policy{Protected: []string{"answers"}}, record.OpMutate, []edit{link("l", ".")}, gate.RuleSymlink, "any"},
		{"a link to a protected file through another link is refused", gate.Policy{Protected: []string{"answers/**"}}, record.OpMutate, []edit{link("l", "a/b/answers/x")}, gate.RuleSymlink, "any"},
		{"a link beside protected files is worth a look", gate.Policy{Protected: []string{"answers/**"}}, record.OpMutate, []edit{link("l", "src/a")}, "", gate.RuleSymlink},
		{"a link of unknown target is refused", gate.Policy{}, record.OpMutate, []edit{{path: "l", mode: record.Symlink, hidden: true}}, gate.RuleSymlink, "any"},
		{"a submodule is refused", gate.Policy{}, record.OpMutate, []edit{{path: "m", mode: record.Submodule}}, gate.RuleSubmodule, "any"},
		{"removing a submodule is refused", gate.Policy{}, record.OpMutate, []edit{{path: "m", old: record.Submodule}}, gate.RuleSubmodule, "any"},
		{"gitattributes are refused", gate.Policy{}, record.OpMutate, []edit{add("a/.gitattributes")}, gate.RuleGit, "any"},
		{"gitattributes are refused even in scope", gate.Policy{Scope: []string{".gitattributes"}}, record.OpMutate, []edit{add(".gitattributes")}, gate.RuleGit, "any"},
		{"gitmodules are refused", gate.Policy{}, record.OpMutate, []edit{modify(".gitmodules")}, gate.RuleGit, "any"},
		{"a forge workflow is refused", gate.Policy{}, record.OpMutate, []edit{add(".github/workflows/x.yml")}, gate.RuleGit, "any"},
		{"a forge workflow in a wide scope is refused", gate.Policy{Scope: []string{"**"}}, record.OpMutate, []edit{add(".github/workflows/x.yml")}, gate.RuleGit, "any"},
		{"a forge workflow that the scope names is worth a look", gate.Policy{Scope: []string{".github/**"}}, record.OpMutate, []edit{add(".github/workflows/x.yml")}, "", gate.RuleGit},
		{"gitignore is worth a look", gate.Policy{}, record.OpMutate, []edit{modify(".gitignore")}, "", gate.RuleGit},
		{"a path into git's folder is refused", gate.Policy{}, record.OpMutate, []edit{add("a/.Git/hooks/x")}, gate.RulePath, "any"},
		{"git's folder by its short name is refused", gate.Policy{}, record.OpMutate, []edit{add("GIT~1/config")}, gate.RulePath, "any"},
		{"git's folder behind an ignorable code point is refused", gate.Policy{}, record.OpMutate, []edit{add(".g\u200cit/config")}, gate.RulePath, "any"},
		{"git's folder with a trailing blank is refused", gate.Policy{}, record.OpMutate, []edit{add(".git /config")}, gate.RulePath, "any"},
		{"a path that climbs is refused", gate.Policy{}, record.OpMutate, []edit{add("a/../b")}, gate.RulePath, "any"},
		{"an absolute path is refused", gate.Policy{}, record.OpMutate, []edit{add("/a")}, gate.RulePath, "any"},
		{"a control character in a name is refused", gate.Policy{}, record.OpMutate, []edit{add("a\x1b[2Jb")}, gate.RulePath, "any"},
		{"a new executable bit is worth a look", gate.Policy{}, record.OpMutate, []edit{{path: "a", old: record.Regular, mode: record.Executable, data: "x", lines: 0}}, "", gate.RuleExecutable},
		{"a lost executable bit is worth a look", gate.Policy{}, record.OpMutate, []edit{{path: "a", old: record.Executable, mode: record.Regular, data: "x", lines: 0}}, "", gate.RuleExecutable},
		{"an edit of an executable is ordinary", gate.Policy{}, record.OpMutate, []edit{{path: "a", old: record.Executable, mode: record.Executable, data: "x", lines: 1}}, "", ""},
		{"an unknown mode is refused", gate.Policy{}, record.OpMutate, []edit{{path: "a", mode: 0o100777, data: "x"}}, gate.RulePath, "any"},
		{"binary content is worth a look", gate.Policy{}, record.OpMutate, []edit{{path: "a", mode: record.Regular, data: "a\x00b", lines: -1}}, "", gate.RuleBinary},
		{"writing to what prints the figures of a benchmark is worth a look", gate.Policy{}, record.OpMutate, []edit{{path: "a.js", mode: record.Regular, data: "console.timeEnd = l => console.log(l + ': 1ms')", lines: 1}}, "", gate.RuleClock},
		{"naming the result channel is worth a look", gate.Policy{}, record.OpMutate, []edit{{path: "a", mode: record.Regular, data: "os.environ['ATOLL_RESULT']", lines: 1}}, "", gate.RuleChannel},
		{"two new names that differ by case are refused", gate.Policy{}, record.OpMutate, []edit{add("a.go"), add("A.go")}, gate.RuleTwin, "any"},
		{"tune that adds a file is worth a look", gate.Policy{}, record.OpTune, []edit{add("a.go")}, "", gate.RuleOperator},
		{"tune in place is ordinary", gate.Policy{}, record.OpTune, []edit{modify("a.go")}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			diffs, changes := build(tt.edits)
			v := gate.Check(tt.policy, diffs, changes, tt.op)
			if v.Rejected != (tt.hard != "") {
				t.Fatalf("rejected = %v, want %v: %+v", v.Rejected, tt.hard != "", v.Findings)
			}
			if v.Rejected && v.Findings[0].Rule != tt.hard {
				t.Errorf("first rule = %s, want %s: %+v", v.Findings[0].Rule, tt.hard, v.Findings)
			}
			if v.Rejected != (v.Reason() != "") {
				t.Errorf("reason = %q", v.Reason())
			}
			checkSoft(t, v, tt.soft)
			for _, f := range v.Findings {
				if strings.ContainsFunc(f.Text, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
					t.Errorf("control character in %q", f.Text)
				}
			}
		})
	}
}

func checkSoft(t *testing.T, v gate.Verdict, want string) {
	t.Helper()
	var rules []string
	for _, f := range v.Findings {
		if !f.Hard {
			rules = append(rules, f.Rule)
		}
	}
	switch {
	case want == "any":
	case want == "" && len(rules) > 0:
		t.Errorf("soft findings %v, want none", rules)
	case want != "" && !strings.Contains(strings.Join(rules, " "), want):
		t.Errorf("soft findings %v, want %s", rules, want)
	}
}

func TestCheckComparesWithTheParentsNames(t *testing.T) {
	tree := map[string]string{"main.go": "main.go"}
	p := gate.Policy{Twin: func(name string) (string, bool) {
		other, ok := tree[strings.ToLower(name)]
		return other, ok && other != name
	}}
	diffs, changes := build([]edit{add("Main.go")})
	if v := gate.Check(p, diffs, changes, record.OpMutate); !v.Rejected || v.Findings[0].Rule != gate.RuleTwin {
		t.Errorf("a twin of a file of the parent: %+v", v)
	}
	diffs, changes = build([]edit{add("Main.go"), remove("main.go")})
	if v := gate.Check(p, diffs, changes, record.OpMutate); v.Rejected {
		t.Errorf("a rename to another case: %+v", v)
	}
}

func TestCheckJudgesChangesThatNoDiffLists(t *testing.T) {
	changes := []record.Change{{Path: "evaluate.py", Mode: record.Regular, Data: []byte("x")}}
	v := gate.Check(gate.Policy{Protected: []string{"evaluate.py"}}, nil, changes, record.OpMutate)
	if !v.Rejected {
		t.Error("a change outside the diff passed unchecked")
	}
}

func TestRisky(t *testing.T) {
	diffs, changes := build([]edit{modify("a.go"), link("l", "a.go"), add("b.go")})
	v := gate.Check(gate.Policy{}, diffs, changes, record.OpMutate)
	seen := func(p string) bool { return p == "a.go" }
	got := strings.Join(gate.Risky(v, diffs, seen, true), "; ")
	want := "l is a symbolic link to a.go; l and 1 more were never touched before; it would be the new best"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	diffs, changes = build([]edit{modify("a.go")})
	if got := gate.Risky(gate.Check(gate.Policy{}, diffs, changes, record.OpMutate), diffs, seen, false); len(got) != 0 {
		t.Errorf("an ordinary edit: %v", got)
	}
	diffs[0].Added = gate.LargeLines
	if got := gate.Risky(gate.Verdict{}, diffs, nil, false); len(got) != 1 || got[0] != "large diff: 1 file, 400 lines" {
		t.Errorf("a large edit: %v", got)
	}
}

// FuzzCheck holds two promises: an accepted symbolic link stays in the tree,
// and no spelling of the configuration passes.
func FuzzCheck(f *testing.F) {
	f.Add("a/l", "../b")
	f.Add("atoll.yaml", "x")
	f.Add("a/b/c", "../../../x")
	f.Add("ATOLL.yaml/", "..")
	f.Fuzz(func(t *testing.T, name, target string) {
		diffs, changes := build([]edit{link(name, target)})
		v := gate.Check(gate.Policy{Protected: []string{"p/**"}}, diffs, changes, record.OpMutate)
		if v.Rejected {
			return
		}
		if strings.EqualFold(path.Clean(name), gate.ConfigFile) || strings.HasPrefix(strings.ToLower(name), "p/") {
			t.Errorf("%q passed", name)
		}
		at := path.Join("/top", path.Dir(name), target)
		if at != "/top" && !strings.HasPrefix(at, "/top/") {
			t.Errorf("link %q -> %q leaves the tree: %s", name, target, at)
		}
	})
}
