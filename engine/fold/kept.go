package fold

import (
	"context"
	"fmt"
	"io"

	"atoll/engine/fold/image"
	"atoll/engine/view"
	"atoll/store/record"
)

// kept is what an image of a state has. The rules come from the store, but for what
// rows of the log change of them.
type kept struct {
	Objective int // version, of the experiment
	Settings  record.Settings
	Run       record.ExperimentState
	Reason    string
	Lines     []view.LogLine
	State     *State
}

// WriteImage writes the state as it is now, with the newest lines of the run's log, so
// that a reader need not fold what it was made of. What only the owner of an
// experiment learns from the past is left out. It does not change the state.
func (s *State) WriteImage(w io.Writer, lines []view.LogLine) error {
	lessons, epoch, events, placed := s.Lessons, s.Epoch, s.lines, s.Placed
	defer func() { s.Lessons, s.Epoch, s.lines, s.Placed = lessons, epoch, events, placed }()
	s.Lessons, s.Epoch, s.lines, s.Placed = Lessons{}, epochLog{}, nil, nil
	k := kept{Objective: s.Exp.Objective, Settings: s.Settings, Run: s.Run, Reason: s.Reason, Lines: lines, State: s}
	return image.Write(w, &k, s.rules)
}

// ReadImage returns the state of an experiment as [State.WriteImage] wrote it. The state
// uses and changes data, see [image.Read]. What came since is to be folded. Errors:
// [image.ErrDamaged], [image.ErrOther], which is also that of an earlier objective version,
// and those of log.
func ReadImage(ctx context.Context, data []byte, log Log, id record.ExperimentID) (*State, []view.LogLine, error) {
	fresh, err := emptyState(ctx, log, id)
	if err != nil {
		return nil, nil, err
	}
	var k kept
	if err := image.Read(data, &k, fresh.rules); err != nil {
		return nil, nil, err
	}
	if k.State == nil || k.Objective != fresh.Exp.Objective {
		return nil, nil, fmt.Errorf("%w: it is of objective version %d", image.ErrOther, k.Objective)
	}
	s := k.State
	s.Settings, s.Run, s.Reason = k.Settings, k.Run, k.Reason
	s.vector, s.front.metrics = fresh.vector, fresh.front.metrics
	return s, k.Lines, nil
}
