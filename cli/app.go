package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atoll/config"
	"atoll/engine"
	"atoll/engine/campaign"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
)

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// App is the program as a value. Run may be called once.
type App struct {
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	Env     []string
	Dir     string // working directory
	Now     func() time.Time
	Build   Build
	Called  string           // how this program was started, os.Args[0]; "": atoll
	Signals <-chan os.Signal // interrupt, terminate, hang-up
	Exit    func(code int)   // ends the program at the second signal to a verb that does not end at the first; nil: nothing does
	IsTTY   func(io.Writer) bool

	args       []string
	flags      globals
	interrupts interrupts
}

// globals are the flags that every verb takes.
type globals struct {
	repo       string
	state      string
	experiment string
	file       string
	json       bool
	set        []string
	color      string
}

// errUsage marks an error of the command line itself.
var errUsage = errors.New("usage")

// errInterrupted ends a verb that a signal stopped.
var errInterrupted = errors.New("interrupted")

// Run carries out one command line and returns the exit code. Errors go to Err
// in words, without a stack.
func (a *App) Run(ctx context.Context, args []string) int {
	a.args = args
	root := a.root()
	root.SetArgs(valuesLast(root, args))
	root.SetIn(a.In)
	ctx, out, done := a.interruptible(ctx)
	defer done()
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if out.left.Load() && endedByIt(ctx, err) {
		return exitClosed
	}
	if err == nil {
		err = out.failed()
	}
	if err == nil {
		return exitDone
	}
	var other told
	if errors.As(err, &other) {
		return int(other)
	}
	if errors.Is(context.Cause(ctx), errInterrupted) {
		fmt.Fprintln(a.Err, "atoll: interrupted")
		return exitInterrupted
	}
	if errors.Is(err, errInterrupted) {
		fmt.Fprintln(a.Err, a.spell("atoll: interrupted; nothing acknowledged is lost, `atoll run` goes on"))
		return exitInterrupted
	}
	a.warn(cleanLines(a.spell(refusal(root, err, args) + hint(root, err, args))))
	return exitCode(err)
}

// endedByIt reports whether a verb ended well, or because its context did.
func endedByIt(ctx context.Context, err error) bool {
	var other told
	return err == nil || errors.As(err, &other) || errors.Is(err, errInterrupted) || errors.Is(context.Cause(ctx), errInterrupted)
}

// negative is the beginning of a number or duration below 0.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// valuesLast moves what is negative among the arguments of `set` to the end, behind "--": it is
// a value and no flag.
func valuesLast(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != "set" || slices.Contains(args, "--") || !slices.ContainsFunc(args, negative.MatchString) {
		return args
	}
	var others, values []string
	for _, arg := range args {
		if negative.MatchString(arg) {
			values = append(values, arg)
		} else {
			others = append(others, arg)
		}
	}
	return slices.Concat(others, []string{"--"}, values)
}

// hint is the next step after a verb or flag that does not exist.
func hint(root *cobra.Command, err error, args []string) string {
	if !isCobraUsage(err) {
		return ""
	}
	if strings.HasPrefix(err.Error(), "unknown command") && takesNone(root, args) == nil {
		for _, arg := range args {
			if near := root.SuggestionsFor(arg); len(near) > 0 && strings.Contains(err.Error(), strconv.Quote(arg)) {
				return "; did you mean " + strings.Join(near, " or ") + "?"
			}
		}
		return "; `atoll --help` lists the verbs"
	}
	if cmd, _, findErr := root.Find(args); findErr == nil {
		return "; see `" + cmd.CommandPath() + " --help`"
	}
	return "; see `atoll --help`"
}

// takesNone is the verb of a command line that has no verbs below it: a word behind it is none that was
// misspelt. Nil where there is no such verb.
func takesNone(root *cobra.Command, args []string) *cobra.Command {
	cmd, _, err := root.Find(args)
	if err != nil || cmd == root || cmd.HasSubCommands() {
		return nil
	}
	return cmd
}

// refusal is an error of a command line in words; of a number of arguments that the verb
// does not take it says which it takes, with an example.
func refusal(root *cobra.Command, err error, args []string) string {
	if cmd := takesNone(root, args); cmd != nil && isCobraUsage(err) && strings.HasPrefix(err.Error(), "unknown command") {
		word, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "unknown command "), " for ")
		return fmt.Sprintf("%s takes no argument, and was given %s", strings.TrimPrefix(cmd.CommandPath(), root.Name()+" "), word)
	}
	_, got, counted := strings.Cut(err.Error(), " arg(s), ")
	cmd, _, findErr := root.Find(args)
	if !counted || !isCobraUsage(err) || findErr != nil {
		return message(err)
	}
	name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
	text := fmt.Sprintf("%s takes %s and %s", name, strings.TrimPrefix(cmd.Use, cmd.Name()+" "), strings.TrimPrefix(got, "only "))
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	if example, _, _ = strings.Cut(example, "   "); strings.HasPrefix(example, root.Name()+" ") {
		text += ", an example: `" + example + "` (" + strings.ToLower(cmd.Short[:1]) + cmd.Short[1:] + ")"
	}
	return text
}

