package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Build says which program this is.
type Build struct {
	Version  string `json:"version"`  // the tag of a release; dev for anything else
	Commit   string `json:"commit"`   // in full; empty where the build knew none
	Date     string `json:"date"`     // of the commit, RFC 3339
	Modified bool   `json:"modified"` // the tree had changes that are in no commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadBuild is the build of this process: the version that its linker was
// given, and the commit that the go command stamps into programs built from a
// clone. A work tree of git's own (`git worktree`) gets no stamp.
func ReadBuild(version string) Build {
	b := Build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String is the line that `atoll version` prints, without the name.
func (b Build) String() string {
	commit := "commit unknown"
	if b.Commit != "" {
		commit = "commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			commit += " with changes"
		}
		if day, _, ok := strings.Cut(b.Date, "T"); ok {
			commit += " of " + day
		}
	}
	return fmt.Sprintf("%s (%s, %s, %s)", b.Version, commit, b.Go, b.Platform)
}

func (a *App) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print version, commit and date of this program", Example: "  atoll version\n  atoll version --json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

// printVersion says which program this is.
func (a *App) printVersion() error {
	if a.flags.json {
		return writeJSON(a.Out, a.Build)
	}
	_, err := fmt.Fprintln(a.Out, "atoll", a.Build)
	return err
}
