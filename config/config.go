// Package config turns defaults, atoll.yaml, the environment and flags into
// one typed [Config], refuses what it does not understand, and remembers where
// each value came from ([Origin]).
//
// Later sources win: defaults < atoll.yaml < environment < flags. Keys are
// written as dotted paths ("evaluator.timeout"), the same in messages, flags
// (--set evaluator.timeout=30s) and `atoll config explain`.
//
// Caveats: a Config is plain data and safe to copy; it holds no secret (keys
// are named by environment variable and read when they are used). Durations
// are Go durations ("90s"), sizes are bytes with a unit ("512MiB").
package config

import (
	"strings"
	"time"
)

// Config is the whole configuration of one experiment.
//
// The tag `key` is the name in atoll.yaml; `doc` is one plain sentence for
// people; `live` marks what may change after the experiment has started (at
// the next run at the latest), all else is frozen when it starts; `measure`
// marks what affects measurement and is part of the evaluation key; `enum`,
// `min` and `max` bound the value; `unit:"bytes"` reads sizes; `auto` says in
// words what a default that depends on the machine or on other keys is. A
// section's `live` or `measure` holds for everything below it.
type Config struct {
	Name        string   `key:"name" auto:"the folder's name" doc:"Name of the experiment."`
	Goal        string   `key:"goal" live:"yes" doc:"What the agents should achieve, in your words."`
	Constraints []string `key:"constraints" live:"yes" doc:"What must stay true, one sentence each."`
	Acceptance  []string `key:"acceptance" live:"yes" doc:"How you would know that it is good."`
	Root        string   `key:"root" doc:"Git revision to start from."`
	Seed        uint64   `key:"seed" doc:"Number that fixes every random choice."`
	Order       string   `key:"order" enum:"completion,strict" doc:"completion: fold results as they come; strict: by job number, the same for any number of workers."`
	Lookahead   int      `key:"lookahead" min:"1" max:"1024" doc:"Strict order: how many jobs may be ahead of the fold."`
	Workers     int      `key:"workers" min:"1" max:"1024" live:"yes" auto:"half the cores, 1 to 4" doc:"Jobs at the same time."`

	Evaluator     Evaluator      `key:"evaluator"`
	Map           Map            `key:"map"`
	Front         Front          `key:"front"`
	Search        Search         `key:"search"`
	Gate          Gate           `key:"gate"`
	Review        Review         `key:"review"`
	Guard         string         `key:"guard" enum:"auto,on,off" doc:"Compare the behaviour of a candidate that would lead with the root's; another behaviour waits for review. auto: where the objective is time, memory or the like."`
	GuardCommands []GuardCommand `key:"guard_commands" doc:"Command lines whose output is behaviour: the guard runs each in the root and in the candidate."`
	GuardAccept   []string       `key:"guard_accept" live:"yes" doc:"Functions, methods and command lines that may behave in another way, as the guard names them: strcase.ToSnake."`
	Health        Health         `key:"health"`
	Limits        Limits         `key:"limits"`
	Sandbox       Sandbox        `key:"sandbox"`
	Budget        Budget         `key:"budget"`
	Retention     Retention      `key:"retention" live:"yes"`
	Agents        []Agent        `key:"agents" live:"yes" auto:"the built-in offline agent" doc:"Who edits, plans or reviews."`
	Roles         Roles          `key:"roles" live:"yes"`
	Prices        []Price        `key:"prices" live:"yes" doc:"Dollars per million tokens, by model."`
	Prompts       string         `key:"prompts" live:"yes" doc:"Folder of prompt templates that take the place of the built-in ones, relative to atoll.yaml."`
	Targets       []Target       `key:"targets" doc:"Named parts of the repository with their own weight."`
	Plugins       Plugins        `key:"plugins"`
	Console       Console        `key:"console"`
}

// GuardCommand is one run of a program whose output is behaviour.
type GuardCommand struct {
	Command []string `key:"command" doc:"Program and arguments, run in the top folder of the tree; a single string is run by sh -c."`
	Stdin   string   `key:"stdin" doc:"What it reads."`
}

