package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atoll/config/suitetest"
)

// evolving is a repository with a benchmark, and a client of `atoll mcp --evo`.
type evolving struct {
	t   *testing.T
	dir string
	s   *mcp.ClientSession
}

func evolves(t *testing.T, args ...string) *evolving {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ops")
	for name, text := range map[string]string{
		"a.txt": "alpha 50\n", "b.txt": "beta 50\n", "c.txt": "gamma 50\n",
		"benchmark.sh": "#!/bin/sh\nset -- $(cat a.txt b.txt c.txt)\necho $(($2 + $4 + $6))\n",
	} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "Start")
	git(t, dir, "tag", "seed-baseline")
	e := &evolving{t: t, dir: dir}
	e.connect(args...)
	return e
}

func (e *evolving) connect(args ...string) {
	e.s = client(e.t, e.dir, append([]string{"--evo"}, args...)...)
}

// call calls a tool that must answer.
func (e *evolving) call(tool string, in args) map[string]any {
	e.t.Helper()
	text, refused := called(e.t, e.s, tool, in)
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); refused || err != nil {
		e.t.Fatalf("%s %v: %s", tool, in, text)
	}
	return out
}

func (e *evolving) step(phase string, in args) map[string]any {
	e.t.Helper()
	in["phase"] = phase
	for {
		if out := e.call("evo_step", in); out["action"] != "measuring" {
			return out
		}
	}
}

// refusal calls a tool that must refuse, with a word in its reason.
func (e *evolving) refusal(tool string, in args, word string) {
	e.t.Helper()
	if text, refused := called(e.t, e.s, tool, in); !refused || !strings.Contains(text, word) {
		e.t.Errorf("%s %.200v: refused %v, %.300s; want %q", tool, in, refused, text, word)
	}
}

