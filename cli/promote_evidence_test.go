package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/evidence"
)

// newNoisy is a small repository whose value varies by up to noise and does not depend on
// what a candidate changes but for the edge.
func newNoisy(t *testing.T, edge, noise string) string {
	t.Helper()
	dir := newSmall(t)
	put(t, dir, map[string]string{
		"eval.sh": strings.NewReplacer("EDGE", edge, "NOISE", noise).Replace(noisyEval), "numbers.base": smallNumbers,
		"atoll.yaml": strings.Replace(smallYAML, "[eval.sh]", "[eval.sh, numbers.base]", 1),
	})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "noise")
	return dir
}

func TestAPromotionThatIsNotVerifiedTellsItsEvidence(t *testing.T) {
	t.Parallel()
	dir := newNoisy(t, "-3", "10")
	must(t, dir, "run", "--headless")
	id := luckiest(t, dir)
	out := must(t, dir, "promote", id, "--branch", "lucky")
	told := func(text string) bool {
		return strings.Contains(text, string(evidence.WithinNoise)) || strings.Contains(text, string(evidence.Unconfirmed))
	}
	if !told(out) || !strings.Contains(out, "--verify") {
		t.Errorf("of a luckiest value it says\n%s", out)
	}
	if got := git(t, dir, "log", "-1", "--format=%B", "lucky"); !told(got) || !strings.Contains(got, "held out from every decision") || !strings.Contains(got, "Reproduce: atoll promote c"+id+" --verify") {
		t.Errorf("the message is\n%s", got)
	}
	if got := must(t, dir, "promote", id, "--patch", "-"); !told(got) {
		t.Errorf("the patch is\n%s", got)
	}
	if out := must(t, dir, "promote", id, "--patch", "a.patch"); !told(out) {
		t.Errorf("of a patch it says\n%s", out)
	}
	git(t, dir, "checkout", "--quiet", "-b", "mailed")
	git(t, dir, "am", "--quiet", "a.patch")
	if a, b := git(t, dir, "rev-parse", "mailed^{tree}"), git(t, dir, "rev-parse", "lucky^{tree}"); a != b {
		t.Errorf("the patch makes %s, the branch is %s", a, b)
	}
	if got := git(t, dir, "log", "-1", "--format=%B"); !told(got) {
		t.Errorf("the commit of the patch says\n%s", got)
	}
}

// Whoever wants to look at a candidate that failed may have a branch of it, which says so.
func TestAPromotionOfWhatFailedSaysSo(t *testing.T) {
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{
		"eval.sh":      "if ! cmp -s numbers.conf numbers.base; then echo 'the third circle is too large' >&2; exit 1; fi\n" + smallEval,
		"numbers.base": smallNumbers, "atoll.yaml": strings.Replace(smallYAML, "[eval.sh]", "[eval.sh, numbers.base]", 1),
	})
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "an evaluator that takes the root alone")
	must(t, dir, "run", "--headless", "--max-jobs", "2")
	var first struct {
		ID int `json:"id"`
	}
	list := must(t, dir, "candidates", "--status", "failed", "--json") // one a line
	if err := json.NewDecoder(strings.NewReader(list)).Decode(&first); err != nil {
		t.Fatalf("none failed: %v", err)
	}
	id := fmt.Sprintf("c%d", first.ID)
	why := id + " failed: test: the third circle is too large"
	if out := must(t, dir, "promote", id, "--branch", "failed"); !strings.Contains(out, why) {
		t.Errorf("it says\n%s", out)
	}
	if got := git(t, dir, "log", "-1", "--format=%B", "failed"); !strings.Contains(got, why) {
		t.Errorf("the message is\n%s", got)
	}
}

