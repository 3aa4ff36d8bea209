package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// screensDir has the pictures of the documents. They are made anew by
// `go test ./tui -run Pictures -update`, which `make gen` runs.
const screensDir = "../docs/screens"

// shots are the screens of which there are pictures, with the keys that lead there.
func shots() []struct{ name, keys string } {
	return []struct{ name, keys string }{
		{"dashboard", ""}, {"review", "r"}, {"candidate", "enter"}, {"compare", "D"}, {"lineage", "T"}, {"job", "2 j j enter"}, {"finished", ""},
	}
}

// looks are the terminals on which they are drawn.
func looks() []look {
	with := func(env ...string) func(o *Options) { return func(o *Options) { o.Env = env } }
	out := []look{}
	for _, s := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}, {300, 80}} {
		l := look{name: fmt.Sprintf("%dx%d", s[0], s[1]), w: s[0], h: s[1], profile: colorprofile.TrueColor}
		if s[0] == 120 {
			l.svg = "dark"
		}
		out = append(out, l)
	}
	return append(out,
		look{"light", 120, 36, "light", colorprofile.TrueColor, func(o *Options) { o.Console.Theme = "light" }},
		look{"NO_COLOR", 120, 36, "", colorprofile.ASCII, with("NO_COLOR=1")},
		look{"TERM=linux", 120, 36, "", colorprofile.ANSI, with("TERM=linux")},
		look{"LC_ALL=C", 120, 36, "", colorprofile.ANSI256, with("LC_ALL=C", "TERM=xterm-256color")},
	)
}

type look struct {
	name    string
	w, h    int
	svg     string // the background of a picture in colour, "" = one of text
	profile colorprofile.Profile
	edit    func(o *Options)
}

func (l look) file(shot string) string {
	name := shot + "-" + strings.ToLower(strings.ReplaceAll(l.name, "=", "-"))
	if l.svg != "" {
		return name + ".svg"
	}
	return name + ".txt"
}

// rig opens a console for a picture.
func (l look) rig(t *testing.T, shot, keys string) *rig {
	s := tuitest.Snapshot(16)
	if shot == "finished" {
		finish(s)
	}
	edit := l.edit
	if edit == nil {
		edit = func(*Options) {}
	}
	r := newRig(t, s, l.w, l.h, edit)
	r.app.d.Profile = l.profile
	r.app.d.Restyle()
	r.keys(strings.Fields(keys)...)
	return r
}

func finish(s *view.Snapshot) {
	s.State, s.Reason, s.Running, s.ETA, s.PerMinute = record.ExperimentDone, "500 jobs done", nil, 0, 0
	s.Jobs.Queued, s.Jobs.Running, s.Jobs.Scored = 0, 0, s.Jobs.Scored+159
}

func TestPicturesOfTheDocuments(t *testing.T) {
	local(t)
	var names []string
	var table strings.Builder
	table.WriteString("| screen |")
	for _, l := range looks() {
		table.WriteString(" " + l.name + " |")
	}
	table.WriteString("\n|---|" + strings.Repeat("---|", len(looks())) + "\n")
	for _, s := range shots() {
		table.WriteString("| " + s.name + " |")
		for _, l := range looks() {
			file := l.file(s.name)
			names = append(names, file)
			fmt.Fprintf(&table, " [%s](screens/%s) |", strings.TrimPrefix(filepath.Ext(file), "."), file)
			frame := l.rig(t, s.name, s.keys).app.frame()
			exact(t, file, frame, l.w, l.h)
			if updating() {
				draw(t, file, frame, l)
			}
		}
		table.WriteString("\n")
	}
	names = append(names, "tour.cast")
	if updating() {
		record80(t)
	}
	var there []string
	files, err := os.ReadDir(screensDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		there = append(there, f.Name())
	}
	slices.Sort(names)
	if !slices.Equal(names, there) {
		t.Errorf("%s has %q, the list %q; make gen draws them", screensDir, there, names)
	}
	const path, open, end = "../docs/console.md", "<!-- pictures -->\n", "<!-- end of pictures -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), open)
	_, after, ok2 := strings.Cut(rest, end)
	want := before + open + table.String() + end + after
	if updating() && ok && ok2 {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		page = []byte(want)
	}
	if !ok || !ok2 || string(page) != want {
		t.Error("the list of pictures in docs/console.md is not that of this test; make gen writes it")
	}
}

