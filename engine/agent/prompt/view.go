package prompt

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/clean"
	"atoll/engine/memory"
	"atoll/store/record"
)

// View is all that templates can show. It holds values only, so one view may
// be rendered for several roles: set Plan, Diff or Retry between them.
type View struct {
	Role         string // set by Render
	Job          record.JobID
	Attempt      int
	Operator     record.Operator
	Kind         string // of a structural edit: one of [StructuralKinds]
	Goal         string
	Constraints  []string
	Acceptance   []string
	Direction    string // maximize or minimize
	Metric       string
	Target       agent.Target
	Base         Shown
	Programs     []Program
	Inspirations []Shown
	Plan         string   // of the planner, for the coder
	Diff         string   // for the reviewer and the summariser
	Findings     []string // of the gate, for the reviewer
	Facts        string   // of an epoch, for the reflector
	Steps        []string // of a stretch, for its summary
	Known
	Notes
	Tree
	Asked
	secrets []string
}

// Known is what the search knows beside the candidates that a job starts from.
type Known struct {
	Best       *Shown   // the best so far; nil = unknown, or the base itself
	Leads      bool     // the base is the best so far
	Open       string   // empty niches beside that of the base, by the axes on which they differ; "" = none
	Conditions []string // under which a candidate is measured, a sentence each
	Failures   []agent.Failure
	Others     []string          // what the jobs beside this one try, a line each
	Feedback   []record.Evidence // of the evaluator, about the base
}

// Notes are lessons, sorted by where templates show them.
type Notes struct {
	Lessons    []record.Note // digests and reflections, long-term first, then newest first
	Failed     []record.Note // of kind failure
	Directions []record.Note // of kind direction, newest first
	Told       []record.Note // written by a person, newest first; in none of the other three
}

// Tree is what is shown of the files.
type Tree struct {
	Files   []FileText // most relevant first
	Listing []string   // further paths in scope, without content
	Dir     string     // work tree as the agent sees it; "" = it has none
	Scope   []string   // for a work tree: what may be changed, when that is not all; a folder ends in /
	Closed  []string   // for a work tree: what may not be changed, likewise
	Limits  []string   // of a change, a sentence each
}

// Asked is how the answer must be, and how long the prompt may be.
type Asked struct {
	Answer  string         // how it must be written: edit format, schema
	Retry   string         // why the attempt before this one was refused
	Tokens  int            // of the whole prompt; 0 = the sum of the sections' budgets, which a larger number widens
	Budgets map[string]int // tokens by section, instead of the template's
}

// Shown is a candidate as a prompt shows it: all figures are texts already.
type Shown struct {
	ID         string // c128
	Commit     string // 12 digits
	Part       string // base, best so far (or where it is shown), second parent, inspiration, part to merge, last version that worked
	Operator   string
	Intent     string
	Place      string
	Objective  string   // "time_ms = 12.3"; "" = not measured
	Delta      string   // against its own parent, with its sign; "" = unknown
	Versus     string   // against the base, in words; "" = unknown
	Metrics    []string // at most ten
	Changed    []string // at most twenty
	Diff       string
	Against    string // how it differs from the base; "" = not looked at
	Trajectory []string
}

// History tells how a candidate came about; "" where nothing is known.
func (s Shown) History() string {
	if s.Intent == "" && len(s.Changed) == 0 && len(s.Trajectory) == 0 {
		return ""
	}
	var b strings.Builder
	if intent := oneLine(s.Intent); intent != "" {
		b.WriteString("intent: " + intent + "\n")
	}
	if len(s.Changed) > 0 {
		b.WriteString("changed files: " + oneLine(strings.Join(s.Changed, ", ")) + "\n")
	}
	if len(s.Trajectory) > 0 {
		b.WriteString("how it came about:\n" + strings.Join(s.Trajectory, "\n"))
	}
	return b.String()
}

