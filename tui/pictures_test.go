package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// screensDir has the pictures of the documents, of a real run (see film). They are
// made anew by `make pictures`.
const screensDir = "../docs/screens"

// shot is a screen of which there are pictures, with the keys that lead there.
type shot struct{ name, keys string }

// shots are drawn on every terminal, extras on one.
func shots() []shot {
	return []shot{{"dashboard", ""}, {"review", "r"}, {"candidate", "enter"}, {"compare", "D"}, {"lineage", "T"}, {"job", "2 j j enter"}, {"finished", "F"}}
}

func extras() []shot {
	return []shot{{"niches", "1 z"}, {"jobs", "2 z"}, {"curves", "3 z"}, {"steering", "O right right right"}, {"past", "H home > > > > > > > >"}}
}

// looks are the terminals on which they are drawn.
func looks() []look {
	with := func(env ...string) func(o *Options) { return func(o *Options) { o.Env = env } }
	out := []look{}
	for _, s := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}, {300, 80}} {
		out = append(out, look{fmt.Sprintf("%dx%d", s[0], s[1]), s[0], s[1], colorprofile.TrueColor, func(*Options) {}})
	}
	return append(out,
		look{"light", 120, 36, colorprofile.TrueColor, func(o *Options) { o.Console.Theme = "light" }},
		look{"NO_COLOR", 120, 36, colorprofile.ASCII, with("NO_COLOR=1")},
		look{"TERM=linux", 120, 36, colorprofile.ANSI, with("TERM=linux")},
		look{"LC_ALL=C", 120, 36, colorprofile.ANSI256, with("LC_ALL=C", "TERM=xterm-256color")},
	)
}

// standard is the look of what is drawn once.
func standard() look { return looks()[2] }

type look struct {
	name    string
	w, h    int
	profile colorprofile.Profile
	edit    func(o *Options)
}

func (l look) file(s shot) string {
	return s.name + "-" + strings.ToLower(strings.ReplaceAll(l.name, "=", "-")) + ".svg"
}

// frame opens a console, goes to a screen and draws it.
func (l look) frame(open func(w, h int, edit ...func(o *Options)) *rig, s shot) string {
	r := open(l.w, l.h, l.edit)
	r.app.d.Profile = l.profile
	r.app.d.Restyle()
	r.keys(strings.Fields(s.keys)...)
	return r.app.frame()
}

// pictures calls fn for every picture there is.
func pictures(fn func(s shot, l look)) {
	for _, s := range shots() {
		for _, l := range looks() {
			fn(s, l)
		}
	}
	for _, s := range extras() {
		fn(s, standard())
	}
}

// TestPicturesOfTheDocuments draws them with -update; else it holds that the page
// names those that are there.
func TestPicturesOfTheDocuments(t *testing.T) {
	local(t)
	if updating() {
		running, done := filmed(t)
		pictures(func(s shot, l look) {
			f := running
			if s.name == "finished" {
				f = done
			}
			open := func(w, h int, edit ...func(o *Options)) *rig { return f.rig(t, w, h, edit...) }
			frame := l.frame(open, s)
			exact(t, l.file(s), frame, l.w, l.h)
			picture(t, l.file(s), svg(frame, l))
		})
		picture(t, "tour.cast", tour(t, running.rig(t, 80, 24)))
	}
	names := []string{"tour.cast"}
	pictures(func(s shot, l look) { names = append(names, l.file(s)) })
	slices.Sort(names)
	files, err := os.ReadDir(screensDir)
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	size := int64(0)
	for _, f := range files {
		there = append(there, f.Name())
		if info, err := f.Info(); err == nil {
			size += info.Size()
		}
	}
	if !slices.Equal(names, there) {
		t.Errorf("%s has %q, the list %q; make pictures draws them", screensDir, there, names)
	}
	if size > 3<<20 {
		t.Errorf("the pictures take %d bytes of every clone: too many", size)
	}
	const path, open, end = "../docs/console.md", "<!-- pictures -->\n", "<!-- end of pictures -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), open)
	_, after, ok2 := strings.Cut(rest, end)
	want := before + open + listed() + end + after
	if updating() && ok && ok2 {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		page = []byte(want)
	}
	if !ok || !ok2 || string(page) != want {
		t.Error("the list of pictures in docs/console.md is not that of this test; make pictures writes it")
	}
}

// listed is the table of the pictures in docs/console.md.
func listed() string {
	var b strings.Builder
	b.WriteString("| screen |")
	for _, l := range looks() {
		b.WriteString(" " + l.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(looks())) + "\n")
	for _, s := range shots() {
		b.WriteString("| " + s.name + " |")
		for _, l := range looks() {
			fmt.Fprintf(&b, " [svg](screens/%s) |", l.file(s))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The looks of the pictures fill their terminals, on data that needs no run.
func TestPicturesFillTheirTerminals(t *testing.T) {
	local(t)
	pictures(func(s shot, l look) {
		snap := tuitest.Snapshot(16)
		if s.name == "finished" {
			finish(snap)
		}
		open := func(w, h int, edit ...func(o *Options)) *rig { return newRig(t, snap, w, h, edit...) }
		exact(t, l.file(s), l.frame(open, s), l.w, l.h)
	})
}

func finish(s *view.Snapshot) {
	s.State, s.Reason, s.Running, s.ETA, s.PerMinute = record.ExperimentDone, "500 jobs done", nil, 0, 0
	s.Jobs.Queued, s.Jobs.Running, s.Jobs.Scored = 0, 0, s.Jobs.Scored+159
}

// picture writes a file of the documents.
func picture(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(screensDir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tour is a walk over the screens as a recording of asciinema (asciicast v2):
// docs/screens/tour.cast, for `asciinema play`.
func tour(t *testing.T, r *rig) string {
	t.Helper()
	var b strings.Builder
	var shown []string
	at := 0.0
	line := func(v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	line(map[string]any{"version": 2, "width": 80, "height": 24, "title": "atoll", "env": map[string]string{"TERM": "xterm-256color"}})
	r.app.d.Profile = colorprofile.ANSI256
	r.app.d.Restyle()
	for _, k := range strings.Fields("_ left up v v v v v D d esc T home ] esc r ] esc H [ { < < > esc O right right x esc q") {
		if k != "_" {
			r.keys(k)
		}
		now, out := strings.Split(r.app.frame(), "\n"), ""
		for y, row := range now { // what changed
			if y >= len(shown) || shown[y] != row {
				out += fmt.Sprintf("\x1b[%d;1H%s", y+1, row)
			}
		}
		shown = now
		line([]any{at, "o", out})
		at += 1.2
	}
	return b.String()
}