// Evaluator describes the user's measurement.
type Evaluator struct {
	Command        []string          `key:"command" measure:"yes" doc:"Program and arguments; a single string is run by sh -c. {dir} is the evaluator directory. With an adapter: the adapter's arguments."`
	Dir            string            `key:"dir" measure:"yes" doc:"Trusted folder outside the candidate's tree, relative to atoll.yaml; read-only for the evaluator, invisible to candidate code."`
	Adapter        string            `key:"adapter" enum:",openevolve,loreley,shinka,gobench,hyperfine,gotest,pytest,plugin" measure:"yes" doc:"Runs an evaluator written for another system unchanged; plugin: the plug-in in evaluator.dir."`
	AdapterOptions map[string]string `key:"adapter_options" measure:"yes" doc:"Further settings of the adapter, by name: python, program, thresholds, runs and so on."`
	Output         string            `key:"output" enum:"result-file,last-json-line,last-number,name=value,suite" measure:"yes" doc:"Where the result is read from."`
	Objective      string            `key:"objective" measure:"yes" auto:"the first one of the root's result" doc:"Metric that is searched on."`
	Direction      string            `key:"direction" enum:"maximize,minimize" measure:"yes" doc:"Which way is better. A run and doctor warn where the name or the unit of the objective says otherwise."`
	Stages         []Stage           `key:"stages" measure:"yes" doc:"Quick to full; without stages there is one, the command itself."`
	Repeats        int               `key:"repeats" min:"1" max:"100" measure:"yes" doc:"Samples of each candidate; their median counts."`
	RootRepeats    int               `key:"root_repeats" min:"1" max:"100" doc:"Samples of the root, to see the noise."`
	Challenge      int               `key:"challenge" min:"0" max:"100" live:"yes" doc:"Further samples of a challenger before it takes a niche, where the objective is noisy."`
	Depth          int               `key:"depth" min:"2" max:"1000" live:"yes" doc:"Deciding samples at most of one that may be the best, where the objective is noisy; the noise chooses how many it gets."`
	Remeasure      float64           `key:"remeasure" min:"0" max:"0.9" live:"yes" doc:"Share of evaluations spent on measuring elites again, where the objective is noisy."`
	Paired         bool              `key:"paired" measure:"yes" doc:"Measure the root beside each candidate and report the ratio."`
	Timeout        time.Duration     `key:"timeout" measure:"yes" doc:"Wall time of one run."`
	Protected      []string          `key:"protected" measure:"yes" doc:"Globs of files that are always taken from the root."`
	Hidden         []string          `key:"hidden" measure:"yes" doc:"Globs of files that candidate code cannot read. They are protected, too."`
	Private        []string          `key:"private" live:"yes" doc:"Metrics that never reach a prompt."`
	Env            []string          `key:"env" measure:"yes" doc:"NAME or NAME=value passed to the evaluator; all else is absent. {tree} in a value is the candidate's tree."`
	Caches         []string          `key:"caches" live:"yes" doc:"Build caches laid under the sandbox of the evaluator and of command agents, read-only: go, npm, pip, cargo, or the path of a folder, which may be relative to atoll.yaml (./node_modules)."`
	Needs          []string          `key:"needs" live:"yes" doc:"Labels, such as gpu=1 or arch=arm64, that a machine of a fleet must have to measure."`
	Pool           string            `key:"pool" live:"yes" auto:"those of all pools" doc:"Machines of a fleet that measure: those that were invited into this pool."`
	Warm           string            `key:"warm" enum:"off,auto,on" doc:"Runs of an evaluator in Python are copies of an interpreter that has loaded its modules: auto, those of which it is known that nothing differs; on, all that its script imports."`
	Artifact       string            `key:"artifact" doc:"Path of a build product; candidates with the same product are not measured twice."`
}

// Line names the evaluator in one line: its adapter, if any, and its command.
func (e *Evaluator) Line() string {
	return strings.TrimSpace(e.Adapter + " " + strings.Join(e.Command, " "))
}

// Stage is one step of an evaluation.
type Stage struct {
	Name      string        `key:"name" auto:"stage 1, stage 2, ..." doc:"Shown while it runs."`
	Command   []string      `key:"command" doc:"As evaluator.command; empty: that one."`
	Timeout   time.Duration `key:"timeout" auto:"evaluator.timeout" doc:"Wall time of one run."`
	Metric    string        `key:"metric" doc:"Metric that must reach the threshold; empty: exit code 0 is enough."`
	Threshold *float64      `key:"threshold" doc:"Least value (largest, when minimizing) to go on."`
	Needs     []string      `key:"needs" doc:"Labels that a machine of a fleet must have for this stage, as evaluator.needs; one machine runs all stages of a sample, so it needs those of all."`
	Output    string        `key:"output" enum:",none,result-file,last-json-line,last-number,name=value,suite" doc:"Where this stage's result is read from; none: only the exit code."`
}

