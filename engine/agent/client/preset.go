package client

import (
	"fmt"
	"slices"
	"strings"

	"atoll/engine/gateway"
	"atoll/engine/sandbox"
)

// PromptBy says how a client gets its prompt.
type PromptBy string

// The ways of a prompt. Stdin has no limit of length; one argument is limited
// to 128 KiB by the kernel.
const (
	promptStdin PromptBy = "stdin"
	promptArg   PromptBy = "arg"
	promptFile  PromptBy = "file"
)

// preset is how one known client is started and understood. The table is
// [presets]; docs/agents.md says which were run for real.
type preset struct {
	Name    string
	Program string // found on PATH unless the command names another
	Format  Format
	Prompt  PromptBy
	// Model reports that a model must be named when the gateway serves it.
	Model bool
	// Gateway reports that the client can be pointed at the gateway; one that
	// cannot runs with its own credentials or not at all.
	Gateway bool
	// API is the protocol it speaks then; "" = whichever the gateway serves.
	API gateway.API
	// Logins are files below the user's home that hold the client's own login.
	// They are copied into the sandbox only with own credentials.
	Logins []string

	args  func(in presetInput) []string
	env   func(in presetInput) []string
	files func(in presetInput) []homeFile
	drop  string // prefix of output lines that are filtered away inside
}

// presetInput is what argv, environment and files are made from.
type presetInput struct {
	model  string
	base   string // of the gateway for the client's protocol, without a slash at its end; "" = none
	ep     Endpoint
	token  string
	own    bool
	turns  int
	usd    float64
	output int64    // tokens of one answer
	scope  []string // files that may be changed, for clients that want them named
	prompt string   // path of the prompt file
}

// homeFile is a file in the private home of a run.
type homeFile struct {
	path string // relative to the home
	data []byte
}

// tokenVar holds the job's token inside the sandbox. It opens the gateway for
// this one job and nothing else.
const tokenVar = "ATOLL_TOKEN"

// presets lists the known clients by name.
func presets() []preset {
	return []preset{
		codexPreset(), claudePreset(), geminiPreset(), openCodePreset(), piPreset(), aiderPreset(), cursorPreset(),
		{Name: "generic", Format: streamText, Prompt: promptStdin, Gateway: true, env: genericEnv},
	}
}

// Program is what the client of a preset is called on PATH, "" where the command names it.
func Program(preset string) string {
	p, err := findPreset(preset)
	if err != nil {
		return ""
	}
	return p.Program
}

// Protocol is how the client of a preset speaks to a model; "" = any. The error
// lists the presets that there are.
func Protocol(presetName string) (gateway.API, error) {
	p, err := findPreset(presetName)
	return p.API, err
}

// findPreset returns the preset of a name; "" is generic. The error lists the
// names there are.
func findPreset(name string) (preset, error) {
	if name == "" {
		name = "generic"
	}
	var names []string
	for _, p := range presets() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return preset{}, fmt.Errorf("there is no preset %q: choose one of %s", name, strings.Join(names, ", "))
}

func codexPreset() preset {
	return preset{
		Name: "codex", Program: "codex", Format: streamCodex, Prompt: promptStdin, Model: true, Gateway: true, API: gateway.Responses,
		Logins: []string{".codex/auth.json"},
		args: func(in presetInput) []string {
			// Its own sandbox is off: the outer one holds more, and codex's own
			// refuses edits without an event when its home lies in a temporary folder.
			args := []string{
				"exec", "--json", "--ephemeral", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
				"-C", sandbox.TreeDir, "--disable", "plugins", "--disable", "unbounded_connection_retries",
				"-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false",
				"-c", `shell_environment_policy.exclude=["` + tokenVar + `"]`,
			}
			if in.model != "" {
				args = append(args, "-m", in.model)
			}
			if !in.own {
				args = append(args, "-c", "model_provider=atoll", "-c", `model_providers.atoll={name="atoll",base_url="`+in.base+
					`",env_key="`+tokenVar+`",wire_api="responses",request_max_retries=1,stream_max_retries=1,stream_idle_timeout_ms=300000}`)
			}
			return args
		},
		env: func(in presetInput) []string {
			return []string{"CODEX_HOME=" + sandbox.HomeDir + "/.codex", tokenVar + "=" + in.token}
		},
		files: func(presetInput) []homeFile { // the folder must exist
			return []homeFile{{path: ".codex/config.toml", data: []byte("# written for one job\n")}}
		},
	}
}

func claudePreset() preset {
	return preset{
		Name: "claude", Program: "claude", Format: streamClaude, Prompt: promptStdin, Gateway: true, API: gateway.Anthropic,
		Logins: []string{".claude/.credentials.json", ".claude.json"},
		args: func(in presetInput) []string {
			args := []string{
				"-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--setting-sources", "user",
				"--no-session-persistence", "--dangerously-skip-permissions",
			}
			if !in.own { // bare takes a key only, no login
				args = append(args, "--bare")
			}
			if in.model != "" {
				args = append(args, "--model", in.model)
			}
			if in.turns > 0 {
				args = append(args, "--max-turns", fmt.Sprint(in.turns))
			}
			if in.usd > 0 && in.own { // the gateway knows the real price, the client guesses
				args = append(args, "--max-budget-usd", fmt.Sprintf("%.4f", in.usd))
			}
			return args
		},
		env: func(in presetInput) []string {
			env := []string{
				"CLAUDE_CONFIG_DIR=" + sandbox.HomeDir + "/.claude", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=2", "API_TIMEOUT_MS=300000", "IS_SANDBOX=1",
			}
			if in.output > 0 {
				env = append(env, fmt.Sprintf("CLAUDE_CODE_MAX_OUTPUT_TOKENS=%d", in.output))
			}
			if in.own {
				return env
			}
			return append(env, "ANTHROPIC_BASE_URL="+in.base, "ANTHROPIC_API_KEY="+in.token)
		},
	}
}

