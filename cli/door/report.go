package door

import (
	"context"
	"strings"

	"atoll/engine/report"
)

// Report tells what became of the experiment so far, as Markdown, for people who never
// saw it; program is what made it, as the document names it.
func (d *Door) Report(ctx context.Context, program string) (string, error) {
	s := d.Snapshot()
	story, err := report.Gather(ctx, d.Reader(), s, program, s.At)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = report.Markdown(&text, story)
	return text.String(), err
}