// Map describes the archive's axes.
type Map struct {
	Axes        []Axis   `key:"axes" doc:"Named metric axes; none: the learned space."`
	Grid        []int    `key:"grid" doc:"Cells per axis of the learned space, e.g. [16, 16]."`
	Regions     int      `key:"regions" min:"0" max:"65536" doc:"Cells as about so many regions instead of a grid (a centroidal Voronoi tessellation), for maps of more than two axes; map.grid says no more than how many axes a learned map has. 0: a grid."`
	Include     []string `key:"include" doc:"Globs of files that shape the learned space; default: source files and whatever is in scope of the gate."`
	Exclude     []string `key:"exclude" doc:"Globs of files that do not."`
	MaxBytes    int64    `key:"max_file_bytes" unit:"bytes" doc:"Larger files do not shape the learned space."`
	MinFit      int      `key:"min_fit" min:"4" max:"100000" doc:"Distinct candidates before the first map that is learned."`
	Provisional bool     `key:"provisional" doc:"Until then candidates lie on a map of cheap measures: how far and how broadly they differ from the root, and their size; off: they wait without a place."`
	History     int      `key:"history" min:"64" max:"100000" doc:"Candidates that a fit sees, at most."`
	RefitEvery  int      `key:"refit_every" min:"1" max:"100000" doc:"Evaluations between looks at whether a new map is due."`
	Offset      *float64 `key:"qd_offset" auto:"root - |root|" doc:"Subtracted from each elite in the QD score."`
}

// Axis is one named metric axis.
type Axis struct {
	Metric string    `key:"metric" doc:"Metric whose value is the coordinate: of the evaluator, of a descriptor, or of the auditor as health.NAME with a name of health.no_worse."`
	Min    float64   `key:"min" doc:"Value at the left edge; values beyond fall in the edge cell."`
	Max    float64   `key:"max" doc:"Value at the right edge."`
	Bins   int       `key:"bins" min:"1" max:"4096" doc:"Cells along this axis."`
	Edges  []float64 `key:"edges" doc:"Inner edges, ascending; instead of min, max and bins."`
}

// Front describes what counts beside the objective.
type Front struct {
	Objectives    []FrontObjective `key:"objectives" doc:"Metrics that count beside the objective: candidates than which no other is at least as good in all of them are listed, and drawn as parents. The best stays the best by evaluator.objective."`
	Step          float64          `key:"step" min:"0" doc:"Two values of the objective in the same multiple of this are alike on the front; 0: compared as they are."`
	Cases         []string         `key:"cases" doc:"Globs of metrics that are one case each, such as case_*: who is best in a case is listed, and drawn as a parent. Which there are the root's result says."`
	CaseDirection string           `key:"case_direction" enum:"maximize,minimize" doc:"Which way is better in a case."`
	Parents       float64          `key:"parents" min:"0" max:"1" doc:"Share of the jobs whose parent is drawn from the front and from who leads a case. See [Parents](#parents)."`
}

// FrontObjective is a metric that counts beside the objective.
type FrontObjective struct {
	Metric    string  `key:"metric" doc:"Metric of the evaluator."`
	Direction string  `key:"direction" enum:"maximize,minimize" doc:"Which way is better."`
	Step      float64 `key:"step" min:"0" doc:"Two values in the same multiple of this are alike; 0: compared as they are."`
}

// Kept reports whether anything counts beside the objective.
func (f *Front) Kept() bool { return len(f.Objectives)+len(f.Cases) > 0 }

