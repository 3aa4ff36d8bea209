package pane

import (
	"encoding/json"

	"atoll/store/record"
)

// Decision returns a decision about nothing yet; the console signs it.
func Decision(v record.Verb) record.Decision {
	return record.NewDecision(v)
}

// Setting is the decision that changes a live setting: Args names key and
// value, Text tells people.
func Setting(key, value string) record.Decision {
	d := Decision(record.Set)
	d.Text = key + " = " + value
	d.Args, _ = json.Marshal(map[string]string{"key": key, "value": value}) // strings always encode
	return d
}
