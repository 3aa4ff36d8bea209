package fold

import (
	"fmt"

	"atoll/store/record"
)

// advance follows every job that was folded, in fold order: it looks whether the search stands,
// and ends the epoch where one is over. All that comes of it is part of the fold.
func advance(s *State, at record.Millis) {
	s.folded++
	if s.arch == nil {
		return
	}
	say := func(level, text string) { s.tell(event{At: at, Level: level, Job: record.NoJob, Text: text}) }
	var said []string
	if s.Learned && s.Space == nil {
		s.yields.Mapless()
	}
	if pause := s.yields.Pause(); pause.Stalled() != s.stalled {
		s.stalled = !s.stalled
		if s.stalled {
			say("info", "the search stands: "+pause.String()+"; "+stalledMeans)
			said = s.isles.restart()
		} else {
			say("info", "the search goes on as before: something better was found")
		}
	} else if every := s.Config.Search.Epoch; every > 0 && s.folded%every == 0 {
		said = s.isles.epoch()
	}
	for _, text := range said {
		say("info", text)
	}
}

// stalledMeans is what becomes of a search that stands.
const stalledMeans = "larger edits are drawn twice as often, the best of all is left out of the draws by rank, and ways to draw parents go by the niches that they take alone"

// stalledText tells since when nothing better was found where that is long, "" else.
func stalledText(s *State) string {
	if !s.stalled {
		return ""
	}
	return fmt.Sprintf("%s: %s", s.yields.Pause(), stalledMeans)
}