// ViewOptions are what a backend adds to a job. Files come from [ReadFiles];
// agents with a work tree leave them out and set Dir.
type ViewOptions struct {
	Files    []FileText
	Listing  []string
	Dir      string
	Scope    []string // with Dir: see [Tree]
	Closed   []string
	Programs []Program
	Against  Against
	Answer   string
	Plan     string
	Diff     string
	Findings []string
	Facts    string
	Retry    string         // why the attempt before this one was refused
	Tokens   int            // of the whole prompt; 0 = the sum of the sections' budgets
	Budgets  map[string]int // tokens by section, instead of the template's
	Secrets  []string       // besides those of the background
	Kind     string         // of a structural edit; "" draws one from Job.Rand
}

// ViewOf gathers what prompts may show of a job. It draws from j.Rand only for
// a structural edit without a kind, and then once: call it once per attempt
// and render the view for each role.
func ViewOf(j agent.Job, o ViewOptions) View {
	bg := j.Background
	if bg == nil {
		bg = &agent.Background{}
	}
	v := View{
		Job: j.Number, Attempt: j.Attempt, Operator: j.Operator, Kind: o.Kind, Goal: j.Goal, Constraints: j.Constraints,
		Acceptance: j.Acceptance, Direction: j.Direction, Metric: j.Metric, Target: j.Target,
		Known: Known{Open: bg.Open, Conditions: bg.Conditions, Failures: j.Failures, Others: bg.Others, Feedback: bg.Feedback}, Programs: o.Programs,
		Tree: Tree{Files: o.Files, Listing: o.Listing, Dir: o.Dir, Scope: o.Scope, Closed: o.Closed, Limits: j.Limits},
		Plan: o.Plan, Diff: o.Diff, Findings: o.Findings, Facts: o.Facts, Asked: Asked{Answer: o.Answer, Retry: o.Retry, Tokens: o.Tokens, Budgets: o.Budgets},
	}
	if v.Kind == "" && j.Operator == record.OpStructural && j.Rand != nil {
		v.Kind = DrawKind(j.Rand)
	}
	v.showBest(&j, bg.Best, o.Against.Best)
	v.secrets = append(append(v.secrets, bg.Secrets...), o.Secrets...)
	v.Base = shown(&j, &j.Parent, "base")
	if j.Parent.ID != record.Root {
		v.Base.Trajectory = TrajectoryOf(bg.Lineage, record.Root, j.Parent.ID, bg.Summaries).Lines()
	}
	for i := range j.Inspirations {
		it := &j.Inspirations[i]
		s := shown(&j, it, partOf(&j, i))
		s.Trajectory = TrajectoryOf(bg.Lineage, j.Parent.ID, it.ID, bg.Summaries).Lines()
		if i < len(o.Against.Inspirations) {
			s.Against = o.Against.Inspirations[i]
		}
		v.Inspirations = append(v.Inspirations, s)
	}
	v.sortNotes(j.Notes)
	return v
}

// showBest shows the best so far beside the base, and how it differs from it.
func (v *View) showBest(j *agent.Job, best *agent.Item, against string) {
	if best == nil || best.Objective == nil {
		return
	}
	if v.Leads = best.ID == j.Parent.ID; !v.Leads {
		s := shown(j, best, "best so far")
		s.Against = against
		if apart(j) == nil {
			s.Part = "shown below among the other versions"
		}
		v.Best = &s
	}
}

// WithSecrets returns the view with further texts to take out.
func (v View) WithSecrets(secrets ...string) View {
	v.secrets = append(append([]string(nil), v.secrets...), secrets...)
	return v
}

// budgetOf is the budget of a section: the view's own, else the template's,
// widened by wide (at least 1). One without a budget in the template is never cut.
func (v *View) budgetOf(p *part, wide float64) int {
	if n, ok := v.Budgets[p.name]; ok && n > 0 && p.budget > 0 {
		return n
	}
	return int(float64(p.budget) * wide)
}

