package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/steer"
	"atoll/tui/widget"
)

// outside is what leaves the screen: programs that get the terminal for a
// while, and the clipboard.
type outside struct {
	host   outsideHost
	act    *steer.Actions
	env    []string
	output io.Writer
	tool   func(a, b record.Hash) []string // shows a difference; nil: there is none
	verb   func(args ...string) []string   // this program with a verb; nil: there is none
	remote bool                            // the person is on another machine
}

// outsideHost is what they ask of the console.
type outsideHost interface {
	pane.Host
	Warn(text string) tea.Cmd
}

// Edit opens a text in the editor, or in a line here when the terminal names
// none.
func (o *outside) Edit(title, hint, text string, then func(text string) tea.Cmd) tea.Cmd {
	if o.remote || lookupEnv(o.env, "VISUAL") == "" && lookupEnv(o.env, "EDITOR") == "" {
		return o.host.Ask(widget.NewPrompt(title, hint, text, then))
	}
	return o.edit("atoll-*.md", text+"\n", then)
}

// pager shows the whole text in $PAGER. Control sequences are gone from it.
func (o *outside) pager() tea.Cmd {
	t, ok := o.host.Current().(pane.Texter)
	if !ok {
		return o.host.Warn("there is no text here")
	}
	args := program(o.env, []string{"PAGER"}, "less -R")
	cmd := o.foreground(args)
	cmd.Stdin = strings.NewReader(t.Text())
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			return steer.Done{Err: fmt.Errorf("pager %s: %w; set PAGER to another program", args[0], err)}
		}
		return steer.Done{}
	})
}

// editor opens the text in $EDITOR; changes are not taken back.
func (o *outside) editor() tea.Cmd {
	t, ok := o.host.Current().(pane.Texter)
	if !ok {
		return o.host.Warn("there is no text here")
	}
	return o.edit("atoll-*.txt", t.Text(), nil)
}

// verifier runs the verb that verifies and writes a branch, on the terminal: it
// takes a while and tells its steps. nil where this program cannot be called.
func (o *outside) verifier() func(id record.CandidateID, branch string) tea.Cmd {
	if o.verb == nil {
		return nil
	}
	return func(id record.CandidateID, branch string) tea.Cmd {
		return o.spoken(o.verb("promote", id.String(), "--verify", "--branch", branch), "added branch "+branch+", verified")
	}
}

// spoken gives the terminal to this program with a verb until the person has read what
// it said.
func (o *outside) spoken(args []string, said string) tea.Cmd {
	cmd := o.foreground(args)
	heard := &tail{to: o.output}
	cmd.Stdout, cmd.Stderr = heard, heard // one pipe: what it says stays in order
	return tea.Exec(&readOut{Cmd: cmd}, func(err error) tea.Msg {
		if err != nil {
			return steer.Done{Err: heard.reason(err)}
		}
		return steer.Done{Text: said, Logged: true}
	})
}

// tail passes on what a program writes and keeps the end of it.
type tail struct {
	to   io.Writer
	last []byte
}

// tailKept is how much of a program's output is kept, in bytes.
const tailKept = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	if n := len(t.last) - tailKept; n > 0 {
		t.last = t.last[n:]
	}
	return t.to.Write(p)
}

// reason is why a verb of this program ended with an error, as it said itself.
func (t *tail) reason(err error) error {
	lines := strings.Split(string(t.last), "\n")
	for _, line := range slices.Backward(lines) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), "atoll: "); ok {
			return errors.New(plot.Clean(said))
		}
	}
	return fmt.Errorf("the verification ended without saying why (%w); the log tells whether a branch was written", err)
}

// foreground is a program that gets the terminal itself, which the console's
// own output is not, until the person ends it.
func (o *outside) foreground(args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = o.env, o.output, o.output
	return cmd
}

