package pane

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

// steered is all that the rows of steering change.
type steered struct {
	record.Settings
	weights map[string]float64 // of targets as configured, by name
	boosts  map[string]float64
	frozen  map[string]bool
}

// boost is the factor of a target.
func (s *steered) boost(target string) float64 {
	if f := s.boosts[target]; f > 0 {
		return f
	}
	return 1
}

// steerRow is one setting. Step changes the draft by so many steps.
type steerRow struct {
	id, group, name string
	key             string // of the configuration
	doc             string
	note            *record.Note
	value           func(s *steered) string
	step            func(s *steered, by int)
	odds            func(o *view.Odds) map[string]float64
}

// sync makes the rows of what the experiment has now. A draft stays; in the past it is
// put aside.
func (p *steeringPane) sync() {
	switch {
	case p.d.Past && p.dirty:
		p.aside, p.dirty = &drafted{p.draft, p.from}, false
	case !p.d.Past && p.aside != nil:
		p.draft, p.from, p.aside, p.dirty = p.aside.draft, p.aside.from, nil, true
	}
	if !p.dirty {
		p.draft, p.from = p.inForce(), p.inForce()
	}
	p.rows = p.rows[:0]
	p.weights("operators", "search.operators", "weight of the operator in the draw; 0 never draws it", func(s *steered) map[string]float64 { return s.Operators }, func(o *view.Odds) map[string]float64 { return o.Operators })
	p.weights("agents", "agents", "weight of the agent in the draw, among those that can carry the operator out", func(s *steered) map[string]float64 { return s.Agents }, func(o *view.Odds) map[string]float64 { return o.Agents })
	p.targets()
	p.number("search", "inspirations", "search.inspirations", "candidates shown beside the parent", func(s *steered) *int { return &s.Inspirations }, 1, 0)
	p.choice("before measuring", "review.measure", "which candidates wait for you before they are measured", func(s *steered) *string { return &s.Review })
	p.choice("before a niche", "review.niche", "which candidates wait for you before they take a niche", func(s *steered) *string { return &s.ReviewNiche })
	p.looks()
	p.number("budget", "workers", "workers", "jobs at the same time", func(s *steered) *int { return &s.Workers }, 1, 1)
	p.number("budget", "jobs", "budget.jobs", "jobs of the whole experiment; 0 is no limit", func(s *steered) *int { return &s.MaxJobs }, 50, 0)
	p.money()
	p.rows = append(p.rows, steerRow{id: "goal", group: "words", name: "goal", key: "goal", value: func(s *steered) string { return widget.OneLine(widget.OrNone(s.Goal)) }})
	p.notes()
	ids := make([]string, len(p.rows))
	for i := range p.rows {
		ids[i] = p.rows[i].id
	}
	p.list.Set(ids)
}

// inForce is how the search is steered now.
func (p *steeringPane) inForce() steered {
	s := steered{Settings: cloneSettings(&p.d.Snap.Settings), weights: map[string]float64{}, boosts: map[string]float64{}, frozen: map[string]bool{}}
	for _, t := range p.d.Snap.Targets {
		s.weights[t.Name] = t.Weight
		s.boosts[t.Name], s.frozen[t.Name] = t.Boost, t.Frozen
	}
	return s
}

func (p *steeringPane) weights(group, key, doc string, of func(s *steered) map[string]float64, odds func(o *view.Odds) map[string]float64) {
	for _, name := range slices.Sorted(maps.Keys(of(&p.draft))) {
		p.rows = append(p.rows, steerRow{
			id: group + name, group: group, name: name, key: key, doc: doc, odds: odds,
			value: func(s *steered) string { return fmt.Sprintf("%.2f", of(s)[name]) },
			step: func(s *steered, by int) {
				of(s)[name] = max(0, float64(int(of(s)[name]*20+0.5)+by)/20)
			},
		})
	}
}

