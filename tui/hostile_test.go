package tui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/steer"
	"atoll/tui/tuitest"
)

var onlySGR = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// hostile is what a candidate, an agent or an evaluator could put into any
// text: escape sequences, a title, the clipboard, a link, bells, carriage
// returns, directions, characters without width, bytes that are no UTF-8.
const hostile = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[31mred\u202Eevil\u200B\tx\r\n\x9b31m\u009d8;;http://x\x07\a\b\u2066\u200D\xff\xfe\U000E0041z"

// huge is a line of a megabyte with the same inside.
var huge = hostile + strings.Repeat("evil\x1b[5m\u202E ", 1<<16) + hostile

// poison replaces every string below v, keys of maps included.
func poison(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), text)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				poison(v.Field(i), text)
			}
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String || v.IsNil() {
			return
		}
		for _, k := range v.MapKeys() {
			val := v.MapIndex(k)
			v.SetMapIndex(k, reflect.Value{})
			v.SetMapIndex(reflect.ValueOf(text).Convert(k.Type()), val)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]byte]() {
			v.SetBytes([]byte(text))
			return
		}
		for i := range v.Len() {
			poison(v.Index(i), text)
		}
	case reflect.String:
		switch v.Type() {
		case reflect.TypeFor[record.JobState](), reflect.TypeFor[record.Role](), reflect.TypeFor[record.ExperimentState]():
			return // these steer what is shown
		}
		if s := v.String(); s != "maximize" && s != "long" {
			v.SetString(text)
		}
	}
}

// harmless fails when a frame of w x h cells holds anything but text and
// colours.
func harmless(t *testing.T, name, frame string, w, h int) {
	t.Helper()
	exact(t, name, frame, w, h)
	rest := onlySGR.ReplaceAllString(frame, "")
	for _, c := range rest {
		if c < 0x20 && c != '\n' || c >= 0x7f && c < 0xa0 || c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2060 && c <= 0x206f || c >= 0xe0000 && c < 0xe1000 {
			t.Fatalf("%s: %U reaches the screen", name, c)
		}
	}
	for _, inside := range []string{"owned", "b3duZWQ", "http://x"} {
		if strings.Contains(rest, inside) {
			t.Fatalf("%s: the inside of a control sequence reaches the screen: %s", name, inside)
		}
	}
}

func TestHostileTextsReachNoScreen(t *testing.T) {
	for _, c := range []struct {
		name, text string
		w, h       int
	}{{"short", hostile, 140, 40}, {"short", hostile, 60, 16}, {"short", hostile, 80, 24}, {"a megabyte", huge, 140, 40}, {"a megabyte", huge, 80, 24}} {
		t.Run(fmt.Sprintf("%s at %dx%d", c.name, c.w, c.h), func(t *testing.T) {
			s := tuitest.Snapshot(8)
			poison(reflect.ValueOf(s).Elem(), c.text)
			r := newRig(t, s, c.w, c.h, func(o *Options) { o.Reader = &poisoned{tuitest.Reader{Snap: s}, c.text} })
			shown := map[pane.ID]bool{}
			check := func(name string) {
				t.Helper()
				frame := r.app.frame()
				harmless(t, name, frame, c.w, c.h)
				for _, l := range strings.Split(onlySGR.ReplaceAllString(frame, ""), "\n")[headerLines:] {
					if strings.Contains(l, "red") || strings.Contains(l, "evil") {
						shown[r.app.at.current()] = true
					}
				}
			}
			allScreens(r, check)
			for id := pane.Niches; id <= pane.Candidates; id++ {
				if !shown[id] && id != pane.Curves { // the curves show no foreign text below the header
					t.Errorf("screen %d shows no hostile text: this test says nothing about it", id)
				}
			}
			for i := range 8 { // every text of a job
				r.app.at.stack = nil
				r.run(r.app.open(pane.Job))
				r.keys("]")
				check(fmt.Sprint("text of a job ", i))
			}
			for _, k := range []string{"?", ":", "y", "x", "M", "I"} {
				r.app.at.stack, r.app.at.focus = nil, pane.Review
				r.keys(k)
				check("dialog " + k)
				r.app.dialogs = nil
			}
			r.app.at.stack = nil
			r.keys("8", "e")
			check("the goal in a line")
			r.app.dialogs = nil
			r.app.at.stack = nil
			r.keys("/")
			r.app.paste(tea.PasteMsg{Content: c.text})
			check("a filter")
			r.keys("esc")
			if title := r.app.View().WindowTitle; strings.ContainsAny(title, "\x1b\x07\u009b") {
				t.Errorf("the window title carries control characters: %q", title)
			}
		})
	}
}