func geminiPreset() preset {
	return preset{
		Name: "gemini", Program: "gemini", Format: streamGemini, Prompt: promptStdin, Model: true, Gateway: true, API: gateway.Gemini,
		Logins: []string{".gemini/oauth_creds.json", ".gemini/google_accounts.json"},
		args: func(in presetInput) []string {
			args := []string{"--approval-mode", "yolo", "--output-format", "stream-json"}
			if in.model != "" {
				args = append(args, "-m", in.model)
			}
			return args
		},
		env: func(in presetInput) []string {
			env := []string{"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true"}
			if in.own {
				return env
			}
			return append(env, "GEMINI_API_KEY="+in.token, "GOOGLE_GEMINI_BASE_URL="+in.base)
		},
		files: geminiFiles,
	}
}

func openCodePreset() preset {
	return preset{
		Name: "opencode", Program: "opencode", Format: streamOpenCode, Prompt: promptStdin, Model: true, Gateway: true, API: gateway.Chat,
		Logins: []string{".local/share/opencode/auth.json"},
		args: func(in presetInput) []string {
			args := []string{"run", "--format", "json", "--dir", sandbox.TreeDir, "--title", "job", "--auto"}
			switch {
			case in.own && in.model != "":
				args = append(args, "-m", in.model)
			case !in.own:
				args = append(args, "-m", "atoll/"+in.model)
			}
			return args
		},
		env: func(in presetInput) []string {
			return []string{
				"OPENCODE_CONFIG_CONTENT=" + openCodeConfig(in), "OPENCODE_DISABLE_PROJECT_CONFIG=1",
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", tokenVar + "=" + in.token,
			}
		},
	}
}

func piPreset() preset {
	return preset{
		Name: "pi", Program: "pi", Format: streamPi, Prompt: promptStdin, Model: true, Gateway: true, API: gateway.Chat,
		Logins: []string{".pi/agent/auth.json", ".pi/agent/models.json", ".pi/agent/settings.json"},
		// Each of these lines repeats the whole message so far.
		drop: `{"type":"message_update"`,
		args: func(in presetInput) []string {
			args := []string{"--mode", "json", "--no-session", "-ne", "-ns", "-np", "--no-themes"}
			if !in.own {
				args = append(args, "--provider", "atoll")
			}
			if in.model != "" {
				args = append(args, "--model", in.model)
			}
			return args
		},
		env: func(in presetInput) []string {
			return []string{"PI_CODING_AGENT_DIR=" + sandbox.HomeDir + "/.pi/agent", "PI_OFFLINE=1", "PI_TELEMETRY=0", tokenVar + "=" + in.token}
		},
		files: piFiles,
	}
}

func aiderPreset() preset {
	return preset{
		Name: "aider", Program: "aider", Format: streamText, Prompt: promptFile, Model: true, Gateway: true, API: gateway.Chat,
		args: func(in presetInput) []string {
			args := []string{
				"--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-stream", "--no-pretty",
				"--no-check-update", "--analytics-disable", "--no-show-model-warnings", "--no-show-release-notes",
				"--chat-history-file", sandbox.HomeDir + "/.aider.chat", "--input-history-file", sandbox.HomeDir + "/.aider.input",
				"--message-file", in.prompt,
			}
			if in.model != "" && in.own {
				args = append(args, "--model", in.model)
			} else if in.model != "" {
				args = append(args, "--model", "openai/"+in.model)
			}
			return append(args, in.scope...)
		},
		env: func(in presetInput) []string {
			if in.own {
				return nil
			}
			return []string{"OPENAI_API_BASE=" + in.base, "OPENAI_API_KEY=" + in.token}
		},
	}
}

func cursorPreset() preset {
	return preset{
		Name: "cursor-agent", Program: "cursor-agent", Format: streamClaude, Prompt: promptArg,
		Logins: []string{".config/cursor/auth.json", ".cursor/cli-config.json"},
		args: func(in presetInput) []string {
			args := []string{"-p", "--output-format", "stream-json", "--force"}
			if in.model != "" {
				args = append(args, "--model", in.model)
			}
			return args
		},
	}
}

// genericEnv gives any program the names that clients of the common services
// look for.
func genericEnv(in presetInput) []string {
	env := []string{"ATOLL_MODEL=" + in.model, "ATOLL_PROMPT=" + in.prompt}
	if u := in.ep.OpenAI; u != "" {
		env = append(env, "OPENAI_BASE_URL="+u, "OPENAI_API_BASE="+u, "OPENAI_API_KEY="+in.token)
	}
	if u := in.ep.Anthropic; u != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+u, "ANTHROPIC_API_KEY="+in.token)
	}
	if u := in.ep.Gemini; u != "" {
		env = append(env, "GOOGLE_GEMINI_BASE_URL="+u, "GEMINI_API_KEY="+in.token)
	}
	if in.token != "" {
		env = append(env, tokenVar+"="+in.token)
	}
	return env
}

// commandLine returns the arguments behind the program: those of the preset,
// then the user's, then the prompt when it is an argument.
func (p *preset) commandLine(in presetInput, extra []string, prompt string) []string {
	var args []string
	if p.args != nil {
		args = p.args(in)
	}
	args = slices.Concat(args, extra)
	switch {
	case p.Name == "codex":
		args = append(args, "-") // the prompt is on stdin
	case p.Prompt == promptArg:
		args = append(args, prompt)
	}
	return args
}
