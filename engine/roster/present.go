package roster

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"atoll/config"
	"atoll/engine/agent"
	"atoll/engine/agent/client"
	"atoll/engine/agent/prompt"
	"atoll/engine/plugin"
)

// CheckPresent says what the agents of a configuration need of this machine and is not
// there: programs, recordings, plug-ins, the folder of prompts. A run that is under way
// pauses where it meets such a lack; one that begins would measure the root for nothing.
func CheckPresent(cfg config.Config, getenv func(string) string) config.Problems {
	var out config.Problems
	bad := func(key, format string, args ...any) {
		out = append(out, config.Problem{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	for i, a := range cfg.Agents {
		if !Used(cfg, a) {
			continue
		}
		at := fmt.Sprintf("agents[%d]", i)
		switch a.Kind {
		case "command":
			if a.OnWorkers { // it may be on them alone
				continue
			}
			name, key := client.Program(a.Preset), at+".preset"
			if len(a.Command) > 0 {
				name, key = a.Command[0], at+".command"
			}
			if _, err := exec.LookPath(name); name != "" && !strings.Contains(name, "{") && err != nil {
				bad(key, "agent %q needs the program %s, which cannot be started here (%v): install it, or name it in command", a.Name, name, err)
			}
		case "replay":
			if _, err := agent.NewReplay(a.Recording, config.FileName); err != nil {
				bad(at+".recording", "agent %q: %v", a.Name, err)
			}
		case "plugin":
			if _, err := plugin.OpenAs(a.Plugin, getenv, plugin.Agent, plugin.Operator); err != nil {
				bad(at+".plugin", "agent %q: %v", a.Name, err)
			}
		}
	}
	if info, err := os.Stat(cfg.Prompts); cfg.Prompts != "" && (err != nil || !info.IsDir()) {
		bad("prompts", "there is no folder %s", cfg.Prompts)
	} else if _, err := prompt.New(cfg.Prompts); err != nil {
		bad("prompts", "%v", err)
	}
	return out
}