// commit writes a file on a new branch as a worker of the client does.
func (e *evolving) commit(branch, parent, file, text string) string {
	e.t.Helper()
	git(e.t, e.dir, "checkout", "--quiet", "-B", branch, parent)
	if err := os.WriteFile(filepath.Join(e.dir, file), []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	git(e.t, e.dir, "commit", "--quiet", "--all", "--message", branch)
	return git(e.t, e.dir, "rev-parse", "HEAD")
}

func (e *evolving) begin(maxFE int) {
	e.t.Helper()
	got := e.call("evo_init", args{"repo_path": e.dir, "benchmark_cmd": "./benchmark.sh", "objective": "min", "max_fe": maxFE})
	if got["status"] != "initialized" || got["max_fe"] != float64(maxFE) || got["pop_size"] != 8.0 {
		e.t.Fatalf("evo_init: %v", got)
	}
	targets := []args{{"id": "a", "file": "a.txt", "function": "alpha"}, {"id": "b", "file": "b.txt", "function": "beta"}, {"id": "c", "file": "c.txt", "function": "gamma"}}
	if got := e.call("evo_register_targets", args{"targets": targets}); got["registered"] != 3.0 {
		e.t.Fatalf("evo_register_targets: %v", got)
	}
	if got := e.call("evo_report_seed", args{"obj": 1}); got["seed_obj"] != 150.0 || got["total_evals"] != 1.0 || got["claimed"] != 1.0 {
		e.t.Fatalf("evo_report_seed: %v", got)
	}
}

// work does an item as a worker does: the value of its target falls with n.
func (e *evolving) work(item map[string]any, n int) (fitness float64) {
	e.t.Helper()
	branch, file := item["branch"].(string), item["target_file"].(string)
	if item["operation"] == "synergy" {
		file, _, _ = strings.Cut(file, "+")
	}
	word := map[string]string{"a.txt": "alpha", "b.txt": "beta", "c.txt": "gamma"}[file]
	parent := item["parent_branches"].([]any)[0].(string)
	e.commit(branch, parent, file, fmt.Sprintf("%s %d\n", word, 50-n))
	got := e.step("code_ready", args{"branch": branch})
	if got["action"] != "check_policy" || !strings.Contains(got["diff"].(string), word) || fmt.Sprint(got["changed_files"]) != "["+file+"]" {
		e.t.Fatalf("code_ready: %v", got)
	}
	if got = e.step("policy_pass", args{"branch": branch}); got["action"] != "run_benchmark" {
		e.t.Fatalf("policy_pass: %v", got)
	}
	got = e.step("fitness_ready", args{"branch": branch, "fitness": -1, "success": true})
	if got["action"] != "worker_done" || got["claimed"].(map[string]any)["fitness"] != -1.0 {
		e.t.Fatalf("fitness_ready: %v", got)
	}
	return got["fitness"].(float64)
}

func TestAClientOfTheProtocolRunsToTheEndOfItsBudget(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a whole run by a client; TestAClientOfTheProtocolIsRefusedWhatComesOutOfOrder stands for it")
	e := evolves(t)
	const budget = 34 // the seed, generations of 9, 9, 9, and what is left of the 12 of the fourth
	e.begin(budget)
	sizes, n := []int{}, 0
	for at := e.step("begin_generation", args{}); at["action"] != "done"; at = e.step("reflect_done", args{}) {
		items := at["items"].([]any)
		sizes = append(sizes, len(items))
		for _, it := range items {
			n++
			e.work(it.(map[string]any), n)
		}
		if got := e.step("select", args{}); got["action"] != "reflect" || len(got["keep"].([]any)) == 0 {
			t.Fatalf("select: %v", got)
		}
		if len(sizes) == 2 { // another process goes on where this one stopped
			_ = e.s.Close()
			e.connect()
		}
	}
	if fmt.Sprint(sizes) != "[9 9 9 6]" {
		t.Errorf("generations of %v, want 9, 9, 9 and the 6 that the budget leaves", sizes)
	}
	status := e.call("evo_get_status", args{})
	if status["total_evals"] != float64(budget) || status["budget_remaining"] != 0.0 || status["generation"] != 4.0 {
		t.Errorf("status: %v", status)
	}
	best := status["best_branch_overall"].(string)
	lineage := e.call("evo_get_lineage", args{"branch": best})["lineage"].([]any)
	if len(lineage) < 2 || lineage[0].(map[string]any)["fitness"] != status["best_obj_overall"] {
		t.Errorf("lineage: %v", lineage)
	}
	_ = e.s.Close()
	var held struct {
		Evaluations int
		Jobs        struct{ Placed, Scored, Failed, Duplicate int }
		Best        struct{ Objective float64 }
	}
	if err := json.Unmarshal([]byte(must(t, e.dir, "status", "--json")), &held); err != nil {
		t.Fatal(err)
	}
	if got := held.Jobs.Placed + held.Jobs.Scored + held.Jobs.Failed + held.Jobs.Duplicate; got != budget-1 || held.Best.Objective != status["best_obj_overall"] {
		t.Errorf("atoll made %d candidates and has the best %v; the client has %v of %v", got, held.Best.Objective, budget-1, status["best_obj_overall"])
	}
	// The candidate of a branch has the candidate of its parent as parent.
	first := lineage[0].(map[string]any)
	second := lineage[1].(map[string]any)
	show := must(t, e.dir, "show", fmt.Sprint("c", first["candidate"]), "--json")
	if want := fmt.Sprintf(`"parents":[{"id":%v,`, second["candidate"]); !strings.Contains(strings.ReplaceAll(show, " ", ""), want) {
		t.Errorf("%s has not %s", show, want)
	}
	if branches := git(t, e.dir, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags"); strings.Contains(branches, "atoll") {
		t.Errorf("the user's repository has %s", branches)
	}
}

func TestAClientOfTheProtocolIsRefusedWhatComesOutOfOrder(t *testing.T) {
	t.Parallel()
	e := evolves(t)
	e.refusal("evo_step", args{"phase": "begin_generation"}, "evo_init comes first")
	e.refusal("evo_init", args{"repo_path": "/", "benchmark_cmd": "true"}, "")
	e.refusal("evo_init", args{"repo_path": "../..", "benchmark_cmd": "true"}, "")
	e.refusal("evo_init", args{"repo_path": filepath.Dir(filepath.Dir(e.dir)), "benchmark_cmd": "true"}, "")
	e.refusal("evo_init", args{"repo_path": e.dir, "benchmark_cmd": "./benchmark.sh", "objective": "best"}, "min or max")
	e.call("evo_init", args{"repo_path": e.dir, "benchmark_cmd": "./benchmark.sh", "max_fe": 4})
	e.refusal("evo_step", args{"phase": "begin_generation"}, "evo_report_seed comes first")
	for _, bad := range []args{
		{"id": "--force", "file": "a.txt", "function": "alpha"},
		{"id": "a/../b", "file": "a.txt", "function": "alpha"},
		{"id": "a", "file": "../../etc/passwd", "function": "root"},
		{"id": "a", "file": "a.txt", "function": "omega"},
		{"id": "a", "file": "*.txt", "function": "alpha"},
		{"id": "a", "file": "a.txt", "function": "alpha", "description": strings.Repeat("x", 10<<20)},
	} {
		e.refusal("evo_register_targets", args{"targets": []args{bad}}, "bad argument")
	}
	e.call("evo_report_seed", args{"obj": 150})
	e.refusal("evo_report_seed", args{"obj": 150}, "out of order")
	e.refusal("evo_step", args{"phase": "begin_generation"}, "evo_register_targets comes first")
	e.call("evo_register_targets", args{"targets": []args{{"id": "a", "file": "a.txt", "function": "alpha"}}})
	got := e.step("begin_generation", args{})
	items := got["items"].([]any)
	if len(items) != 3 {
		t.Fatalf("%d items, want the 3 that the budget leaves", len(items))
	}
	var branches []string
	for _, it := range items {
		branches = append(branches, it.(map[string]any)["branch"].(string))
	}
	b := branches[0]
	for _, unknown := range []string{"main", "--output=/tmp/x", "gen-0/a/mutate-99", "../../x", ""} {
		e.refusal("evo_step", args{"phase": "code_ready", "branch": unknown}, "")
		e.refusal("evo_step", args{"phase": "fitness_ready", "branch": unknown, "fitness": 1, "success": false}, "")
	}
	e.refusal("evo_step", args{"phase": "policy_pass", "branch": b}, "comes first")
	e.refusal("evo_step", args{"phase": "fitness_ready", "branch": b, "fitness": 1}, "come first")
	e.refusal("evo_step", args{"phase": "code_ready", "branch": b}, "names no commit")
	e.refusal("evo_step", args{"phase": "select"}, "not reported yet")
	e.refusal("evo_step", args{"phase": "reflect_done"}, "out of order")
	e.refusal("evo_step", args{"phase": "dance"}, "Unknown phase")

	e.commit(b, "seed-baseline", "benchmark.sh", "#!/bin/sh\necho 0\n")
	if got := e.step("code_ready", args{"branch": b}); got["rejected"] != true || !strings.Contains(fmt.Sprint(got["reason"]), "benchmark.sh") {
		t.Errorf("a changed benchmark: %v", got)
	}
	e.refusal("evo_step", args{"phase": "code_ready", "branch": b}, "was reported")
	e.commit(branches[1], "seed-baseline", "b.txt", "beta 1\n")
	if got := e.step("code_ready", args{"branch": branches[1]}); got["rejected"] != true {
		t.Errorf("a file beside the target: %v", got)
	}
	e.commit(branches[2], "seed-baseline", "a.txt", "alpha 7\n")
	for _, wrong := range []args{{"branch": branches[2], "target_id": "zz"}, {"branch": branches[2], "target_id": "a+a"}, {"branch": "gen-9/a/mutate-1", "target_id": "a"}} {
		wrong["phase"] = "code_ready"
		e.refusal("evo_step", wrong, "")
	}
	e.step("code_ready", args{"branch": branches[2], "target_id": "a"})
	e.refusal("evo_step", args{"phase": "code_ready", "branch": branches[2]}, "reported already")
	e.refusal("evo_step", args{"phase": "policy_pass", "branch": branches[2], "target_id": "zz"}, "planned for the target a")
	e.refusal("evo_report_fitness", args{"branch": branches[2], "target_id": "zz", "operation": "mutate", "parent_branches": []string{}, "fitness": 1, "success": true}, "planned for the target a")
	e.step("policy_pass", args{"branch": branches[2]})
	e.refusal("evo_step", args{"phase": "policy_pass", "branch": branches[2]}, "being measured")
	if got := e.step("fitness_ready", args{"branch": branches[2], "fitness": 0, "success": true}); got["fitness"] != 107.0 || got["is_new_best"] != true || got["total_evals"] != 2.0 {
		t.Errorf("measured: %v", got)
	}
	e.refusal("evo_step", args{"phase": "fitness_ready", "branch": branches[2], "fitness": 0}, "was reported")
	e.step("select", args{})
	e.refusal("evo_step", args{"phase": "select"}, "out of order")
	if got := e.call("evo_freeze_target", args{"target_id": "a"}); got["status"] != "frozen" {
		t.Errorf("freeze: %v", got)
	}
	if got := e.step("reflect_done", args{}); got["action"] != "done" || got["reason"] != "empty batch" {
		t.Errorf("with every target frozen: %v", got)
	}
	if out := must(t, e.dir, "undo"); !strings.Contains(out, "a") {
		t.Errorf("undo: %s", out)
	}
	if got := e.call("evo_boost_target", args{"target_id": "a"}); got["temperature"] == 0.0 {
		t.Errorf("boost: %v", got)
	}
	e.refusal("evo_freeze_target", args{"target_id": "zz"}, "no target")
}

func TestAClientOfTheOlderProtocolGetsOneItemAfterTheOther(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a whole run by a client; TestAClientOfTheProtocolIsRefusedWhatComesOutOfOrder stands for it")
	e := evolves(t)
	_ = e.s.Close()
	e.s = client(t, e.dir, "--evo=0.1.2")
	e.call("evo_init", args{"repo_path": e.dir, "benchmark_cmd": "./benchmark.sh", "max_fe": 4})
	e.call("evo_report_seed", args{"obj": 150})
	e.call("evo_register_targets", args{"targets": []args{{"id": "a", "file": "a.txt", "function": "alpha"}}})
	at := e.step("begin_generation", args{})
	for n := 1; at["action"] == "generate_code"; n++ {
		item := at["item"].(map[string]any)
		branch := item["branch"].(string)
		if n == 2 {
			e.commit(branch, "seed-baseline", "benchmark.sh", "echo 1\n")
			if at = e.step("code_ready", args{"branch": branch}); at["policy_violation"] == nil {
				t.Fatalf("a changed benchmark: %v", at)
			}
			continue
		}
		e.commit(branch, "seed-baseline", "a.txt", fmt.Sprintf("alpha %d\n", 50-n))
		if got := e.step("code_ready", args{"branch": branch}); got["action"] != "run_benchmark" {
			t.Fatalf("code_ready: %v", got)
		}
		at = e.step("fitness_ready", args{"branch": branch, "fitness": 1, "success": true})
		if at["recorded_fitness"] != float64(150-n) {
			t.Errorf("fitness_ready: %v", at)
		}
	}
	if at["action"] != "select" || at["items_evaluated"] != 3.0 {
		t.Errorf("the last one: %v", at)
	}
}