// targets are rows of the factor by which each is drawn more, or less.
func (p *steeringPane) targets() {
	for _, t := range p.d.Snap.Targets {
		p.rows = append(p.rows, steerRow{
			id: "target " + t.Name, group: "targets", name: t.Name, doc: fmt.Sprintf("weight in the draw: %.3g as configured, times a boost; e sets it, freeze it under Yields", t.Weight),
			odds: func(o *view.Odds) map[string]float64 { return o.Targets },
			value: func(s *steered) string {
				return widget.Words(" ", fmt.Sprintf("%.3g", s.weights[t.Name]*s.boost(t.Name)), fmt.Sprintf("x%.3g", s.boost(t.Name)), widget.Unless(!s.frozen[t.Name], "frozen"))
			},
			step: func(s *steered, by int) {
				f := s.boost(t.Name)
				for ; by > 0; by-- {
					f *= 2
				}
				for ; by < 0; by++ {
					f /= 2
				}
				s.boosts[t.Name] = boostWithin(f)
			},
		})
	}
	if len(p.draft.weights) > 1 {
		p.rows = append(p.rows, steerRow{
			id: temperatureRow, group: "targets", name: "temperature", doc: "evens the weights of targets out above 1, sharpens them below: each draws by its weight to the power of 1/temperature",
			value: func(s *steered) string {
				if t := s.temperature(); t > 0 {
					return fmt.Sprintf("%g", t)
				}
				return "own boosts"
			},
			step: func(s *steered, by int) {
				at := slices.Index(temperatures[:], s.temperature())
				if at < 0 {
					at, by = slices.Index(temperatures[:], 1), 0
				}
				s.temper(temperatures[max(0, min(at+by, len(temperatures)-1))])
			},
		})
	}
}

// temperatureRow is the row that changes the boosts of all targets.
const temperatureRow = "temperature"

// temperatures are those that can be chosen.
var temperatures = [...]float64{0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8}

func boostWithin(f float64) float64 { return max(1.0/maxBoost, min(f, maxBoost)) }

// tempered are the boosts under which targets are drawn by their weight to the
// power of 1/t. They leave the middle of the weights, by ratio, as it is.
func (s *steered) tempered(t float64) map[string]float64 {
	sum, n := 0.0, 0.0
	for _, w := range s.weights {
		if w > 0 {
			sum, n = sum+math.Log(w), n+1
		}
	}
	out := map[string]float64{}
	for name, w := range s.weights {
		if out[name] = 1; w > 0 {
			out[name] = boostWithin(math.Exp((1/t - 1) * (math.Log(w) - sum/n)))
		}
	}
	return out
}

func (s *steered) temper(t float64) { s.boosts = s.tempered(t) }

// temperature is the one that the boosts come from, 0 for none.
func (s *steered) temperature() float64 {
	found := 0.0
	for _, t := range temperatures {
		same := true
		for name, b := range s.tempered(t) {
			same = same && math.Abs(math.Log(s.boost(name)/b)) < 0.01
		}
		if same && (found == 0 || t == 1) { // where the weights are alike any would do
			found = t
		}
	}
	return found
}

func (p *steeringPane) number(group, name, key, doc string, at func(s *steered) *int, step, least int) {
	p.rows = append(p.rows, steerRow{
		id: key, group: group, name: name, key: key, doc: doc,
		value: func(s *steered) string { return widget.Thousands(*at(s)) },
		step:  func(s *steered, by int) { *at(s) = max(least, *at(s)+by*step) },
	})
}

func (p *steeringPane) choice(name, key, doc string, at func(s *steered) *string) {
	names := []string{"off", "risky", "all"}
	p.rows = append(p.rows, steerRow{
		id: key, group: "review", name: name, key: key, doc: doc,
		value: func(s *steered) string { return widget.OrNone(*at(s)) },
		step: func(s *steered, by int) {
			*at(s) = names[max(0, min(slices.Index(names, *at(s))+by, len(names)-1))]
		},
	})
}