// Search describes what is tried next.
type Search struct {
	Operators    map[string]float64 `key:"operators" live:"yes" auto:"tune 0.4, mutate 0.4, crossover 0.2; with an agent that is not offline also structural, repair and synergy, and tune only beside the offline one" doc:"Weights of the operators; what is not named is not drawn."`
	Inspirations int                `key:"inspirations" min:"0" max:"32" live:"yes" doc:"Candidates shown beside the parent. The offline agent merges with the first of them that gives something new."`
	Selection    string             `key:"selection" enum:"mixed,uniform,rank,exploit,curiosity,novelty,ucb" doc:"How parents are drawn from the elites; mixed: by rank, uniform, curiosity, novelty and ucb in turns, each as often as it yields. See [Parents](#parents)."`
	Islands      int                `key:"islands" min:"1" max:"64" doc:"Sub-populations with elites of their own, which take turns; at the end of an epoch some wander to the next one. 1: all in one."`
	Evolve       float64            `key:"evolve" min:"0" max:"1" doc:"Share of the jobs in which the offline agent tunes numbers, without a target, that are samples of an evolution strategy (sep-CMA-ES), for programs with a table of numbers; 0: none."`
	Novelty      float64            `key:"novelty" min:"0" max:"1" doc:"A candidate of an agent is not measured if another one that was has at least this share of its change to its parent, such as 0.95, by the vectors of the learned map (which see of a number only its sign and size); that of the offline agent always is. 0: all are measured."`
	DrawAgents   string             `key:"draw_agents" enum:"weights,yield" doc:"How agents are drawn. yield: by their weights, of which one keeps a fifth that is shown (at 99 %) to take fewer niches for a dollar than another."`
	Epoch        int                `key:"epoch" min:"1" max:"100000" doc:"Jobs between reflections, best-of tags and migrations between islands."`
	BoostFor     int                `key:"boost_for" min:"1" max:"100000" live:"yes" doc:"Folded jobs that a boost lasts."`
	OnlyInjected bool               `key:"only_injected" doc:"Make no candidate: only commits that are injected are measured."`
}

// Gate describes the policy checks of a diff.
type Gate struct {
	Scope        []string `key:"scope" doc:"Globs of files a candidate may change; none: all but the protected."`
	Forbidden    []string `key:"forbidden" doc:"Globs of files a candidate may never add or change."`
	MaxFiles     int      `key:"max_files" min:"1" max:"100000" doc:"Changed files, at most."`
	MaxLines     int      `key:"max_lines" min:"1" max:"10000000" doc:"Added plus removed lines, at most."`
	MaxFileBytes int64    `key:"max_file_bytes" unit:"bytes" doc:"Size of one changed file, at most."`
}

// Review says which candidates wait for a person.
type Review struct {
	Measure string `key:"measure" enum:"off,risky,all" live:"yes" doc:"Before a candidate is measured."`
	Niche   string `key:"niche" enum:"off,risky,all" live:"yes" doc:"Before a candidate takes a niche."`
	Fail    string `key:"fail" enum:"open,closed" live:"yes" doc:"A candidate about which roles.reviewer could not be asked: open: it goes on; closed: it waits for you. One that the reviewer answered without a clear verdict waits for you in any case."`
}

// Health says what a candidate may do to the health of the source, as the auditor measures it
// in the files that candidates may change.
type Health struct {
	NoWorse []string `key:"no_worse" doc:"Figures that no candidate may make worse than the root's: complexity, cognitive, worst, maintainability, duplicated, lines; with a percentage by how much it may: lines 10%."`
	Worse   string   `key:"worse" enum:"reject,hold" doc:"What becomes of one that does, before it is measured: reject, or hold for a person."`
}

// Limits hold for each run of foreign code.
type Limits struct {
	CPU    time.Duration `key:"cpu" measure:"yes" doc:"CPU time of all processes of one run together; 0: only the wall time counts."`
	Memory int64         `key:"memory" unit:"bytes" measure:"yes" doc:"Memory of one run."`
	Procs  int           `key:"procs" min:"1" max:"100000" measure:"yes" doc:"Processes of one run."`
	Output int64         `key:"output" unit:"bytes" doc:"Bytes of output of one run."`
	Disk   int64         `key:"disk" unit:"bytes" doc:"Bytes written by one run."`
}

// Sandbox chooses the isolation of foreign processes.
type Sandbox struct {
	Mode    string `key:"mode" enum:"auto,namespaces,landlock,unsafe" doc:"auto: the strongest that works and at least Landlock; unsafe: none."`
	Scratch string `key:"scratch" live:"yes" auto:"memory if it fits" doc:"Folder for private copies."`
}

