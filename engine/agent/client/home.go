package client

import "encoding/json"

// mustJSON encodes a literal of this file; it cannot fail.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("encode a client's configuration: " + err.Error())
	}
	return b
}

type object = map[string]any

// geminiFiles chooses the way to log in, without which gemini ends with 41,
// and bounds attempts and turns.
func geminiFiles(in presetInput) []homeFile {
	auth := "gemini-api-key"
	if in.own {
		auth = "oauth-personal"
	}
	turns := in.turns
	if turns <= 0 {
		turns = 200
	}
	return []homeFile{{path: ".gemini/settings.json", data: mustJSON(object{
		"security":  object{"auth": object{"selectedType": auth}},
		"privacy":   object{"usageStatisticsEnabled": false},
		"telemetry": object{"enabled": false},
		"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 2},
		"model":     object{"maxSessionTurns": turns},
	})}}
}

// openCodeConfig is the content of OPENCODE_CONFIG_CONTENT.
func openCodeConfig(in presetInput) string {
	cfg := object{
		"autoupdate": false, "share": "disabled", "snapshot": false,
		"permission": object{"external_directory": "deny", "webfetch": "deny"},
	}
	if !in.own {
		limit := object{"context": 200000, "output": 32000}
		if in.output > 0 {
			limit["output"] = in.output
		}
		cfg["model"], cfg["small_model"] = "atoll/"+in.model, "atoll/"+in.model
		cfg["enabled_providers"] = []string{"atoll"}
		cfg["provider"] = object{"atoll": object{
			"npm":     "@ai-sdk/openai-compatible",
			"options": object{"baseURL": in.base, "apiKey": "{env:" + tokenVar + "}"},
			"models":  object{in.model: object{"limit": limit}},
		}}
	}
	return string(mustJSON(cfg))
}

// piFiles names the gateway as pi's one provider.
func piFiles(in presetInput) []homeFile {
	if in.own {
		return nil
	}
	output := in.output
	if output <= 0 {
		output = 32000
	}
	return []homeFile{
		{path: ".pi/agent/models.json", data: mustJSON(object{"providers": object{"atoll": object{
			"baseUrl": in.base, "api": "openai-completions", "apiKey": tokenVar,
			"models": []object{{"id": in.model, "contextWindow": 200000, "maxTokens": output}},
		}}})},
		{path: ".pi/agent/settings.json", data: mustJSON(object{"retry": object{
			"maxRetries": 1, "baseDelayMs": 500, "provider": object{"maxRetries": 1},
		}})},
	}
}