// draw writes one picture.
func draw(t *testing.T, file, frame string, l look) {
	t.Helper()
	text := ""
	if l.svg != "" {
		text = svg(frame, l)
	} else {
		for _, line := range strings.Split(ansi.Strip(frame), "\n") {
			text += strings.TrimRight(line, " ") + "\n"
		}
	}
	if err := os.WriteFile(filepath.Join(screensDir, file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// record80 writes a tour of the console as a recording of asciinema (asciicast
// v2): docs/screens/tour.cast, for `asciinema play`.
func record80(t *testing.T) {
	t.Helper()
	r := newRig(t, tuitest.Snapshot(16), 80, 24)
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
	if err := os.WriteFile(filepath.Join(screensDir, "tour.cast"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pen is how a cell is drawn.
type pen struct {
	fg, bg        string
	bold, reverse bool
}

// svg draws a frame: a rectangle for each run of a background, a span for each
// run of a colour.
func svg(frame string, l look) string {
	const cw, ch = 8, 17
	paper, ink := "#14161b", "#c9ccd4"
	if l.svg == "light" {
		paper, ink = "#ffffff", "#33363d"
	}
	var b, text strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13"><rect width="100%%" height="100%%" fill="%s"/>`+"\n", l.w*cw, l.h*ch, paper)
	for y, row := range strings.Split(frame, "\n") {
		x := 0
		fmt.Fprintf(&text, `<text y="%d" fill="%s" xml:space="preserve">`, y*ch+13, ink)
		runs(row, func(p pen, s string) {
			fg, bg := p.fg, p.bg
			if p.reverse {
				if fg == "" {
					fg = ink
				}
				if bg == "" {
					bg = paper
				}
				fg, bg = bg, fg
			}
			n := ansi.StringWidth(s)
			if bg != "" {
				fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, x*cw, y*ch, n*cw, ch, bg)
			}
			if strings.TrimSpace(s) != "" {
				attrs := ""
				if fg != "" {
					attrs += ` fill="` + fg + `"`
				}
				if p.bold {
					attrs += ` font-weight="bold"`
				}
				if n > 3 { // fonts differ in how wide they are
					attrs += fmt.Sprintf(` textLength="%d"`, n*cw)
				}
				s = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
				fmt.Fprintf(&text, `<tspan x="%d"%s>%s</tspan>`, x*cw, attrs, s)
			}
			x += n
		})
		text.WriteString("</text>\n")
	}
	return b.String() + "\n" + text.String() + "</svg>\n"
}

// runs calls fn for the parts of a line that are drawn alike.
func runs(line string, fn func(p pen, text string)) {
	var p pen
	for line != "" {
		at := strings.Index(line, "\x1b[")
		if at < 0 {
			fn(p, line)
			return
		}
		if at > 0 {
			fn(p, line[:at])
		}
		end := strings.IndexByte(line[at:], 'm')
		if end < 0 {
			return
		}
		p.set(strings.Split(line[at+2:at+end], ";"))
		line = line[at+end+1:]
	}
}

// set takes SGR parameters; colours are 24 bit or one of 256.
func (p *pen) set(params []string) {
	for i := 0; i < len(params); i++ {
		n, _ := strconv.Atoi(params[i]) // an empty one is 0
		switch {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 7:
			p.reverse = true
		case (n == 38 || n == 48) && i+2 < len(params):
			colour := ""
			if params[i+1] == "2" && i+4 < len(params) {
				var v [3]int
				for k := range v {
					v[k], _ = strconv.Atoi(params[i+2+k])
				}
				colour = fmt.Sprintf("#%02x%02x%02x", v[0], v[1], v[2])
				i += 4
			} else {
				colour = map[string]string{"16": "#000000", "231": "#ffffff"}[params[i+2]] // of the cursor
				i += 2
			}
			if n == 38 {
				p.fg = colour
			} else {
				p.bg = colour
			}
		}
	}
}