// widening is by how much the sections' budgets grow where the whole prompt may
// have more than their sum.
func (v *View) widening(s *sheet) float64 {
	sum := 0
	for _, p := range s.parts {
		sum += p.budget
	}
	if sum == 0 || v.Tokens <= sum {
		return 1
	}
	return float64(v.Tokens) / float64(sum)
}

// partOf says what the i-th inspiration is for.
func partOf(j *agent.Job, i int) string {
	switch j.Operator {
	case record.OpCrossover:
		if i == 0 {
			return "second parent"
		}
	case record.OpSynergy:
		return "part to merge"
	case record.OpRepair:
		for _, p := range j.Parent.Parents {
			if p.Role == record.RoleParent && p.ID == j.Inspirations[i].ID {
				return "last version that worked"
			}
		}
	}
	return "inspiration"
}

// The bounds of a card.
const (
	cardMetrics = 10
	cardChanged = 20
)

// shown turns an item into texts.
func shown(j *agent.Job, it *agent.Item, part string) Shown {
	s := Shown{
		ID: it.ID.String(), Commit: it.Commit.String()[:12], Part: part, Operator: string(it.Operator), Intent: it.Intent,
		Place: it.Place, Diff: it.Diff, Changed: it.Changed,
	}
	if len(s.Changed) > cardChanged {
		s.Changed = s.Changed[:cardChanged]
	}
	if it.Objective != nil {
		s.Objective = j.Metric + " = " + number(*it.Objective)
	}
	if it.Delta != nil {
		s.Delta = signed(*it.Delta)
	}
	if it != &j.Parent && it.Objective != nil && j.Parent.Objective != nil {
		d := *it.Objective - *j.Parent.Objective
		switch {
		case d == 0:
			s.Versus = "equal to the base"
		case j.Better(*it):
			s.Versus = "better than the base by " + number(max(d, -d))
		default:
			s.Versus = "worse than the base by " + number(max(d, -d))
		}
	}
	for _, m := range it.Metrics {
		if len(s.Metrics) == cardMetrics {
			break
		}
		s.Metrics = append(s.Metrics, metricLine(m))
	}
	return s
}

func metricLine(m record.Metric) string {
	line := clean.Line(m.Name) + " = " + number(m.Value)
	if m.Unit != "" {
		line += " " + clean.Line(m.Unit)
	}
	if m.Higher != nil && !*m.Higher {
		return line + " (lower is better)"
	}
	return line
}

// sortNotes puts each note where templates look for it.
func (v *View) sortNotes(notes []record.Note) {
	var short []record.Note
	for i := len(notes) - 1; i >= 0; i-- {
		n := notes[i]
		switch {
		case n.Gone || strings.TrimSpace(n.Text) == "":
		case !memory.ByProgram(n):
			v.Told = append(v.Told, n)
		case n.Kind == memory.FailureOf:
			v.Failed = append(v.Failed, n)
		case n.Kind == memory.Direction:
			v.Directions = append(v.Directions, n)
		case n.Kind == memory.Long:
			v.Lessons = append(v.Lessons, n)
		default:
			short = append(short, n)
		}
	}
	v.Lessons = append(v.Lessons, short...)
}

// Better says the direction in words.
func (v View) Better() string {
	if v.Direction == "minimize" {
		return "lower is better"
	}
	return "higher is better"
}

// Evidence returns the text of a piece of feedback.
func (v View) Evidence(e record.Evidence) string { return string(e.Text) }

// StructuralKinds are the kinds of structural edits, in the order of the draw.
func StructuralKinds() []string {
	return []string{"insert", "merge", "decouple", "split", "extract", "parallelize", "pipeline", "stratify", "cache"}
}

// DrawKind draws one of the structural kinds, all alike.
func DrawKind(rng *rand.Rand) string {
	kinds := StructuralKinds()
	return kinds[rng.IntN(len(kinds))]
}

// number writes a figure in at most six significant digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func signed(x float64) string {
	if x > 0 {
		return "+" + number(x)
	}
	return number(x)
}
