package eval_test

import (
	"strings"
	"testing"

	"atoll/engine/eval"
	"atoll/engine/sandbox"
	"atoll/store/record"
)

// phased is a plug-in in phases as Loreley documents it: what is measured is
// the program without its comments.
const phased = `import hashlib
from loreley.core.worker.evaluator import (
    EvalFail, EvalPass, EvaluationArtifact, EvaluationMeasurement, EvaluationPreparation, MeasurementEvidence)


class plugin:
    evaluation_protocol = "phased-v1"
    evaluation_concurrency_scope = "measurement"

    def prepare(self, context):
        lines = [l for l in open(context.worktree / "program.py") if not l.startswith("#")]
        if "syntax error\n" in lines:
            return EvalFail(kind="compile", summary="line 1 does not compile")
        release = "".join(lines)
        return EvaluationPreparation(
            candidate_identity="sha256:" + hashlib.sha256(release.encode()).hexdigest(),
            measurement_contract_fingerprint="corpus-1", state={"release": release, "lengths": (1, 2)})

    def measure(self, context, preparation):
        assert preparation.state["lengths"] == [1, 2], "state is JSON"
        if "slow" in preparation.state["release"]:
            return EvalFail(kind="benchmark", summary="too slow to measure")
        return EvaluationMeasurement(
            data={"length": len(preparation.state["release"])}, cacheable=True,
            evidence=(MeasurementEvidence(key="report", sha256="0" * 64, size_bytes=3),),
            artifacts=(EvaluationArtifact(key="report", kind="benchmark", mime_type="text/plain", inline_payload="only for people"),
                       EvaluationArtifact(key="hint", kind="hint", mime_type="text/plain", inline_payload="for agents", visibility="agent_visible")))

    def finalize(self, context, preparation, measurement, provenance):
        assert not provenance.reused and provenance.evidence[0].key == "report" and len(provenance.cache_key) == 64
        return EvalPass(summary="measured", candidate_identity=preparation.candidate_identity,
                        metrics={"name": "length", "value": measurement.data["length"]})
`

func TestLoreleyPlugInsInPhases(t *testing.T) {
	t.Parallel()
	python := needPython(t)
	change := func(code string) []record.Change {
		return []record.Change{{Path: "program.py", Mode: record.Regular, Data: []byte(code)}}
	}
	dir := mustTree(t, map[string]string{"ev.py": phased})
	repo := mustTree(t, map[string]string{"program.py": "# start\nx = 1\n"})
	e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{Adapter: "loreley", Command: []string{"ev:plugin"}, Dir: dir, AdapterOptions: map[string]string{"python": python}})
	root := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Root: true})
	checkOutcome(t, root, "", map[string]float64{"length": 6}, "")
	if root.Product == "" || root.Artifacts["hint"] != "for agents" {
		t.Errorf("product %q, artifacts %v", root.Product, root.Artifacts)
	}
	if _, shown := root.Artifacts["report"]; shown || !strings.Contains(evidence(root, "logs"), "only for people") {
		t.Errorf("what is for people alone: artifacts %v, logs %q", root.Artifacts, evidence(root, "logs"))
	}
	known := func(hash string) (record.CandidateID, bool) { return 0, hash == root.Product }
	for _, tt := range []struct {
		name, code, class, reason string
		twin                      bool
	}{
		{"other comments are the same program", "# changed\nx = 1\n", "", "", true},
		{"another program is measured", "# start\nx = 22\n", "", "", false},
		{"a failure of prepare", "syntax error\n", "build", "does not compile", false},
		{"a failure of measure", "slow = 1\n", "test", "too slow", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := mustRun(t, e, eval.Request{Base: repo, Trusted: repo, Candidate: 1, Delta: change(tt.code), SameProduct: known})
			checkOutcome(t, out, record.Class(tt.class), nil, tt.reason)
			if (out.Twin != nil) != tt.twin {
				t.Errorf("twin %v", out.Twin)
			}
		})
	}
}

func TestPhasesThatBreakTheirContract(t *testing.T) {
	python := needPython(t)
	const whole = "class plugin:\n  evaluation_protocol = 'phased-v1'\n  def prepare(self, c):\n    return {PREPARED}\n  def measure(self, c, p):\n    return {MEASURED}\n  def finalize(self, c, p, m, v):\n    return {'summary': 's', 'metrics': [{'name': 'm', 'value': 2}]}\n"
	const prepared, taken = "'candidate_identity': 'a', 'measurement_contract_fingerprint': 'b'", "'data': {}"
	for _, tt := range []struct {
		name, prepared, measured string
		class                    record.Class
		reason                   string
	}{
		{"mappings do as well", prepared, taken, "", ""},
		{"no identity", "'measurement_contract_fingerprint': 'b'", taken, record.ClassCrash, "no candidate_identity"},
		{"a state that is no JSON", prepared + ", 'state': {'f': open}", taken, record.ClassCrash, "not JSON serializable"},
		{"data that is not finite", prepared, "'data': {'x': float('nan')}", record.ClassCrash, "not JSON compliant"},
		{"cacheable without evidence", prepared, "'data': {}, 'cacheable': True", record.ClassCrash, "without evidence"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := mustTree(t, map[string]string{"ev.py": strings.NewReplacer("PREPARED", tt.prepared, "MEASURED", tt.measured).Replace(whole)})
			e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{Adapter: "loreley", Command: []string{"ev:plugin"}, Dir: dir, AdapterOptions: map[string]string{"python": python}})
			checkOutcome(t, mustRun(t, e, eval.Request{}), tt.class, nil, tt.reason)
		})
	}
	dir := mustTree(t, map[string]string{"ev.py": "class plugin:\n  evaluation_protocol = 'phased-v9'\n"})
	e := mustNew(t, &bare{t: t, rung: sandbox.Namespaces}, eval.Options{Adapter: "loreley", Command: []string{"ev:plugin"}, Dir: dir, AdapterOptions: map[string]string{"python": python}})
	checkOutcome(t, mustRun(t, e, eval.Request{}), record.ClassCrash, nil, "phased-v9")
}
