package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"atoll/engine/fleet/wire"
)

// fleetFile is one of the files with which machines are started.
func fleetFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "fleet", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// understood has the program read the flags of a command, without carrying it out.
func understood(t *testing.T, words []string) {
	t.Helper()
	if len(words) < 3 || words[1] != "worker" {
		t.Fatalf("%q starts no worker", words)
	}
	if c := atoll(t, t.TempDir(), append(slices.Clone(words[1:]), "--help")...); c.code != 0 {
		t.Errorf("%q: exit %d, %s", words, c.code, c.err)
	}
}

// entry is what the image of a worker runs.
func entry(t *testing.T) []string {
	t.Helper()
	var words []string
	_, list, _ := strings.Cut(fleetFile(t, "Containerfile"), "\nENTRYPOINT ")
	if err := json.Unmarshal([]byte(list), &words); err != nil {
		t.Fatal(err)
	}
	return words
}

func TestTheFilesThatStartMachinesFitTheProgram(t *testing.T) {
	t.Parallel()
	understood(t, append(entry(t), "--join", "atoll1.x"))
	_, exec, _ := strings.Cut(fleetFile(t, "atoll-worker.service"), "\nExecStart=")
	line, _, _ := strings.Cut(exec, "\n")
	understood(t, strings.Fields(line))
}

func TestTheFileForKubernetesFitsImageQueueAndItself(t *testing.T) {
	t.Parallel()
	type meta struct{ Name string }
	var pods struct {
		Kind     string
		Metadata meta
		Spec     struct {
			Selector struct {
				MatchLabels map[string]string `yaml:"matchLabels"`
			}
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Grace      int `yaml:"terminationGracePeriodSeconds"`
					Containers []struct {
						Args         []string
						Env          []meta
						VolumeMounts []struct {
							Name string
							Path string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
					Volumes []meta
				}
			}
		}
	}
	var scaled struct {
		Kind string
		Spec struct {
			Target   meta `yaml:"scaleTargetRef"`
			Triggers []struct {
				Type     string
				Metadata map[string]string
			}
		}
	}
	docs := yaml.NewDecoder(strings.NewReader(fleetFile(t, "kubernetes.yaml")))
	for _, to := range []any{&pods, &scaled} {
		if err := docs.Decode(to); err != nil {
			t.Fatal(err)
		}
	}
	spec := pods.Spec.Template.Spec
	if pods.Kind != "Deployment" || scaled.Kind != "ScaledObject" || scaled.Spec.Target != pods.Metadata || spec.Grace < 60 ||
		pods.Spec.Selector.MatchLabels["app"] == "" || pods.Spec.Selector.MatchLabels["app"] != pods.Spec.Template.Metadata.Labels["app"] {
		t.Errorf("its parts do not fit: %+v, %+v", pods, scaled)
	}
	box := spec.Containers[0]
	args := slices.Clone(box.Args)
	for i := range args {
		for _, e := range box.Env {
			args[i] = strings.ReplaceAll(args[i], "$("+e.Name+")", "pod-1")
		}
	}
	if strings.Contains(strings.Join(args, " "), "$(") {
		t.Errorf("a variable of %q is not set", args)
	}
	words := entry(t)
	understood(t, append(words, args...))
	state := words[slices.Index(words, "--state")+1]
	for _, m := range box.VolumeMounts {
		if !slices.Contains(spec.Volumes, meta{m.Name}) {
			t.Errorf("there is no volume %s", m.Name)
		}
		if m.Name == "state" && m.Path != state {
			t.Errorf("the state is mounted at %s, and the image has it in %s", m.Path, state)
		}
	}
	queue := scaled.Spec.Triggers[0]
	if s := (wire.Subjects{}); queue.Type != "nats-jetstream" || queue.Metadata["stream"] != s.Stream() || queue.Metadata["consumer"] != s.Consumer(wire.DefaultPool) {
		t.Errorf("it follows the queue %+v", queue)
	}
}

func TestTheFileForSlurmStartsAWorkerOfEachTask(t *testing.T) {
	t.Parallel()
	stub := t.TempDir()
	if err := os.WriteFile(filepath.Join(stub, "atoll"), []byte("#!/bin/sh\nprintf '%s\\n' atoll \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for cores, slots := range map[string]string{"4": "2", "1": "1"} {
		cmd := exec.Command("sh", filepath.Join("..", "docs", "fleet", "slurm.sh"))
		cmd.Env = []string{"PATH=" + stub + ":" + os.Getenv("PATH"), "FLEET=nats://hub:4222", "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=31", "SLURM_CPUS_PER_TASK=" + cores, "SLURM_TMPDIR=/scratch"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Split(strings.TrimSpace(string(out)), "\n")
		want := "atoll worker --join nats://hub:4222 --name slurm-7-31 --slots " + slots + " --state /scratch/slurm-7-31"
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s cores: %s, want %s", cores, got, want)
		}
		understood(t, words)
	}
	// The worker is the batch shell itself, which alone hears the signal.
	if text := fleetFile(t, "slurm.sh"); !strings.Contains(text, "\n#SBATCH --signal=B:TERM@") || !regexp.MustCompile(`(?m)^exec atoll`).MatchString(text) {
		t.Error("the end of its time is not told to the worker")
	}
}
