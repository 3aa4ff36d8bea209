package fold

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	"atoll/config"
	"atoll/store/record"
)

// settingFields maps the configuration keys that may change while an experiment
// runs to the fields of its settings.
var settingFields = map[string]string{
	"workers": "workers", "budget.jobs": "max_jobs", "budget.evaluations": "max_evaluations", "budget.tokens": "max_tokens",
	"budget.cost_usd": "max_cost_usd", "budget.wall": "max_wall_ms", "review.measure": "review", "review.niche": "review_niche",
	"goal": "goal", "constraints": "constraints", "acceptance": "acceptance", "search.inspirations": "inspirations",
	"search.operators": "operators", "evaluator.challenge": "challenge", "evaluator.depth": "depth", "evaluator.remeasure": "remeasure",
}

// fieldOf returns the settings field that a key names: a configuration key, or
// the field itself.
func fieldOf(key string) (string, bool) {
	if f, ok := settingFields[key]; ok {
		return f, true
	}
	for _, f := range settingFields {
		if f == key {
			return f, true
		}
	}
	return key, key == "agents" || key == "targets"
}

// LiveKeys lists the configuration keys that may change while an experiment
// runs.
func LiveKeys() []string {
	out := make([]string, 0, len(settingFields))
	for k := range settingFields {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// whyFixed says why a key is none that may change.
func whyFixed(key string) string {
	for _, k := range config.Keys() {
		switch {
		case k.Path != key:
		case k.Live:
			return fmt.Sprintf("%q changes in atoll.yaml, with the next `atoll run`", key)
		default:
			return fmt.Sprintf("%q is fixed when an experiment starts: `atoll run --new` begins another with what atoll.yaml says", key)
		}
	}
	return fmt.Sprintf("%q is no setting; %s", key, meant(key))
}

// meant names the settings that a word is close to, or else all of them.
func meant(word string) string {
	all := LiveKeys()
	near := strings.TrimPrefix(config.Meant(word, all), "; ")
	if near != "" {
		return near
	}
	var like []string // or those of which it is a part
	for _, key := range all {
		if section, name, _ := strings.Cut(key, "."); section == word || strings.Contains(key, word) || name != "" && config.Meant(word, []string{name}) != "" {
			like = append(like, key)
		}
	}
	if len(like) > 0 {
		return "did you mean " + strings.Join(like, " or ") + "?"
	}
	return "the settings are " + strings.Join(all, ", ")
}

// prepareSet turns {"key", "value"} of a Set decision into the settings field
// it changes, checked, and adds the decision that takes it back.
func (r *rules) prepareSet(d record.Decision) (record.Decision, error) {
	var in struct{ Key, Value string }
	if err := json.Unmarshal(d.Args, &in); err != nil || in.Key == "" {
		return d, fmt.Errorf("%w: a setting needs a key and a value", ErrArgument)
	}
	field, ok := fieldOf(in.Key)
	if !ok {
		return d, fmt.Errorf("%w: %s", ErrArgument, whyFixed(in.Key))
	}
	raw, err := settingValue(field, in.Value)
	if err != nil {
		return d, fmt.Errorf("%w: %s: %q does not fit: %s", ErrArgument, in.Key, in.Value, misfit(err))
	}
	if err := checkSetting(field, raw); err != nil {
		return d, fmt.Errorf("%w: %s: %v", ErrArgument, in.Key, err)
	}
	now, err := json.Marshal(r.Settings)
	if err != nil {
		return d, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(now, &all); err != nil {
		return d, err
	}
	was := all[field]
	if was == nil {
		was = json.RawMessage("null")
	}
	d.Args = fmt.Appendf(nil, "{%q:%s}", field, raw)
	d.Text = settingText(in.Key, field, was, raw)
	d.Inverse = back(record.Set)
	d.Inverse.Args, d.Inverse.Text = fmt.Appendf(nil, "{%q:%s}", field, was), settingText(in.Key, field, raw, was)
	return d, nil
}

// MergeSetting returns the settings with the fields of change in place of their
// own. What a field held before is gone, also of a map.
func MergeSetting(now record.Settings, change []byte) (record.Settings, error) {
	var out record.Settings
	base, err := json.Marshal(now)
	if err != nil {
		return out, err
	}
	all := map[string]json.RawMessage{}
	for _, part := range [][]byte{base, change} {
		if err := json.Unmarshal(part, &all); err != nil {
			return out, fmt.Errorf("read a setting: %w", err)
		}
	}
	merged, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(merged, &out)
	}
	return out, err
}

// settingValue writes a value that a person typed as the JSON of its field.
func settingValue(field, value string) (json.RawMessage, error) {
	if field == "max_wall_ms" {
		if d, err := time.ParseDuration(value); err == nil {
			return json.Marshal(d.Milliseconds())
		}
	}
	if field == "constraints" || field == "acceptance" {
		if !strings.HasPrefix(strings.TrimSpace(value), "[") {
			return json.Marshal(strings.Split(value, "\n"))
		}
	}
	var probe record.Settings
	if json.Valid([]byte(value)) && json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", field, value), &probe) == nil {
		return json.RawMessage(strings.TrimSpace(value)), nil
	}
	quoted, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return quoted, json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", field, quoted), &probe)
}

// misfit says what a value should be.
func misfit(err error) string {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	switch wrong.Type.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number is needed"
	case reflect.Float64:
		return "a number is needed"
	case reflect.Bool:
		return "true or false is needed"
	}
	return "it has another form"
}

// checkSetting refuses values that make no sense.
func checkSetting(field string, raw json.RawMessage) error {
	var s record.Settings
	if err := json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", field, raw), &s); err != nil {
		return err
	}
	switch field {
	case "workers":
		if s.Workers < 1 || s.Workers > 1024 {
			return fmt.Errorf("between 1 and 1024 workers")
		}
	case "inspirations":
		if s.Inspirations < 0 || s.Inspirations > 32 {
			return fmt.Errorf("between 0 and 32")
		}
	case "max_jobs", "max_evaluations", "max_tokens", "max_cost_usd", "max_wall_ms":
		if s.MaxJobs < 0 || s.MaxEvals < 0 || s.MaxTokens < 0 || s.MaxCostUSD < 0 || s.MaxWallMS < 0 {
			return fmt.Errorf("not below 0; 0 is no limit")
		}
	case "challenge", "depth", "remeasure":
		return checkLooks(s)
	case "targets":
		for _, t := range s.Targets {
			if t.Name == "" || len(t.Files) == 0 || t.Weight < 0 {
				return fmt.Errorf("a target needs a name, files, and a weight not below 0")
			}
		}
	case "review", "review_niche":
		if v := s.Review + s.ReviewNiche; v != "off" && v != "risky" && v != "all" {
			return fmt.Errorf("off, risky or all")
		}
	}
	return nil
}

// checkLooks refuses what the configuration would.
func checkLooks(s record.Settings) error {
	switch {
	case s.Challenge != nil && (*s.Challenge < 0 || *s.Challenge > 100):
		return fmt.Errorf("between 0 and 100 further samples")
	case s.Depth != nil && (*s.Depth < 2 || *s.Depth > 1000):
		return fmt.Errorf("between 2 and 1000 samples")
	case s.Remeasure != nil && !(*s.Remeasure >= 0 && *s.Remeasure <= 0.9):
		return fmt.Errorf("a share between 0 and 0.9")
	}
	return nil
}

// IsLive reports whether a configuration key may change while an experiment
// runs.
func IsLive(key string) bool { return settingFields[key] != "" }