func TestAPromotionAsJSONIsOneDocument(t *testing.T) {
	t.Parallel()
	dir := searchedSmall(t)
	for _, form := range [][]string{{"--branch", "won"}, {"--patch", "best.patch"}, {"--series", "patches"}, {"--bundle", "best.bundle"}} {
		var got struct {
			Candidate int             `json:"candidate"`
			Branch    string          `json:"branch"`
			Commit    string          `json:"commit"`
			File      string          `json:"file"`
			Gain      string          `json:"gain"`
			Claim     *evidence.Claim `json:"claim"`
		}
		out := must(t, dir, append([]string{"promote", "best", "--json"}, form...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Errorf("%v: %v: %s", form, err, out)
			continue
		}
		if got.Candidate == 0 || got.Gain == "" || got.Claim == nil || got.Claim.Word != evidence.Exact || got.Branch+got.File != form[1] {
			t.Errorf("%v: it says %s", form, out)
		}
		if form[0] == "--branch" && git(t, dir, "rev-parse", "won") != got.Commit {
			t.Errorf("the branch is not at %s", got.Commit)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "best.patch")); err != nil {
		t.Error(err)
	}
}

func TestAFileThatSomebodyTakesOutMakesNoFolder(t *testing.T) {
	suitetest.Full(t, "runs an experiment for one file; TestARunLeavesTheRepositoryAsItWas stands for it")
	t.Parallel()
	dir := newSmall(t)
	must(t, dir, "run", "--headless", "--max-jobs", "2")
	file := filepath.Join(dir, "value.txt")
	for _, verb := range []string{"promote best --patch", "promote best --series", "promote best --bundle", "report --html", "report --md", "export"} {
		args := strings.Fields(verb)
		for name, c := range map[string]struct{ in, want string }{
			"where there is none":      {filepath.Join(dir, "no such"), "mkdir -p '" + filepath.Join(dir, "no such") + "'"},
			"where a file is in place": {file, "is no folder"},
		} {
			if got := atoll(t, dir, append(args, filepath.Join(c.in, "x.csv"))...); got.code != 2 || !strings.Contains(got.err, c.want) {
				t.Errorf("%s %s: exit %d: %s%s", verb, name, got.code, got.out, got.err)
			}
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "no such")); !os.IsNotExist(err) {
		t.Errorf("a folder was made (%v)", err)
	}
}

func TestTheValueOfAPairedExperimentIsTakenOutAsARatio(t *testing.T) {
	suitetest.Full(t, "runs a paired experiment; TestAHeadlessRunEndsWithAResultAndAVerdict stands for it")
	t.Parallel()
	dir := newSmall(t)
	put(t, dir, map[string]string{"atoll.yaml": strings.Replace(smallYAML, "  objective: total\n", "  objective: total\n  paired: true\n", 1)})
	git(t, dir, "commit", "--quiet", "--all", "--message", "paired")
	must(t, dir, "run", "--headless")
	const told = "ratio of total to the root's"
	for _, args := range [][]string{{"promote", "best"}, {"promote", "best", "--patch", "-"}, {"report"}} {
		if out := must(t, dir, args...); !strings.Contains(out, told) || strings.Contains(out, "; the root's is") || strings.Contains(out, "whose value is") {
			t.Errorf("%v says\n%s", args, out)
		}
	}
	if out := must(t, dir, "status"); !strings.Contains(out, "  1 by definition, its own total 32  n ") || strings.Count(out, " of the root's total") != 1 || strings.Contains(out, "total 1") {
		t.Errorf("status says\n%s", out)
	}
	out := must(t, dir, "show", "best")
	for _, want := range []string{": a ratio to the root's total, measured beside it\n", "  (its own)\n", " 32  (the root's beside it)\n", "  (of the two: the objective)\n"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("show does not say %q once:\n%s", want, out)
		}
	}
	if out := must(t, dir, "experiments"); !strings.Contains(out, told) {
		t.Errorf("experiments says\n%s", out)
	}
}

func TestWhereValuesVaryNoListTellsLuckAsAValue(t *testing.T) {
	suitetest.Full(t, "runs an experiment whose values vary; TestAHeadlessRunEndsWithAResultAndAVerdict stands for it")
	t.Parallel()
	dir := newNoisy(t, "0", "10")
	must(t, dir, "run", "--headless")
	evident := func(text string) bool {
		return strings.Contains(text, " n ") || strings.Contains(text, string(evidence.Unconfirmed))
	}
	unsure := 0
	for _, verb := range []string{"niches", "candidates"} {
		for line := range strings.Lines(must(t, dir, verb)) {
			if c := " " + strings.Join(strings.Fields(line), " "); strings.Contains(c, " c") && !strings.Contains(c, " c0 ") && strings.ContainsAny(c, ".") && !strings.Contains(c, "axes") && !evident(line) &&
				(verb == "niches" || strings.Contains(c, "elite") || strings.Contains(c, "scored")) {
				t.Errorf("%s says %s", verb, line)
			}
		}
	}
	for line := range strings.Lines(must(t, dir, "niches")) {
		if strings.Contains(line, string(evidence.Unconfirmed)) && !strings.Contains(line, " n ") {
			unsure++
		}
	}
	for line := range strings.Lines(must(t, dir, "why", luckiest(t, dir))) {
		if strings.Contains(line, " of c") && !evident(line) {
			t.Errorf("why says %s", line)
		}
	}
	if out := must(t, dir, "status"); unsure > 0 != strings.Contains(out, fmt.Sprintf("(unconfirmed of %d niche", unsure)) {
		t.Errorf("the QD score is not marked:\n%s", out)
	}
	for _, verb := range []string{"report", "notes"} {
		for line := range strings.Lines(must(t, dir, verb)) {
			if strings.Contains(line, "Largest gains so far: c") && !strings.Contains(line, string(evidence.Confirmed)) || strings.Contains(line, " from ") && strings.Contains(line, " to ") && strings.Contains(line, ": best ") {
				t.Errorf("%s says %s", verb, line)
			}
		}
	}
}
