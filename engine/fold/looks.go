package fold

import (
	"encoding/json"

	"atoll/store/record"
)

// looks are how often a noisy objective is looked at again, as of this position of the
// log. What a field does not say is as the configuration has it. The settings of
// [rules] may be newer: they take a decision before its row is folded.
type looks struct {
	Challenge, Depth *int
	Remeasure        *float64
}

// challenge is how many further samples a challenger gets before it takes a niche.
func (p *position) challenge() int { return or(p.looks.Challenge, p.Config.Evaluator.Challenge) }

// provenAt is how many deciding samples a noisy objective asks for.
func (p *position) provenAt() int { return p.Config.Evaluator.Repeats + p.challenge() }

// depth is how many deciding samples one that may be the best has at most.
func (p *position) depth() int {
	return max(or(p.looks.Depth, p.Config.Evaluator.Depth), p.provenAt())
}

// remeasure is the share of evaluations that is spent on elites.
func (p *position) remeasure() float64 { return or(p.looks.Remeasure, p.Config.Evaluator.Remeasure) }

// SettingsInForce are the settings with a value for each that the configuration gives.
func (p *position) SettingsInForce() record.Settings {
	s, e := p.Settings, p.Config.Evaluator
	s.Challenge, s.Depth, s.Remeasure = new(or(s.Challenge, e.Challenge)), new(or(s.Depth, e.Depth)), new(or(s.Remeasure, e.Remeasure))
	return s
}

// foldSetting takes all settings from a row of the log.
func (p *position) foldSetting(row record.FoldRow) error {
	var now record.Settings // what it does not name is gone
	if err := json.Unmarshal(row.Data, &now); err != nil {
		return err
	}
	p.Settings, p.looks = now, looks{now.Challenge, now.Depth, now.Remeasure}
	return nil
}

func or[T any](said *T, otherwise T) T {
	if said != nil {
		return *said
	}
	return otherwise
}
