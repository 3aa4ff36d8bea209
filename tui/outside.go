package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/plot"
)

// texter is a pane with a text that pager and editor can show.
type texter interface{ plain() string }

func (p *candidatePane) plain() string { return p.d1.plain() }
func (p *reviewPane) plain() string    { return p.d1.plain() }

// pager shows the whole text in $PAGER. Control sequences are gone from it.
func (a *app) pager() tea.Cmd {
	t, ok := a.current().(texter)
	if !ok {
		return a.warn("there is no text here")
	}
	args := program(a.d.opt.Env, []string{"PAGER"}, "less -R")
	cmd := a.foreground(args)
	cmd.Stdin = strings.NewReader(t.plain())
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			return doneMsg{err: fmt.Errorf("pager %s: %w; set PAGER to another program", args[0], err)}
		}
		return doneMsg{}
	})
}

// editor opens the text in $EDITOR; changes are not taken back.
func (a *app) editor() tea.Cmd {
	t, ok := a.current().(texter)
	if !ok {
		return a.warn("there is no text here")
	}
	return a.edit("atoll-*.txt", t.plain(), nil)
}

// foreground is a program that gets the terminal itself, which the console's
// own output is not, until the person ends it.
func (a *app) foreground(args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = a.d.opt.Env, a.d.opt.Output, a.d.opt.Output
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
	then func(a *app, text string) tea.Cmd
}

// edit writes text to a private file, opens it in the editor and hands back
// what is in it afterwards. The file is removed.
func (a *app) edit(pattern, text string, then func(a *app, text string) tea.Cmd) tea.Cmd {
	return guard("editor", func() tea.Msg {
		f, err := os.CreateTemp("", pattern)
		if err != nil {
			return doneMsg{err: fmt.Errorf("a file for the editor: %w", err)}
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(f.Name())
			return doneMsg{err: fmt.Errorf("a file for the editor: %w", err)}
		}
		return editMsg{f.Name(), then}
	})
}

// editedMsg is what came out of the editor.
type editedMsg struct {
	text string
	then func(a *app, text string) tea.Cmd
}

func (a *app) openEditor(m editMsg) tea.Cmd {
	args := program(a.d.opt.Env, []string{"VISUAL", "EDITOR"}, "vi")
	cmd := a.foreground(append(args, m.path))
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(m.path)
		if err != nil {
			return doneMsg{err: fmt.Errorf("editor %s: %w; set EDITOR to another program", args[0], err)}
		}
		if m.then == nil {
			return doneMsg{}
		}
		data, err := os.ReadFile(m.path)
		if err != nil {
			return doneMsg{err: fmt.Errorf("reading back what was edited: %w", err)}
		}
		return editedMsg{strings.TrimSpace(string(data)), m.then}
	})
}

// editGoal opens the goal in the editor, or in a line here when the terminal
// names none.
func (a *app) editGoal() tea.Cmd {
	old := a.panes[paneNotes].(*notesPane).goalText()
	save := func(a *app, text string) tea.Cmd {
		if text == strings.TrimSpace(old) {
			return a.say("the goal is as it was", false)
		}
		return a.decide("the goal changed", true, setting("goal", text))
	}
	if lookupEnv(a.d.opt.Env, "VISUAL") == "" && lookupEnv(a.d.opt.Env, "EDITOR") == "" {
		return a.push(newPrompt("Goal", "What the agents are to reach. With EDITOR set it opens there.", old, save))
	}
	return a.edit("atoll-goal-*.md", old+"\n", save)
}

// copyMenu offers what can be copied of the selected object.
func (a *app) copyMenu() tea.Cmd {
	s := a.current().sel()
	var items []item
	add := func(title, text string) {
		if text != "" {
			items = append(items, item{title: title, note: text, run: func(a *app) tea.Cmd { return a.clip(title, text) }})
		}
	}
	if s.cand >= 0 {
		items = append(items, item{title: "commit", note: "of " + s.cand.String(), run: func(a *app) tea.Cmd {
			r := a.d.opt.Reader
			return a.act("commit", func(ctx context.Context) doneMsg {
				c, err := r.Candidate(ctx, s.cand)
				if err != nil {
					return doneMsg{err: err}
				}
				return doneMsg{text: "copied the commit of " + s.cand.String(), then: tea.SetClipboard(c.Candidate.Commit.String())}
			})
		}})
		add("candidate", s.cand.String())
	}
	if s.job >= 0 {
		add("job", s.job.String())
	}
	if s.cell >= 0 {
		add("niche", niche(&a.d.snap.Grid, s.cell))
	}
	if p, ok := a.current().(*candidatePane); ok && p.detail != nil {
		if data, err := json.Marshal(p.detail.Candidate.Metrics); err == nil {
			add("metrics", string(data))
		}
		for _, b := range p.detail.Branches {
			add("branch", b)
		}
	}
	if t, ok := a.current().(texter); ok {
		text := t.plain()
		items = append(items, item{title: "this text", note: plural(strings.Count(text, "\n"), "line", "lines"), run: func(a *app) tea.Cmd { return a.clip("the text", text) }})
	}
	if ctl := a.d.opt.Controller; ctl != nil && s.cand > 0 {
		items = append(items, item{title: "patch", note: "difference to the root, for git apply", run: func(a *app) tea.Cmd {
			return a.act("patch", func(ctx context.Context) doneMsg {
				data, err := ctl.Patch(ctx, s.cand)
				return doneMsg{text: fmt.Sprintf("copied the patch of %s, %d bytes", s.cand, len(data)), err: err, then: tea.SetClipboard(string(data))}
			})
		}})
	}
	return a.push(newMenu("Copy", items))
}

// clip puts text on the clipboard by OSC 52, which works over ssh.
func (a *app) clip(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), a.say("copied "+what, false))
}

func splitLines(s string) []string {
	lines, _ := plot.CleanLines(s, 500)
	return lines
}