// program splits the first variable that is set, else the default.
func program(env, names []string, fallback string) []string {
	for _, n := range names {
		if args := strings.Fields(lookupEnv(env, n)); len(args) > 0 {
			return args
		}
	}
	return strings.Fields(fallback)
}

// editMsg says that a file is ready to be edited.
type editMsg struct {
	path string
	then func(text string) tea.Cmd
}

// edit writes text to a private file, opens it in the editor and hands back
// what is in it afterwards. The file is removed.
func (o *outside) edit(pattern, text string, then func(text string) tea.Cmd) tea.Cmd {
	return pane.Guard("editor", func() tea.Msg {
		f, err := os.CreateTemp("", pattern)
		if err != nil {
			return steer.Done{Err: fmt.Errorf("a file for the editor: %w", err)}
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(f.Name())
			return steer.Done{Err: fmt.Errorf("a file for the editor: %w", err)}
		}
		return editMsg{f.Name(), then}
	})
}

// editedMsg is what came out of the editor.
type editedMsg struct {
	text string
	then func(text string) tea.Cmd
}

func (o *outside) openEditor(m editMsg) tea.Cmd {
	args := program(o.env, []string{"VISUAL", "EDITOR"}, "vi")
	cmd := o.foreground(append(args, m.path))
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(m.path)
		if err != nil {
			return steer.Done{Err: fmt.Errorf("editor %s: %w; set EDITOR to another program", args[0], err)}
		}
		if m.then == nil {
			return steer.Done{}
		}
		data, err := os.ReadFile(m.path)
		if err != nil {
			return steer.Done{Err: fmt.Errorf("reading back what was edited: %w", err)}
		}
		return editedMsg{strings.TrimSpace(string(data)), m.then}
	})
}

// copyMenu offers what can be copied of the selected object.
func (o *outside) copyMenu() tea.Cmd {
	s := o.host.Current().Selected()
	var items []widget.Item
	add := func(title, text string) {
		if text != "" {
			items = append(items, widget.Item{Title: title, Note: text, Run: func() tea.Cmd { return o.clip(title, text) }})
		}
	}
	if s.Candidate >= 0 {
		items = append(items, widget.Item{Title: "commit", Note: "of " + s.Candidate.String(), Run: func() tea.Cmd {
			r := o.act.D.Reader
			return o.act.Act("commit", func(ctx context.Context) steer.Done {
				c, err := r.Candidate(ctx, s.Candidate)
				if err != nil {
					return steer.Done{Err: err}
				}
				return steer.Done{Text: "copied the commit of " + s.Candidate.String(), Then: tea.SetClipboard(c.Candidate.Commit.String())}
			})
		}})
		add("candidate", s.Candidate.String())
	}
	if s.Job >= 0 {
		add("job", s.Job.String())
	}
	if s.Cell >= 0 {
		add("niche", pane.Niche(&o.act.D.Snap.Grid, s.Cell))
	}
	if p, ok := o.host.Current().(pane.Copier); ok {
		for _, c := range p.Copies() {
			add(c[0], c[1])
		}
	}
	if t, ok := o.host.Current().(pane.Texter); ok {
		text := t.Text()
		items = append(items, widget.Item{Title: "this text", Note: widget.Plural(strings.Count(text, "\n"), "line", "lines"), Run: func() tea.Cmd { return o.clip("the text", text) }})
	}
	if ctl := o.act.Ctl; ctl != nil && s.Candidate > 0 {
		items = append(items, widget.Item{Title: "patch", Note: "difference to the root, for git apply", Run: func() tea.Cmd {
			return o.act.Act("patch", func(ctx context.Context) steer.Done {
				data, err := ctl.Patch(ctx, s.Candidate)
				return steer.Done{Text: fmt.Sprintf("copied the patch of %s, %d bytes", s.Candidate, len(data)), Err: err, Then: tea.SetClipboard(string(data))}
			})
		}})
	}
	return o.host.Ask(widget.NewMenu("Copy", items))
}