// looks are how often a noisy objective is looked at again.
func (p *steeringPane) looks() {
	if p.draft.Challenge == nil || p.draft.Depth == nil || p.draft.Remeasure == nil {
		return
	}
	p.number("noise", "further looks", "evaluator.challenge", "samples more of one that looks better, before it takes a niche, where values vary; 0 takes the first value for true", func(s *steered) *int { return s.Challenge }, 1, 0)
	p.number("noise", "most samples", "evaluator.depth", "deciding samples at most of one that may be the best, where values vary", func(s *steered) *int { return s.Depth }, 1, 2)
	p.rows = append(p.rows, steerRow{
		id: "evaluator.remeasure", group: "noise", name: "measured again", key: "evaluator.remeasure", doc: "share of evaluations spent on measuring elites again, where values vary",
		value: func(s *steered) string { return fmt.Sprintf("%.0f %%", 100**s.Remeasure) },
		step: func(s *steered, by int) {
			*s.Remeasure = max(0, min(0.9, (math.Round(20**s.Remeasure)+float64(by))/20))
		},
	})
}

// money is the budget of dollars.
func (p *steeringPane) money() {
	p.rows = append(p.rows, steerRow{
		id: "budget.cost_usd", group: "budget", name: "money", key: "budget.cost_usd", doc: "US dollars of the whole experiment; what an agent's request could cost is reserved before it is sent",
		value: func(s *steered) string {
			if s.MaxCostUSD == 0 {
				return "no limit"
			}
			return widget.Money(&s.MaxCostUSD)
		},
		step: func(s *steered, by int) { s.MaxCostUSD = max(0, s.MaxCostUSD+float64(by)) },
	})
}

// notes are rows as well: what later prompts carry beside the goal.
func (p *steeringPane) notes() {
	for _, n := range slices.Backward(p.d.Snap.Notes) {
		if n.Gone {
			continue
		}
		text := widget.OneLine(n.Text)
		p.rows = append(p.rows, steerRow{
			id: fmt.Sprint("note ", n.ID), group: "notes", name: widget.Words(" ", n.Kind, n.Target), note: &n,
			value: func(*steered) string { return text },
		})
	}
}

func cloneSettings(s *record.Settings) record.Settings {
	c := *s
	c.Operators, c.Agents = maps.Clone(s.Operators), maps.Clone(s.Agents)
	c.Challenge, c.Depth, c.Remeasure = copied(s.Challenge), copied(s.Depth), copied(s.Remeasure)
	if c.Operators == nil {
		c.Operators = map[string]float64{}
	}
	if c.Agents == nil {
		c.Agents = map[string]float64{}
	}
	return c
}

func copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

// settingText writes a setting as a decision carries it.
func settingText(key string, s *record.Settings) string {
	weights := func(m map[string]float64) string {
		data, err := json.Marshal(m)
		if err != nil {
			return "{}"
		}
		return string(data)
	}
	switch key {
	case "search.operators":
		return weights(s.Operators)
	case "agents":
		return weights(s.Agents)
	case "search.inspirations":
		return fmt.Sprint(s.Inspirations)
	case "review.measure":
		return s.Review
	case "review.niche":
		return s.ReviewNiche
	case "workers":
		return fmt.Sprint(s.Workers)
	case "evaluator.challenge":
		return fmt.Sprint(*s.Challenge)
	case "evaluator.depth":
		return fmt.Sprint(*s.Depth)
	case "evaluator.remeasure":
		return fmt.Sprint(*s.Remeasure)
	case "budget.jobs":
		return fmt.Sprint(s.MaxJobs)
	case "budget.cost_usd":
		return fmt.Sprint(s.MaxCostUSD)
	}
	return s.Goal
}

// noteAt is the note under the cursor.
func (p *steeringPane) noteAt() (record.Note, bool) {
	if r := p.row(); r != nil && r.note != nil {
		return *r.note, true
	}
	return record.Note{}, false
}
