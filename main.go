// Command atoll evolves a git repository by quality-diversity search.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	// boot takes over at once when this program was started as the first
	// process of a sandbox. By its path it initialises before everything else.
	_ "atoll/engine/sandbox/boot"

	"github.com/charmbracelet/x/term"

	"atoll/cli"
)

// version is set by the build of a release (.ci/release); see cli.ReadBuild.
var version = "dev"

func main() { os.Exit(run()) }

func run() int {
	if os.Getenv("GOGC") == "" {
		// A large archive lives for days; half the usual head room costs a few
		// hundredths of the processor time of a job.
		debug.SetGCPercent(50)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // so that a write tells that its reader is gone, and a run ends in order
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	app := cli.App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Dir: dir, Now: time.Now, Build: cli.ReadBuild(version), Called: os.Args[0], Signals: signals, Exit: os.Exit,
		IsTTY: func(w io.Writer) bool {
			f, ok := w.(*os.File)
			return ok && term.IsTerminal(f.Fd())
		},
	}
	return app.Run(context.Background(), os.Args[1:])
}
