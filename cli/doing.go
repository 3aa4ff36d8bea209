package cli

import (
	"fmt"
	"regexp"
	"sync"
	"time"

	"atoll/engine/view"
)

// doing tells on standard error what a verb does that takes its time, and that it still does it
// where nothing was said for a while. Data on standard output has nothing of it.
type doing struct {
	app *App

	mu    sync.Mutex
	what  string // is done; "" = nothing
	began time.Time
	spoke time.Time // of the last line of any kind

	over, gone chan struct{}
}

// doing begins to tell; end it.
func (a *App) doing() *doing {
	d := &doing{app: a, over: make(chan struct{}), gone: make(chan struct{})}
	go d.watch()
	return d
}

// begin says what is done from now on.
func (d *doing) begin(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what, d.began = what, d.app.Now()
	d.line(what)
}

// tell prints a line of something that has come about; what is done goes on.
func (d *doing) tell(text string) { d.aside(func() { d.line(text) }) }

// now is what is done; "" = nothing.
func (d *doing) now() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.what
}

// rest is called where nothing is done until begin is: a person is asked.
func (d *doing) rest() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what = ""
}

// aside calls what prints lines of its own.
func (d *doing) aside(print func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spoke = d.app.Now()
	print()
}

func (d *doing) line(text string) {
	d.spoke = d.app.Now()
	fmt.Fprintln(d.app.Err, folded(view.CleanLine(text), d.app.width(d.app.Err)))
}

// still says what is done where nothing was said for a while.
func (d *doing) still() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.app.Now(); d.what != "" && now.Sub(d.spoke) >= silentFor {
		d.line("still " + stillText(d.what, now.Sub(d.began)))
	}
}

// atMost finds how long what is done may take, at the end of what is said of it.
var atMost = regexp.MustCompile(`[,:] for up to (\S+)$`)

// stillText is "measuring the root, for up to 5m0s; since 30s". The bound is that of the command: where it is
// exceeded, by what the sandbox takes before and behind it, that is said in its place.
func stillText(what string, took time.Duration) string {
	if m := atMost.FindStringSubmatchIndex(what); m != nil {
		most, err := time.ParseDuration(what[m[2]:m[3]])
		if err == nil && took > most {
			return fmt.Sprintf("%s; since %s: what may take %s is the command, and the sandbox is made and ended beside it", what[:m[0]], roughly(took), most)
		}
	}
	return fmt.Sprintf("%s; since %s", what, roughly(took))
}

func (d *doing) watch() {
	defer close(d.gone)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-d.over:
			return
		case <-look.C:
			d.still()
		}
	}
}

// end is the end of all that was told; nothing is printed behind it.
func (d *doing) end() {
	close(d.over)
	<-d.gone
}
