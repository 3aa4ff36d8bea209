package mcp

import (
	"encoding/json"
	"testing"
)

func TestARefusalIsJSONWhateverItSays(t *testing.T) {
	for name, why := range map[string]string{
		"plain words":         "this line is no JSON",
		"quotes and slashes":  `the name "a\b" is there twice`,
		"control characters":  "a\x01b\x7f\n",
		"letters of Unicode":  "日本 \u2028 \U0001F41A",
		"what no text may be": "a\xffb",
	} {
		t.Run(name, func(t *testing.T) {
			var got struct {
				ID    any
				Error struct {
					Code    int64
					Message string
				}
			}
			text := refusal(-32600, why, nil)
			if err := json.Unmarshal(text, &got); err != nil || got.ID != nil || got.Error.Code != -32600 || got.Error.Message == "" {
				t.Errorf("%v in %s", err, text)
			}
		})
	}
}
