package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
)

// drawnBySearch names the choice that is left to the search.
const drawnBySearch = "drawn by the search"

// startJob queues a job from the selected candidate: operator, agent and goal
// are asked one after the other.
func (a *app) startJob() tea.Cmd {
	job := record.Job{Parent: a.current().sel().cand}
	return a.push(chooser("Job from "+candidateName(job.Parent)+": operator", a.operators(), func(a *app, op string) tea.Cmd {
		job.Operator = record.Operator(op)
		return a.push(chooser("Job from "+candidateName(job.Parent)+": agent", a.agents(), func(a *app, agent string) tea.Cmd {
			job.Agent = agent
			return a.push(newPrompt("Job from "+candidateName(job.Parent)+": goal", "For this job alone; empty keeps the goal of the experiment.", "", func(a *app, goal string) tea.Cmd {
				job.Goal = goal
				return a.decide("queued a job from "+candidateName(job.Parent), false, startDecision(job))
			}))
		}))
	}))
}

func startDecision(job record.Job) record.Decision {
	d := decision(record.StartJob)
	d.Args, _ = json.Marshal(job) // plain data always encodes
	d.Text = words(" ", string(job.Operator), "from "+candidateName(job.Parent), job.Goal)
	return d
}

// chooser is a menu of names with the search's own choice on top.
func chooser(title string, names []string, then func(a *app, name string) tea.Cmd) *menu {
	items := []item{{title: drawnBySearch, run: func(a *app) tea.Cmd { return then(a, "") }}}
	for _, n := range names {
		items = append(items, item{title: n, run: func(a *app) tea.Cmd { return then(a, n) }})
	}
	return newMenu(title, items)
}

// operators and agents are those the experiment knows.
func (a *app) operators() []string {
	var out []string
	for _, y := range a.d.snap.Operators {
		out = append(out, y.Name)
	}
	for name := range a.d.snap.Settings.Operators {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (a *app) agents() []string {
	var out []string
	for _, y := range a.d.snap.Agents {
		out = append(out, y.Name)
	}
	slices.Sort(out)
	return out
}

// export writes the difference between the root and a candidate to a file.
// An existing file is not overwritten.
func (a *app) export() tea.Cmd {
	s := a.current().sel()
	ctl, dir := a.d.opt.Controller, a.d.opt.Dir
	p := newPrompt("Export "+candidateName(s.cand)+" as a patch", "A new file for git apply. An existing file is refused.",
		fmt.Sprintf("%s-%s.patch", a.d.snap.Experiment.Name, s.cand),
		func(a *app, path string) tea.Cmd {
			if !filepath.IsAbs(path) && dir != "" {
				path = filepath.Join(dir, path)
			}
			return a.act("export", func(ctx context.Context) doneMsg {
				data, err := ctl.Patch(ctx, s.cand)
				if err == nil {
					err = writeNew(path, data)
				}
				return doneMsg{text: "wrote " + path + "; try git apply --check", err: err}
			})
		})
	p.check = notEmpty("a file needs a name")
	return a.push(p)
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the patch: %w; name another file", err)
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// difftool shows the present difference in the program that git is set to.
func (a *app) difftool() tea.Cmd {
	v := a.current().(differ).diff()
	r, from, to := a.d.opt.Reader, v.against(), v.cand
	tool := a.d.opt.Difftool
	return a.act("difftool", func(ctx context.Context) doneMsg {
		var hashes [2]record.Hash
		for i, id := range [...]record.CandidateID{from, to} {
			c, err := r.Candidate(ctx, id)
			if err != nil {
				return doneMsg{err: err}
			}
			hashes[i] = c.Candidate.Commit
		}
		args := tool(hashes[0], hashes[1])
		cmd := a.foreground(args)
		return doneMsg{then: tea.ExecProcess(cmd, func(err error) tea.Msg {
			if err != nil {
				return doneMsg{err: fmt.Errorf("%s: %w; set one with git config diff.tool", strings.Join(args[:min(len(args), 1)], " ")+" difftool", err)}
			}
			return doneMsg{}
		})}
	})
}

// askSetting asks for the value of a live setting by a line of text.
func askSetting(key, hint string) func(a *app) tea.Cmd {
	return func(a *app) tea.Cmd {
		s := &a.d.snap.Settings
		now := map[string]string{"workers": fmt.Sprint(s.Workers), "budget.jobs": fmt.Sprint(s.MaxJobs), "budget.cost_usd": fmt.Sprint(s.MaxCostUSD)}[key]
		p := newPrompt(key, hint, now, func(a *app, v string) tea.Cmd {
			return a.decide(key+" = "+v, true, setting(key, v))
		})
		p.check = notEmpty("a value is needed")
		return a.push(p)
	}
}

// chooseGate asks which candidates wait for a person.
func chooseGate(key, title string) func(a *app) tea.Cmd {
	return func(a *app) tea.Cmd {
		var items []item
		for _, c := range [...][2]string{{"off", "nothing waits"}, {"risky", "findings of the gate, large changes, files never touched before, a new best"}, {"all", "every candidate waits"}} {
			items = append(items, item{title: c[0], note: c[1], run: func(a *app) tea.Cmd {
				return a.decide(key+" = "+c[0], true, setting(key, c[0]))
			}})
		}
		return a.push(newMenu(title, items))
	}
}