// Budget ends or pauses an experiment. Zero is no limit.
type Budget struct {
	Jobs        int           `key:"jobs" min:"0" live:"yes" doc:"Make jobs of the whole experiment."`
	Evaluations int           `key:"evaluations" min:"0" live:"yes" doc:"Runs of one stage, repeats counted."`
	Tokens      int64         `key:"tokens" min:"0" live:"yes" doc:"Input and output tokens."`
	CostUSD     float64       `key:"cost_usd" min:"0" live:"yes" doc:"US dollars."`
	Wall        time.Duration `key:"wall" live:"yes" doc:"Time with a running engine."`
}

// Retention says what need not be kept for ever. What holds a niche, what is pinned and
// all that they descend from keep everything.
type Retention struct {
	Evidence time.Duration `key:"evidence" doc:"Age at which atoll gc drops prompts, transcripts and output of candidates that hold no niche."`
	Size     int64         `key:"size" unit:"bytes" doc:"Size of the state directory above which a run warns; 0: never."`
}

// Agent is one who edits, plans or reviews.
type Agent struct {
	Name           string            `key:"name" auto:"the preset or the kind" doc:"How it is called in jobs and on screen."`
	Kind           string            `key:"kind" enum:"offline,chat,command,human,broker,replay,plugin" doc:"What it is."`
	Weight         float64           `key:"weight" min:"0" live:"yes" doc:"Weight of the draw; 0: never by itself."`
	Preset         string            `key:"preset" enum:",codex,claude,gemini,opencode,pi,aider,cursor-agent,generic" doc:"Command line and event format of a known program."`
	Command        []string          `key:"command" doc:"Program and arguments of a generic agent; {prompt} {prompt_file} {dir} {model} are filled in."`
	Prompt         string            `key:"prompt" enum:",stdin,arg,file" doc:"How a generic agent gets its prompt."`
	API            string            `key:"api" enum:",chat,responses,anthropic,gemini" doc:"Protocol of the provider; empty: that of the preset, else chat. Chat agents do not speak gemini."`
	BaseURL        string            `key:"base_url" doc:"Base URL of the provider."`
	KeyEnv         string            `key:"key_env" doc:"Environment variable that holds the key."`
	Model          string            `key:"model" doc:"Model name."`
	Edit           string            `key:"edit" enum:",blocks,whole,diff" doc:"How a chat agent writes its edits."`
	Timeout        time.Duration     `key:"timeout" doc:"Wall time of one attempt."`
	Attempts       int               `key:"attempts" min:"1" max:"100" doc:"Tries within one job."`
	MaxTokens      int64             `key:"max_tokens" min:"0" doc:"Output tokens of one request."`
	Temperature    *float64          `key:"temperature" min:"0" max:"2" doc:"Of a chat agent's answers; empty: the provider's own."`
	Effort         string            `key:"effort" enum:",minimal,low,medium,high" doc:"Reasoning effort of a chat agent's model; empty: the provider's own. Not for the anthropic protocol."`
	ExtraBody      map[string]string `key:"extra_body" values:"json" doc:"Further fields of a chat agent's requests, as its provider names them: top_p: 0.9. A value is JSON, else a text."`
	Context        int               `key:"context" min:"0" doc:"Tokens that a chat agent's prompt may have: more than the budgets of its sections together widens them, less cuts the largest; 0: their sum."`
	Cache          bool              `key:"cache" doc:"Mark a chat agent's prompts for its provider's cache (Anthropic, OpenRouter); others cache by themselves."`
	Requests       int               `key:"requests" min:"0" doc:"Requests to a model that a command agent may make in one job; 0: 200."`
	JobUSD         float64           `key:"job_usd" min:"0" doc:"US dollars of one job; 0: no own limit."`
	RPM            int               `key:"rpm" min:"0" doc:"Requests a minute; 0: no own limit."`
	TPM            int64             `key:"tpm" min:"0" doc:"Tokens a minute, input and output; 0: no own limit."`
	Parallel       int               `key:"parallel" min:"0" doc:"Requests at a time; 0: no own limit. Of human, broker and their replay: jobs that wait at a time without holding a worker, where other agents have a weight; human: 0 is 1."`
	Env            []string          `key:"env" doc:"NAME or NAME=value passed into the sandbox."`
	OwnCredentials bool              `key:"own_credentials" doc:"The program uses its own login and network; atoll cannot meter it."`
	OnWorkers      bool              `key:"on_workers" doc:"In a run with --fleet the program of a command agent runs on workers started with --edit, instead of here; the model is reached through the run's gateway, and what env names travels."`
	Recording      string            `key:"recording" doc:"Folder of a replay agent."`
	Plugin         string            `key:"plugin" doc:"Folder of a plug-in of the kind agent or operator."`
	Operators      []string          `key:"operators" doc:"Operators that a plug-in carries out; empty: all but tune."`
}