// clip puts text on the clipboard by OSC 52, which works over ssh.
func (o *outside) clip(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), o.host.Say("copied "+what, false))
}

// difftool shows the present difference in the program that git is set to.
func (o *outside) difftool() tea.Cmd {
	v := o.host.Current().(pane.Differ).Diff()
	r, from, to := o.act.D.Reader, v.Against(), v.Candidate
	tool := o.tool
	return o.act.Act("difftool", func(ctx context.Context) steer.Done {
		var hashes [2]record.Hash
		for i, id := range [...]record.CandidateID{from, to} {
			c, err := r.Candidate(ctx, id)
			if err != nil {
				return steer.Done{Err: err}
			}
			hashes[i] = c.Candidate.Commit
		}
		args := tool(hashes[0], hashes[1])
		cmd := o.foreground(args)
		return steer.Done{Then: tea.ExecProcess(cmd, func(err error) tea.Msg {
			if err != nil {
				return steer.Done{Err: fmt.Errorf("%s: %w; set one with git config diff.tool", strings.Join(args[:min(len(args), 1)], " ")+" difftool", err)}
			}
			return steer.Done{}
		})}
	})
}

func (o *outside) needDifftool() string {
	h, ok := o.host.Current().(pane.Differ)
	switch {
	case !ok || h.Diff().Candidate < 0 || h.Diff().Against() < 0:
		return "there is no difference here"
	case o.tool == nil:
		return "git is not at hand"
	}
	return ""
}

func (o *outside) needVerb() string {
	if o.verb == nil {
		return "this program cannot be called from here"
	}
	return ""
}

// report asks where the program is to write its report.
func (o *outside) report() tea.Cmd {
	p := widget.NewPrompt("Report as one HTML file", "A file that exists is written anew.", o.act.D.Snap.Experiment.Name+"-report.html", func(path string) tea.Cmd {
		if !filepath.IsAbs(path) && o.act.Dir != "" {
			path = filepath.Join(o.act.Dir, path)
		}
		return o.writeReport(path)
	})
	p.Check = widget.NotEmpty("a file needs a name")
	return o.host.Ask(p)
}

func (o *outside) writeReport(path string) tea.Cmd {
	args, env := o.verb("report", "--html", path), o.env
	return o.act.Act("report", func(ctx context.Context) steer.Done {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			return steer.Done{Err: fmt.Errorf("write the report: %w: %s", err, strings.TrimSpace(string(out)))}
		}
		return steer.Done{Text: "wrote " + path}
	})
}

// anew copies the command that begins another experiment: this console shows one.
func (o *outside) anew() tea.Cmd {
	const command = "`atoll run --new`"
	return tea.Batch(tea.SetClipboard(strings.Trim(o.act.D.Told(command), "`")), o.host.Say("copied "+command+": it starts another experiment from your branch as it is now", false))
}

// treeHolder is a pane that knows where a person edits for a job.
type treeHolder interface{ WorkTree() string }

func (o *outside) tree() string {
	if p, ok := o.host.Current().(treeHolder); ok {
		return p.WorkTree()
	}
	return ""
}

func (o *outside) needTree() string {
	if o.tree() == "" {
		return "no person is asked to edit for this job"
	}
	return ""
}

// editTree opens the work tree of a person's job in the editor.
func (o *outside) editTree() tea.Cmd {
	return o.there(append(program(o.env, []string{"VISUAL", "EDITOR"}, "vi"), "."))
}

// shellThere opens a shell in the work tree of a person's job.
func (o *outside) shellThere() tea.Cmd { return o.there(program(o.env, []string{"SHELL"}, "sh")) }

func (o *outside) there(args []string) tea.Cmd {
	cmd := o.foreground(args)
	cmd.Dir = o.tree()
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			return steer.Done{Err: fmt.Errorf("%s in the work tree: %w", args[0], err)}
		}
		return steer.Done{Text: "back from the work tree; a commit there, or the file .atoll-done, ends the job"}
	})
}
