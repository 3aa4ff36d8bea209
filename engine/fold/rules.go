package fold

import (
	"atoll/config"
	"atoll/store/record"
)

// rules are what an experiment is told: its configuration, which is fixed, and
// the settings and the state, which rows of the log change.
type rules struct {
	Exp      record.Experiment
	Settings record.Settings
	Config   config.Config
	Run      record.ExperimentState
	Reason   string
	Sign     float64 // +1 maximize, -1 minimize
	Learned  bool    // the map is learned, and has no named axes
}
