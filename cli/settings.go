package cli

import (
	"encoding/json"
	"reflect"

	"atoll/config"
	"atoll/store/record"
)

// sameSettings compares settings by value.
func sameSettings(a, b record.Settings) bool { return reflect.DeepEqual(a, b) }

// mergeSettings carries what differs between two configurations over to the
// settings in force, so that what a person changed while it ran stays.
func mergeSettings(force, before, after record.Settings) record.Settings {
	f, b, a := reflect.ValueOf(&force).Elem(), reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range f.NumField() {
		if !reflect.DeepEqual(b.Field(i).Interface(), a.Field(i).Interface()) {
			f.Field(i).Set(a.Field(i))
		}
	}
	return force
}

// overlay returns old with the keys that flags or the environment gave in l.
func overlay(old, given config.Config, l config.Loaded) config.Config {
	var o, g map[string]any
	if json.Unmarshal(config.Encode(old), &o) != nil || json.Unmarshal(config.Encode(given), &g) != nil {
		return given
	}
	for key := range l.Origins {
		copyKey(o, g, key)
	}
	data, err := json.Marshal(o)
	if err != nil {
		return given
	}
	merged, err := config.Decode(data)
	if err != nil {
		return given
	}
	return merged
}

// copyKey copies one dotted key between two decoded configurations; a key
// inside a list copies the whole list.
func copyKey(to, from map[string]any, key string) {
	for i := range len(key) {
		switch key[i] {
		case '[':
			to[key[:i]] = from[key[:i]]
			return
		case '.':
			t, ok1 := to[key[:i]].(map[string]any)
			f, ok2 := from[key[:i]].(map[string]any)
			if !ok1 || !ok2 {
				to[key[:i]] = from[key[:i]]
				return
			}
			copyKey(t, f, key[i+1:])
			return
		}
	}
	to[key] = from[key]
}
