package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atoll/config"
	"atoll/engine/sandbox"
	"atoll/engine/survey"
	"atoll/engine/view"
	"atoll/gitops"
)

// initFlags are those of init.
type initFlags struct {
	force     bool
	yes       bool
	noMeasure bool
	unsafe    bool
}

func (a *App) initCmd() *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use: "init [PATH]", Short: "Look at a repository, measure it once, and write a commented atoll.yaml",
		Long: "init looks for benchmarks, make targets, scripts and tests, runs what it found on the committed\n" +
			"root in the sandbox, and derives output, objective, direction, timeout, map axes and budget from\n" +
			"what it saw. Files that the evaluator opened and that define the task become protected. What it\n" +
			"cannot tell it asks in a terminal: which of several ways to measure comes first, whether the time of\n" +
			"functions or of the tests may stand in where nothing was found that measures, which way is better\n" +
			"where the name of the objective does not say it, whether a file that the evaluator reads defines the\n" +
			"task where that is open, and at ctrl+c whether to write what was measured. Where all of that is plain\n" +
			"it asks nothing. With --yes, or without a terminal, it marks what it guessed with CHECK. Where nothing\n" +
			"that it found measures, the file names no evaluator, and the exit code is 1.",
		Example: "  atoll init\n  atoll init --yes ../my-project\n  atoll init --no-measure     look only, run nothing", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				a.flags.repo = args[0]
			}
			return a.init(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVar(&f.force, "force", false, "write over an atoll.yaml that is there")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "ask nothing: take what is proposed")
	cmd.Flags().BoolVar(&f.noMeasure, "no-measure", false, "look only, run nothing")
	cmd.Flags().BoolVar(&f.unsafe, "unsafe", false, "measure without a sandbox where none works (sandbox.mode: unsafe)")

	return cmd
}

// watchCmd is what runs inside the sandbox while the root is measured; no verb
// for people.
func (a *App) watchCmd() *cobra.Command {
	return &cobra.Command{
		Use: survey.WatchVerb, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			os.Exit(survey.WatchOpens(args))
			return nil
		},
	}
}

