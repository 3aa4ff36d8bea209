package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atoll/engine/plugin"
	"atoll/examples"
)

// campaignExample is the example that the demo of campaigns works on.
const campaignExample = "deceptive"

// demoTools are files that the demo adds to it: source code in which the auditor finds
// two functions with too many branches.
func demoTools() map[string]string {
	return map[string]string{"tools/grade.py": demoGrade, "tools/advise.py": demoAdvise}
}

// demoAuditor is the folder of the plug-in that the demo has where python3 is there: the
// auditor that `atoll plugin new` writes, which looks for TODO, here below tools.
const demoAuditor = "plugins/todo"

// demoPlugin returns the files of the demo's plug-in, and what stands there for it to find. It
// is trusted by its hash, which is told; where that cannot be written, the demo goes without.
func (a *App) demoPlugin() (map[string]string, error) {
	tmp, err := os.MkdirTemp("", "atoll-demo-")
	if err != nil {
		return nil, fmt.Errorf("write the demo's plug-in: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := examples.Copy(campaignExample, filepath.Join(tmp, "example")); err != nil {
		return nil, err
	}
	yaml, err := os.ReadFile(filepath.Join(tmp, "example", "atoll.yaml"))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(tmp, "todo")
	if _, err := plugin.New(dir, "todo", plugin.Auditor, "python"); err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "plugin.py")
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	own := strings.Replace(string(text), `pathlib.Path(".")`, `pathlib.Path("tools")`, 1) // not its own text
	if err := os.WriteFile(program, []byte(own), 0o644); err != nil {
		return nil, err
	}
	p, err := plugin.Fill(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := os.ReadFile(filepath.Join(dir, plugin.ManifestName))
	if err != nil {
		return nil, err
	}
	if err := a.trustDemo(p); err != nil {
		fmt.Fprintf(a.Err, "atoll: the demo goes without its plug-in: %v\n", err)
		return nil, nil
	}
	return map[string]string{
		demoAuditor + "/plugin.py": own, demoAuditor + "/" + plugin.ManifestName: string(manifest), "tools/words.py": demoWords,
		"atoll.yaml": string(yaml) + "\nplugins:\n  auditors: [" + demoAuditor + "]\n",
	}, nil
}

// trustDemo trusts the demo's plug-in, and says so, unless it is trusted already.
func (a *App) trustDemo(p *plugin.Plugin) error {
	trust, err := plugin.OpenTrust(a.getenv)
	if err != nil || trust.Believes(p) == nil {
		return err
	}
	if err := trust.AddHash(p.Hash); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "atoll: the demo's plug-in %s is trusted by its hash; %s takes that back\n", demoAuditor, a.says("plugin trust --drop "+p.Hash))
	return nil
}

const demoWords = `"""Words for the plant's state."""


def state(power):
    return "runs" if power > 0 else "stands"  # TODO: say how well it runs
`

// demoPlugged is the task that mends what the demo's plug-in finds.
const demoPlugged = `7. Say how well it runs
   run: printf '"""Words for the state of the plant."""\n\n\ndef state(power):\n    return "runs at %%d kW" %% power if power > 0 else "stands"\n' > tools/words.py
   accept: audit todo/todo tools/words.py <= 0
   after: 1
   value: 4
`

const demoGrade = `"""Puts the power of the plant into words."""


def grade(power):
    """A grade from 0 to 18: one for each 5 kW from 5 to 90."""
    if power < 5:
        return 0
    if power < 10:
        return 1
    if power < 15:
        return 2
    if power < 20:
        return 3
    if power < 25:
        return 4
    if power < 30:
        return 5
    if power < 35:
        return 6
    if power < 40:
        return 7
    if power < 45:
        return 8
    if power < 50:
        return 9
    if power < 55:
        return 10
    if power < 60:
        return 11
    if power < 65:
        return 12
    if power < 70:
        return 13
    if power < 75:
        return 14
    if power < 80:
        return 15
    if power < 85:
        return 16
    if power < 90:
        return 17
    return 18
`

const demoAdvise = `"""Says which dial is far from the middle, and where it should go."""


def advise(dials):
    """The first dial that is out of its range, or an empty text."""
    if dials["speed"] < 40:
        return "speed up"
    elif dials["speed"] > 65:
        return "speed down"
    if dials["stroke"] < 40:
        return "stroke up"
    elif dials["stroke"] > 65:
        return "stroke down"
    if dials["inlet"] < 40:
        return "inlet up"
    elif dials["inlet"] > 65:
        return "inlet down"
    if dials["prime"] < 40:
        return "prime up"
    elif dials["prime"] > 65:
        return "prime down"
    if dials["lift"] < 40:
        return "lift up"
    elif dials["lift"] > 65:
        return "lift down"
    if dials["delay"] < 40:
        return "delay up"
    elif dials["delay"] > 65:
        return "delay down"
    if dials["seat"] < 40:
        return "seat up"
    elif dials["seat"] > 65:
        return "seat down"
    if dials["spring"] < 40:
        return "spring up"
    elif dials["spring"] > 65:
        return "spring down"
    return ""
`

// demoEpic is the backlog of the demo: it needs no key, and one task must fail. Two tasks mend
// what the auditor finds, so that its own tasks hold already when their turn comes.
const demoEpic = `# Better parameters, with proof

1. Note the start
   run: printf 'The campaign began here.\n' > CAMPAIGN.md
   value: 3
2. Find better parameters
   accept: gain >= 1%
   best: yes
   jobs: 25
   value: 8
   size: 2
3. Gain once more
   accept: gain >= 0.5%
   jobs: 25
   value: 5
   size: 2
4. Become a thousand times better at once
   accept: gain >= 100000%
   jobs: 10
   value: 3
   size: 3
   after: 1
5. Grade by arithmetic
   run: printf 'def grade(power):\n    """A grade from 0 to 18: one for each 5 kW from 5 to 90."""\n    return max(0, min(18, int(power // 5)))\n' > tools/grade.py
   accept: audit complexity tools/grade.py:grade <= 5
   after: 1
   value: 6
6. Advise by a loop
   run: printf 'def advise(dials):\n    """The first dial that is out of its range, or an empty text."""\n    for name, dial in dials.items():\n        if not 40 <= dial <= 65:\n            return name + (" up" if dial < 40 else " down")\n    return ""\n' > tools/advise.py
   accept: audit complexity tools/advise.py:advise <= 5
   after: 1
   value: 5
`
