package evo

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// NewServer returns a server that speaks the protocol.
func NewServer(m *Machine, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "atoll", Title: "atoll, as an evolution engine", Version: version}, &mcp.ServerOptions{
		Instructions: "The evo_* protocol. Begin with evo_init, evo_report_seed and evo_register_targets, then evo_step from begin_generation. " +
			"This server measures every commit itself: commit to the planned branch, call code_ready, then policy_pass, then fitness_ready. " +
			"A fitness that you report is kept as a claim beside the measured value, and may be left out.",
	})
	addSetup(s, m)
	addSteps(s, m)
	addTargets(s, m)
	addLook(s, m)
	return s
}

type nothing struct{}

// add registers a tool.
func add[In, Out any](s *mcp.Server, name, text string, reads bool, fn func(context.Context, In) (Out, error)) {
	closed, destroys := false, false
	tool := mcp.Tool{Name: name, Description: text, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads, IdempotentHint: reads, DestructiveHint: &destroys, OpenWorldHint: &closed}}
	mcp.AddTool(s, &tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return nil, out, nil
	})
}

// begun is the arguments of evo_init: what is left out has the protocol's default.
type begun struct {
	RepoPath     string   `json:"repo_path" jsonschema:"the repository"`
	BenchmarkCmd string   `json:"benchmark_cmd" jsonschema:"shell command whose last line is the value; where the repository has an atoll.yaml, that measures instead"`
	Objective    string   `json:"objective,omitempty" jsonschema:"min or max; min where it is left out"`
	MaxFE        *int     `json:"max_fe,omitempty" jsonschema:"evaluations, the seed included; 500"`
	PopSize      *int     `json:"pop_size,omitempty" jsonschema:"8"`
	MutationRate *float64 `json:"mutation_rate,omitempty" jsonschema:"0.5"`
	Synergy      *int     `json:"synergy_interval,omitempty" jsonschema:"generations between synergies; 3"`
	TopK         *int     `json:"top_k_survive,omitempty" jsonschema:"survivors of each target; 5"`
	QuickCmd     string   `json:"quick_cmd,omitempty" jsonschema:"quick check that runs before the benchmark"`
}

func (in begun) setup() Setup {
	s := Setup{RepoPath: in.RepoPath, BenchmarkCmd: in.BenchmarkCmd, Objective: in.Objective, QuickCmd: in.QuickCmd, MaxFE: 500, PopSize: 8, MutationRate: 0.5, Synergy: 3, TopK: 5}
	if s.Objective == "" {
		s.Objective = "min"
	}
	for _, v := range []struct{ given, of *int }{{in.MaxFE, &s.MaxFE}, {in.PopSize, &s.PopSize}, {in.Synergy, &s.Synergy}, {in.TopK, &s.TopK}} {
		if v.given != nil {
			*v.of = *v.given
		}
	}
	if in.MutationRate != nil {
		s.MutationRate = *in.MutationRate
	}
	return s
}

func addSetup(s *mcp.Server, m *Machine) {
	add(s, "evo_init", "Begin an evolution: a new experiment whose root is the commit that is checked out. Earlier ones stay.", false,
		func(ctx context.Context, in begun) (answer, error) { return m.Init(ctx, in.setup()) })
	add(s, "evo_register_targets", "Name the functions that are worked on.", false, func(ctx context.Context, in struct {
		Targets []NewTarget `json:"targets"`
	},
	) (answer, error) {
		return m.Register(ctx, in.Targets)
	})
	add(s, "evo_report_seed", "Have the root measured. obj is what you measured yourself, a claim.", false, func(ctx context.Context, in struct {
		Obj float64 `json:"obj"`
	},
	) (answer, error) {
		ctx, cancel := context.WithTimeout(ctx, patienceTime)
		defer cancel()
		return m.ReportSeed(ctx, in.Obj)
	})
}

// reported is the arguments of evo_report_fitness.
type reported struct {
	Branch  string   `json:"branch"`
	Target  string   `json:"target_id"`
	Op      string   `json:"operation"`
	Parents []string `json:"parent_branches"`
	Fitness float64  `json:"fitness" jsonschema:"as you measured it, a claim"`
	Success bool     `json:"success"`
	Code    string   `json:"code_hash,omitempty"`
	Raw     string   `json:"raw_output,omitempty"`
}

func addSteps(s *mcp.Server, m *Machine) {
	add(s, "evo_step", "Take a step: begin_generation, code_ready, policy_pass or policy_fail, fitness_ready, select, reflect_done. The answer's action says what comes next.", false, m.Step)
	add(s, "evo_next_batch", "Plan a generation without evo_step, or list what is open of the present one.", false,
		func(ctx context.Context, _ nothing) (answer, error) { return m.NextBatch(ctx) })
	add(s, "evo_report_fitness", "Judge, measure and record a branch of the batch in one call, without evo_step.", false, func(ctx context.Context, in reported) (answer, error) {
		return m.ReportFitness(ctx, Step{Branch: in.Branch, Target: in.Target, Fitness: in.Fitness, Success: &in.Success, Code: in.Code, Raw: in.Raw})
	})
	add(s, "evo_select_survivors", "End a generation without evo_step.", false,
		func(ctx context.Context, _ nothing) (Survivors, error) { return m.SelectSurvivors(ctx) })
	add(s, "evo_record_synergy", "Record what combining targets brought; the measured values count.", false, m.RecordSynergy)
}

type ofTarget struct {
	ID string `json:"target_id"`
}

func addTargets(s *mcp.Server, m *Machine) {
	add(s, "evo_freeze_target", "Work on a target no more.", false, func(ctx context.Context, in ofTarget) (answer, error) { return m.Freeze(ctx, in.ID) })
	add(s, "evo_boost_target", "Work more on a target; a frozen one is released.", false, func(ctx context.Context, in ofTarget) (answer, error) { return m.Boost(ctx, in.ID) })
}

func addLook(s *mcp.Server, m *Machine) {
	add(s, "evo_get_status", "How the evolution stands.", true, func(ctx context.Context, _ nothing) (answer, error) { return m.Status(ctx) })
	add(s, "evo_get_lineage", "What a branch descends from.", true, func(ctx context.Context, in struct {
		Branch string `json:"branch"`
	},
	) (answer, error) {
		return m.Lineage(ctx, in.Branch)
	})
	add(s, "evo_check_cache", "Whether code of this hash was measured.", true, func(ctx context.Context, in struct {
		Hash string `json:"code_hash"`
	},
	) (answer, error) {
		return m.CheckCache(ctx, in.Hash)
	})
}