func (a *App) init(ctx context.Context, f initFlags) error {
	target, err := gitops.Inspect(ctx, a.abs(a.flags.repo))
	if err != nil {
		return err
	}
	if target.Bare {
		return usage("%s has no work tree; commit an atoll.yaml from a clone of it", target.Path)
	}
	if folder := belowTop(target.Path, a.abs(a.flags.repo)); folder != "" {
		a.tell("%s is a folder of %s: init always works on the top, and so does a search", view.CleanLine(folder), view.CleanLine(target.Path))
	}
	path := filepath.Join(target.Path, config.FileName)
	if _, err := os.Stat(path); err == nil && !f.force {
		return usage("%s is there already; look at it with `%s`, or write it anew with --force", path, a.says("config explain"))
	}
	if dir := filepath.Join(target.Path, survey.EvaluatorDir); !f.force && !f.noMeasure {
		if _, err := os.Stat(dir); err == nil {
			return usage("%s of an earlier init is there already; take it away, or write it anew with --force", dir)
		}
	}
	if text := dirtyText(ctx, target); text != "" {
		a.tell("%s: init looks at the commit, without them, and so does a search", text)
	}
	found, err := a.survey(ctx, target, f)
	if err != nil {
		return err
	}
	if err := writeScaffold(target.Path, found.Scaffold); err != nil {
		return err
	}
	if err := os.WriteFile(path, config.Template(found.Detected), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if found.Scaffold != nil {
		a.tell("wrote %s", view.CleanLine(filepath.Join(target.Path, survey.EvaluatorDir)))
	}
	a.tell("wrote %s", view.CleanLine(path))
	if len(found.Evaluator) == 0 {
		next := "name a program that measures in evaluator.command, its metric in evaluator.objective and which way is better in evaluator.direction, then `atoll doctor --deep`"
		a.tell("next  %s", a.spell(cmp.Or(found.Next, next)))
		return fmt.Errorf("%s names no evaluator yet, so a search cannot begin with it", config.FileName)
	}
	if found.Each > 0 {
		try := survey.TryTime(found.Each)
		a.tell("`%s`: %s", a.says("run --for "+try.String()), candidatesIn(try, found.Each, config.Defaults().Workers))
	}
	a.tell("next  read it, then `%s` and `%s`", a.says("doctor --deep"), a.says("run"))
	if found.Cut != "" && errors.Is(context.Cause(ctx), errInterrupted) {
		return errInterrupted
	}
	return nil
}

// belowTop is a folder below the top of a work tree, relative to that; "" for the top itself.
func belowTop(top, dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(top); err == nil {
		top = resolved
	}
	rel, err := filepath.Rel(top, real)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return rel
}

// tell prints one line for people; with --json nothing but data is printed.
func (a *App) tell(format string, args ...any) {
	w := a.Out
	if a.flags.json {
		w = a.Err
	}
	fmt.Fprintln(w, folded(fmt.Sprintf(format, args...), a.width(w)))
}

// survey looks at the committed files, and measures them unless told not to.
func (a *App) survey(ctx context.Context, target gitops.Target, f initFlags) (survey.Result, error) {
	inTree, err := listFiles(target.Path)
	if err != nil {
		return survey.Result{}, err
	}
	read := func(p string) ([]byte, error) { return os.ReadFile(filepath.Join(target.Path, p)) }
	look := config.Detect(withoutOurs(inTree), read)
	if f.noMeasure {
		return survey.Result{Detected: look}, nil
	}
	box, err := a.surveyBox(ctx, f)
	if err != nil {
		a.tell("nothing was measured: %v", err)
		return survey.Result{Detected: look}, nil
	}
	defer box.Close()
	exe, err := os.Executable()
	if err != nil {
		return survey.Result{}, fmt.Errorf("find this program: %w", err)
	}
	d := a.doing()
	defer d.end()
	d.begin("taking the committed files of " + target.Path)
	lab, err := survey.OpenLab(ctx, box, target, "HEAD", exe)
	if err != nil {
		return survey.Result{}, err
	}
	defer lab.Close()
	a.uncommitted(look, lab.Files)
	committed := config.Detect(withoutOurs(lab.Files), lab.Read)
	committed.Name = look.Name
	o := survey.Options{Lab: lab, Look: committed, Env: a.Env, Tree: target.Path, Doing: d.begin, Say: func(s string) { d.aside(func() { a.tell("  %s", a.spell(s)) }) }}
	if dir := filepath.Join(target.Path, "node_modules"); !slices.ContainsFunc(lab.Files, func(f string) bool { return strings.HasPrefix(f, "node_modules/") }) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			o.Modules = dir
		}
	}
	o.Origin = a.origin(ctx, target)
	o.Pythons = pythons(target.Path, a.getenv("PATH"))
	if in := a.answers(f); in != nil {
		ask := a.question(ctx, in)
		o.Ask = func(question string, proposed bool) bool {
			d.rest()
			return ask(question, proposed)
		}
	}
	found, err := survey.Run(ctx, o)
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return found, a.interruptedInit(ctx, d, f, err)
	}
	if errors.Is(err, survey.ErrNothing) {
		a.tell("%v", err)
		found.Evaluator, found.Adapter = nil, ""
		return found, nil
	}
	return found, err
}

// interruptedInit has what was measured before an interruption written, where there is something and a person
// does not object, else it is an error.
func (a *App) interruptedInit(ctx context.Context, d *doing, f initFlags, err error) error {
	if err != nil {
		d.tell(a.spell("interrupted while " + d.now() + "; no objective was measured yet, so nothing is written, and another init begins anew. `atoll init --no-measure` writes what the files tell: name what measures in evaluator.command, and tests that are quick enough in evaluator.stages, then `atoll doctor --deep`"))
		return err
	}
	d.rest()
	in := a.answers(f)
	if in == nil || a.question(context.WithoutCancel(ctx), in)("write "+config.FileName+" from what was measured so far?", true) {
		return nil
	}
	return errInterrupted
}