// Roles name the agent that serves each role; empty: off, or the coder.
type Roles struct {
	Planner    string `key:"planner" doc:"Plans before the coder edits; empty: one step."`
	Reviewer   string `key:"reviewer" doc:"Judges a diff after the gate; empty: off."`
	Reflector  string `key:"reflector" doc:"Writes lessons each epoch; empty: plain digests."`
	Mapper     string `key:"mapper" doc:"Proposes targets, a chat agent or the offline one; empty: off."`
	Summariser string `key:"summariser" doc:"Writes commit subjects and summaries of trajectories; empty: the agent's own words."`
}

// Price is what one model costs, in US dollars per million tokens.
type Price struct {
	Model  string  `key:"model" doc:"Model name, or a glob."`
	Input  float64 `key:"input" min:"0" doc:"Dollars per million input tokens."`
	Cached float64 `key:"cached" min:"0" doc:"Dollars per million cached input tokens."`
	Output float64 `key:"output" min:"0" doc:"Dollars per million output tokens."`
}

// Target is a named part of the repository.
type Target struct {
	Name   string   `key:"name" doc:"Short name."`
	Files  []string `key:"files" doc:"Globs that belong to it."`
	Symbol string   `key:"symbol" doc:"Function or type inside the files."`
	Hint   string   `key:"hint" doc:"What an agent should know of it."`
	Weight float64  `key:"weight" min:"0" live:"yes" doc:"Weight of the draw."`
}

// Plugins names folders of plug-ins that have no key of their own elsewhere
// (evaluators: evaluator.adapter, agents and operators: agents).
type Plugins struct {
	Descriptors []string `key:"descriptors" doc:"Plug-ins whose metrics join those of the evaluator, for the axes of the map."`
	Embedder    string   `key:"embedder" doc:"Plug-in that makes the vectors of the learned map; empty: the built-in one."`
	Auditors    []string `key:"auditors" live:"yes" doc:"Plug-ins whose findings join those of the auditor of a campaign."`
	Notifiers   []string `key:"notifiers" live:"yes" doc:"Plug-ins that are told the news of console.news, all where that is empty, also without a console."`
}

// Console describes the screen.
type Console struct {
	Palette   string            `key:"palette" enum:"viridis,cividis,magma,grey" live:"yes" doc:"Colours of the heat map."`
	Theme     string            `key:"theme" enum:"auto,dark,light,contrast-dark,contrast-light" live:"yes" doc:"Background the colours are made for; contrast: no grey, strong colours."`
	ThemeFile string            `key:"theme_file" live:"yes" doc:"Theme of your own, relative to atoll.yaml: YAML with theme: (one of those above) and colours: (as below)."`
	Mouse     bool              `key:"mouse" live:"yes" doc:"Mouse clicks and wheel; off leaves text selection to the terminal."`
	ASCII     bool              `key:"ascii" live:"yes" doc:"Plain characters only."`
	FPS       int               `key:"fps" min:"1" max:"60" live:"yes" doc:"Frames a second, at most."`
	Keys      map[string]string `key:"keys" live:"yes" doc:"Other keys for an action: action: key."`
	Notify    []string          `key:"notify" live:"yes" doc:"How news reach a person who looks elsewhere: bell, osc9, osc777 (notifications of the terminal)."`
	News      []string          `key:"news" live:"yes" doc:"What is told: best, review, pause, end."`
	Program   []string          `key:"notify_command" live:"yes" doc:"Program that is started with a line of news as its last argument."`
	Colours   map[string]string `key:"colours" live:"yes" doc:"Own colours: accent, ident, good, bad, warn, label, border: #rrggbb."`
	Hints     bool              `key:"hints" live:"yes" doc:"First-run hints."`
}