func TestHostileErrorsAreText(t *testing.T) {
	s := tuitest.Snapshot(8)
	r := newRig(t, s, 120, 36, func(o *Options) { o.Reader = &failing{text: huge} })
	r.ctl.Err = errors.New(hostile)
	allScreens(r, func(name string) { harmless(t, name, r.app.frame(), 120, 36) })
	r.keys("f") // refused: a toast
	harmless(t, "a refused decision", r.app.frame(), 120, 36)
	r.send(steer.Done{Err: errors.New(huge)})
	harmless(t, "a toast", r.app.frame(), 120, 36)
	r.send(steer.Done{Text: huge})
	harmless(t, "a toast that says what was done", r.app.frame(), 120, 36)
	bad := *s
	bad.Fatal, bad.Reason, bad.Version = huge, hostile, s.Version+1
	r.send(snapMsg{&bad})
	harmless(t, "an engine that stopped", r.app.frame(), 120, 36)
}

// failing answers every question with an error.
type failing struct {
	tuitest.Reader
	text string
}

func (f *failing) Job(context.Context, record.JobID) (view.JobDetail, error) {
	return view.JobDetail{}, errors.New(f.text)
}

func (f *failing) Jobs(context.Context, view.JobQuery) ([]view.JobLine, error) {
	return nil, errors.New(f.text)
}

func (f *failing) Candidate(context.Context, record.CandidateID) (view.CandidateDetail, error) {
	return view.CandidateDetail{}, errors.New(f.text)
}

func (f *failing) Candidates(context.Context, view.CandidateQuery) ([]record.Candidate, error) {
	return nil, errors.New(f.text)
}

func (f *failing) Diff(context.Context, record.CandidateID, record.CandidateID, int) ([]view.FilePatch, error) {
	return nil, errors.New(f.text)
}

func (f *failing) Metrics(context.Context, []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	return nil, errors.New(f.text)
}

func (f *failing) Lineage(context.Context, record.CandidateID) (view.Lineage, error) {
	return view.Lineage{}, errors.New(f.text)
}

func (f *failing) Niche(context.Context, int) (view.NicheDetail, error) {
	return view.NicheDetail{}, errors.New(f.text)
}

func (f *failing) Settings(context.Context) ([]view.SettingInfo, error) {
	return nil, errors.New(f.text)
}

func (f *failing) Doctor(context.Context) ([]view.CheckLine, error) {
	return nil, errors.New(f.text)
}

// poisoned answers with hostile texts.
type poisoned struct {
	tuitest.Reader
	text string
}

func (p *poisoned) Job(ctx context.Context, id record.JobID) (view.JobDetail, error) {
	v, err := p.Reader.Job(ctx, id)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Candidate(ctx context.Context, id record.CandidateID) (view.CandidateDetail, error) {
	v, err := p.Reader.Candidate(ctx, id)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Candidates(ctx context.Context, q view.CandidateQuery) ([]record.Candidate, error) {
	v, err := p.Reader.Candidates(ctx, q)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Diff(ctx context.Context, a, b record.CandidateID, lines int) ([]view.FilePatch, error) {
	v, err := p.Reader.Diff(ctx, a, b, lines)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Front(ctx context.Context) (view.Front, error) {
	v, err := p.Reader.Front(ctx)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Metrics(ctx context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	v, err := p.Reader.Metrics(ctx, ids)
	for id := range v {
		list := v[id]
		poison(reflect.ValueOf(&list), p.text)
	}
	return v, err
}

func (p *poisoned) Lineage(ctx context.Context, id record.CandidateID) (view.Lineage, error) {
	v, err := p.Reader.Lineage(ctx, id)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Niche(ctx context.Context, cell int) (view.NicheDetail, error) {
	v, err := p.Reader.Niche(ctx, cell)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Settings(ctx context.Context) ([]view.SettingInfo, error) {
	v, err := p.Reader.Settings(ctx)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}

func (p *poisoned) Doctor(ctx context.Context) ([]view.CheckLine, error) {
	v, err := p.Reader.Doctor(ctx)
	poison(reflect.ValueOf(&v), p.text)
	return v, err
}