// origin is where a repository was cloned from, as host/owner/name; "" where it is no such address.
func (a *App) origin(ctx context.Context, target gitops.Target) string {
	r, err := gitops.RemoteOf(ctx, target, "origin", a.Env)
	if err != nil || !strings.Contains(r.Host, ".") || strings.Count(r.Path, "/") != 1 {
		return ""
	}
	return r.Host + "/" + r.Path
}

// withoutOurs are files of the repository without the evaluator that an earlier init wrote: it is
// made anew, and measures nothing by itself.
func withoutOurs(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return strings.HasPrefix(f, survey.EvaluatorDir+"/") })
}

// pythons are the interpreters that tests may run with: that of a virtual environment in
// the work tree, python3 of PATH, and others behind it on PATH.
func pythons(tree, search string) []string {
	var list []string
	for _, dir := range []string{".venv", "venv", "env"} {
		if found, err := exec.LookPath(filepath.Join(tree, dir, "bin", "python3")); err == nil {
			list = append(list, found)
		}
	}
	list = append(list, "python3")
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(search) {
		found, err := exec.LookPath(filepath.Join(dir, "python3"))
		if err != nil || !filepath.IsAbs(found) {
			continue
		}
		real, err := filepath.EvalSymlinks(found)
		if err == nil && len(seen) > 0 && !seen[real] { // the first is python3
			list = append(list, found)
		}
		seen[real] = true
	}
	return list
}

func (a *App) surveyBox(ctx context.Context, f initFlags) (*sandbox.Box, error) {
	mode := sandbox.ModeAuto
	if f.unsafe {
		mode = sandbox.ModeUnsafe
	}
	box, err := sandbox.New(ctx, sandbox.Options{Mode: mode, Now: a.Now})
	if err != nil {
		return nil, fmt.Errorf("%w; `%s` says what is missing, --unsafe measures without", err, a.says("doctor"))
	}
	return box, nil
}

// uncommitted names evaluators of the work tree that the root does not have.
func (a *App) uncommitted(look config.Detected, committed []string) {
	var missing []string
	found := []string{look.Found}
	for _, c := range look.Others {
		found = append(found, c.Found)
	}
	for _, name := range found {
		if name != "" && !slices.Contains(committed, name) && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		var words []string
		for _, name := range missing {
			words = append(words, shellWord(name))
		}
		a.tell("  %s is not committed, so the root does not have it: git add %s && git commit, then init again", view.CleanLine(strings.Join(missing, ", ")), strings.Join(words, " "))
	}
}

// answers is where a person answers from; nil: nobody is asked.
func (a *App) answers(f initFlags) *bufio.Reader {
	if f.yes || a.flags.json || !a.IsTTY(a.Out) {
		return nil
	}
	if in, ok := a.In.(*os.File); !ok || !a.IsTTY(in) {
		return nil
	}
	return bufio.NewReader(a.In)
}

// question puts a yes-or-no question; an empty answer, or none, is the proposed one.
func (a *App) question(ctx context.Context, in *bufio.Reader) func(string, bool) bool {
	return func(question string, proposed bool) bool {
		choice := "[y/N]"
		if proposed {
			choice = "[Y/n]"
		}
		fmt.Fprint(a.Out, folded(question+" "+choice, a.width(a.Out)-1), " ")
		line, err := readLine(ctx, in)
		if err != nil {
			fmt.Fprintln(a.Out)
			return proposed
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true
		case "n", "no":
			return false
		}
		return proposed
	}
}

// writeScaffold writes the evaluator that init made.
func writeScaffold(top string, files map[string]string) error {
	if files == nil {
		return nil
	}
	dir := filepath.Join(top, survey.EvaluatorDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the evaluator directory: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the evaluator: %w", err)
		}
	}
	return nil
}

// listedFiles bounds the look at a repository.
const listedFiles = 20000

var errEnough = errors.New("enough")

func listFiles(root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not looked at
		}
		if d.IsDir() {
			if name := d.Name(); path != root && (name == ".git" || name == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if out = append(out, filepath.ToSlash(rel)); len(out) >= listedFiles {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}