// message is the error in words for people.
func message(err error) string {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
	}
	name, value := invalid.GetFlag().Name, invalid.GetValue()
	var number *strconv.NumError
	large := errors.As(err, &number) && errors.Is(number.Err, strconv.ErrRange)
	switch kind := invalid.GetFlag().Value.Type(); {
	case kind == "duration":
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			return fmt.Sprintf("--%s %s has no unit: write %[2]ss for seconds, %[2]sm for minutes or %[2]sh for hours", name, value)
		}
		return fmt.Sprintf("--%s %s is no duration: write 30s, 5m or 1h30m", name, value)
	case large:
		return fmt.Sprintf("--%s %s is too large", name, value)
	case strings.HasPrefix(kind, "uint"):
		return fmt.Sprintf("--%s takes a whole number from 0 on, not %s", name, shellWord(value))
	case strings.HasPrefix(kind, "int"):
		return fmt.Sprintf("--%s takes a whole number, not %s", name, shellWord(value))
	case strings.HasPrefix(kind, "float"):
		return fmt.Sprintf("--%s takes a number, not %s", name, shellWord(value))
	case kind == "bool":
		return fmt.Sprintf("--%s takes true or false, not %s", name, shellWord(value))
	}
	return invalid.Error()
}

func exitCode(err error) int {
	var problems config.Problems
	var refusal *gitops.Refusal
	switch {
	case errors.Is(err, errUsage), errors.As(err, &problems), errors.As(err, &refusal), errors.Is(err, engine.ErrFrozen),
		errors.Is(err, engine.ErrNoExperiment), errors.Is(err, fold.ErrDecision), errors.Is(err, store.ErrNotFound), errors.Is(err, gitops.ErrBranch), errors.Is(err, campaign.ErrTask), errors.Is(err, campaign.ErrNoTask),
		isCobraUsage(err):
		return exitUsage
	}
	return exitFailed
}

// isCobraUsage recognises the errors that the command line library makes
// itself; it has no type for them.
func isCobraUsage(err error) bool {
	for _, s := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires ", "invalid argument", "flag needs an argument"} {
		if strings.HasPrefix(err.Error(), s) {
			return true
		}
	}
	return false
}

func usage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...))
}

func (a *App) root() *cobra.Command {
	var con consoleFlags
	var version bool
	root := &cobra.Command{
		Use:           "atoll",
		Short:         "Evolve a git repository by quality-diversity search and watch it happen",
		Long:          "atoll evolves a whole git repository by quality-diversity search: it keeps an archive of the\nbest commits for each kind of solution, has agents write new ones from them, measures every\none with your evaluator, and shows it live. Without a verb it opens the console.",
		Example:       "  atoll demo                 watch an example evolve\n  atoll init && atoll run    your own repository",
		SilenceErrors: true, SilenceUsage: true,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return a.printVersion()
			}
			return a.console(cmd.Context(), con)
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.Flags().BoolVar(&con.readonly, "read-only", false, "a console that cannot decide anything")
	root.Flags().BoolVar(&version, "version", false, "what atoll version prints")
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.repo, "repo", "C", "", "the repository (default: the one here)")
	f.StringVar(&a.flags.state, "state", "", "state directory (default: atoll/ in the repository's git directory)")
	f.StringVar(&a.flags.experiment, "experiment", "", "name or number of the experiment (default: the latest)")
	f.StringVar(&a.flags.file, "config", "", "configuration file (default: atoll.yaml in the repository)")
	f.BoolVar(&a.flags.json, "json", false, "print data as JSON")
	f.StringArrayVar(&a.flags.set, "set", nil, "a configuration value, e.g. evaluator.timeout=30s (repeatable)")
	f.StringVar(&a.flags.color, "color", "auto", "auto, always or never")
	for _, g := range []cobra.Group{{ID: "run", Title: "Run and watch:"}, {ID: "look", Title: "Look:"}, {ID: "steer", Title: "Steer:"}, {ID: "setup", Title: "Set up:"}} {
		root.AddGroup(&g)
	}
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("run", a.demoCmd(), a.runCmd(), a.serveCmd(), a.mcpCmd(), a.campaignCmd(), a.backlogCmd(), a.workerCmd(), a.simulateCmd())
	add("look", a.statusCmd(), a.experimentsCmd(), a.compareCmd(), a.replayCmd(), a.candidatesCmd(), a.nichesCmd(), a.frontCmd(), a.jobsCmd(), a.targetsCmd(), a.notesCmd(), a.eventsCmd(), a.showCmd(), a.diffCmd(), a.bestCmd(), a.whyCmd(), a.reportCmd(), a.exportCmd(), a.auditCmd(), a.fleetCmd())
	add("steer", a.steerCmds()...)
	add("setup", a.initCmd(), a.configCmd(), a.doctorCmd(), a.pluginCmd(), a.repairCmd(), a.gcCmd(), a.importCmd(), a.backupCmd(), a.benchCmd())
	root.AddCommand(a.versionCmd(), a.watchCmd())
	return root
}

// getenv returns a variable of the app's environment.
func (a *App) getenv(name string) string {
	value := ""
	for _, kv := range a.Env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// who signs decisions: the name that a person goes by in git where there is
// one, else the account. The root of an experiment is a commit, so that the
// account of that name is told as one.
func (a *App) who() string {
	name := a.name()
	if name == "root" {
		return "user root"
	}
	return name
}

func (a *App) name() string {
	for _, name := range []string{"ATOLL_USER", "GIT_AUTHOR_NAME"} {
		if v := a.getenv(name); v != "" {
			return v
		}
	}
	if a.has("git") {
		cmd := exec.Command("git", "config", "--get", "user.name")
		cmd.Dir, cmd.Env = a.Dir, a.Env
		if out, err := cmd.Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
			return view.CleanLine(string(bytes.TrimSpace(out)))
		}
	}
	for _, name := range []string{"USER", "LOGNAME"} {
		if v := a.getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid " + strconv.Itoa(os.Getuid())
}
