package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// writeJSON prints one indented document.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeJSONLine prints one document on a line. An error of the writer shows at
// the next write.
func writeJSONLine(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// table prints aligned columns; flush it at the end.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 4, 2, ' ', 0) }

func signedPercent(p float64) string {
	if math.IsNaN(p) {
		return "?"
	}
	return fmt.Sprintf("%+.2f %%", p+0) // + 0 makes -0 plain
}

func countsText(s *view.Snapshot) string {
	c := s.Jobs
	total := ""
	if c.Max > 0 {
		total = fmt.Sprintf("/%d", c.Max)
	}
	parts := []string{fmt.Sprintf("%d%s ended", c.Ended(), total)}
	for _, p := range []struct {
		n    int
		name string
	}{{c.Placed, "placed"}, {c.Scored, "scored"}, {c.Failed, "failed"}, {c.Rejected, "rejected"}, {c.Duplicate, "duplicate"}, {c.Cancelled, "cancelled"}, {c.Held, "held"}, {c.Running, "running"}, {c.Queued, "queued"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.name))
		}
		if held := min(s.Rejections.Held, c.Rejected); p.name == "rejected" && held > 0 {
			parts[len(parts)-1] += fmt.Sprintf(" (%d by people)", held)
		}
	}
	text := strings.Join(parts, ", ")
	if after := s.Rejections.AfterText(); after != "" {
		text += "; of the measured ones rejected: " + after
	}
	return text
}

func objectiveName(s *view.Snapshot) string {
	if s.Objective != "" {
		return s.Objective
	}
	return "objective"
}

func objectiveText(v *float64) string {
	if v == nil {
		return "-"
	}
	return view.FormatValue(*v)
}

func parentText(c *record.Candidate) string {
	if p := c.Parent(); p != record.NoCandidate {
		return p.String()
	}
	return "-"
}

// openLogOf opens the log file of a session. One that only looks, at what it cannot write
// to, has none.
func openLogOf(ses *engine.Session) (*slog.Logger, func(), error) {
	logger, done, err := openLog(ses.Dir)
	if err != nil && ses.ReadOnly() {
		return slog.New(slog.DiscardHandler), func() {}, nil
	}
	return logger, done, err
}

// logName is the log file in the folder logs of a state directory.
const logName = "engine.log"

// openLog opens the log file of a state directory for appending; a file above
// 10 MB moves aside first.
func openLog(state string) (*slog.Logger, func(), error) {
	dir := filepath.Join(state, "logs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the log directory: %w", err)
	}
	path := filepath.Join(dir, logName)
	if info, err := os.Stat(path); err == nil && info.Size() > 10<<20 {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, nil, fmt.Errorf("move the old log aside: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return slog.New(slog.NewJSONHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})), func() { _ = f.Close() }, nil
}
