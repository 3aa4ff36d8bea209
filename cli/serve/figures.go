package serve

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"atoll/cli/door"
	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// figures are what Prometheus reads. Labels are states, stages and classes, of
// which there are a dozen: never a commit, a job or a name that somebody chose.
type figures struct {
	door     *door.Door
	registry *prometheus.Registry
	stages   *prometheus.HistogramVec
	ends     *prometheus.CounterVec
	requests *prometheus.CounterVec
}

// stageBuckets are seconds: jobs take milliseconds to hours.
var stageBuckets = []float64{.005, .02, .1, .5, 2, 10, 60, 300, 1800, 7200}

func newFigures(d *door.Door) *figures {
	f := &figures{
		door: d, registry: prometheus.NewRegistry(),
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "atoll_job_stage_seconds", Help: "Time of ended jobs by stage: edit, measure, own.", Buckets: stageBuckets,
		}, []string{"stage"}),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "atoll_job_ends_total", Help: "Jobs that ended since this server started, by state and class of failure.",
		}, []string{"state", "class"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "atoll_http_requests_total", Help: "Requests by status code.",
		}, []string{"code"}),
	}
	f.registry.MustRegister(f.stages, f.ends, f.requests, newStateFigures(d), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return f
}

func (f *figures) handler() http.Handler {
	return promhttp.HandlerFor(f.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: answerTime})
}

// follow counts jobs as they end, until ctx ends.
func (f *figures) follow(ctx context.Context, feed *view.Feed) {
	counted := map[record.JobID]bool{} // of the newest 200
	for version, first := uint64(0), true; ; {
		s, err := feed.Wait(ctx, version)
		if err != nil {
			return
		}
		version = s.Version
		if s.Loading {
			continue
		}
		now := make(map[record.JobID]bool, len(s.Recent))
		for i := range s.Recent {
			j := &s.Recent[i].Job
			if now[j.ID] = true; !first && !counted[j.ID] {
				f.ended(j)
			}
		}
		counted, first = now, false
		select { // ends are not lost by looking now and then
		case <-ctx.Done():
			return
		case <-time.After(time.Second / 4):
		}
	}
}

func (f *figures) ended(j *record.Job) {
	f.ends.WithLabelValues(string(j.State), string(j.Class)).Inc()
	for stage, ms := range map[string]float64{"edit": float64(j.EditMS), "measure": float64(j.EvalMS), "own": j.OwnMS} {
		if ms > 0 {
			f.stages.WithLabelValues(stage).Observe(ms / 1000)
		}
	}
}

// count counts answers by their code.
func (f *figures) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &coded{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(c, r)
		f.requests.WithLabelValues(strconv.Itoa(c.code)).Inc()
	})
}

// coded remembers the code of an answer.
type coded struct {
	http.ResponseWriter
	code int
}

func (c *coded) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

// Unwrap lets streams flush and set deadlines (http.ResponseController).
func (c *coded) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// stateFigures are read from the newest state when they are asked for.
type stateFigures struct {
	door  *door.Door
	descs map[string]*prometheus.Desc
}

func newStateFigures(d *door.Door) stateFigures {
	s := stateFigures{d, map[string]*prometheus.Desc{}}
	for _, x := range []struct {
		name, help string
		labels     []string
	}{
		{"jobs", "Make jobs by state.", []string{"state"}},
		{"niches_filled", "Niches that somebody holds.", nil},
		{"coverage_ratio", "Share of niches that are filled.", nil},
		{"qd_score", "Sum of the elites' objectives above the offset.", nil},
		{"best_objective", "Objective of the best by the samples that decided, in the evaluator's direction.", nil},
		{"best_confirmed", "1 where the gain of the best is confirmed or nothing varies, 0 where it is not.", nil},
		{"root_objective", "Objective of the root.", nil},
		{"jobs_per_minute", "Ended make jobs a minute, over the last minutes.", nil},
		{"evaluations_total", "Runs of one stage of the evaluator.", nil},
		{"tokens_total", "Tokens of all requests.", []string{"direction"}},
		{"cost_usd", "Money spent; absent where a part of it is unknown.", nil},
		{"transaction_seconds", "Time of the transactions that this process wrote.", nil},
		{"engine_up", "1 while an engine runs the experiment.", nil},
	} {
		s.descs[x.name] = prometheus.NewDesc("atoll_"+x.name, x.help, x.labels, nil)
	}
	return s
}

// Describe implements prometheus.Collector.
func (s stateFigures) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range s.descs {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (s stateFigures) Collect(ch chan<- prometheus.Metric) {
	var snap *view.Snapshot
	if s.door != nil {
		snap = s.door.Snapshot()
	}
	if snap == nil || snap.Loading {
		return
	}
	gauge := func(name string, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(s.descs[name], prometheus.GaugeValue, v, labels...)
	}
	counter := func(name string, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(s.descs[name], prometheus.CounterValue, v, labels...)
	}
	j := snap.Jobs
	for state, n := range map[string]int{
		"queued": j.Queued, "running": j.Running, "held": j.Held, "placed": j.Placed, "scored": j.Scored, "rejected": j.Rejected, "failed": j.Failed, "duplicate": j.Duplicate, "cancelled": j.Cancelled,
	} {
		gauge("jobs", float64(n), state)
	}
	gauge("niches_filled", float64(snap.Grid.Filled))
	gauge("coverage_ratio", snap.Grid.Coverage)
	gauge("qd_score", snap.Grid.QD)
	if snap.Best.ID >= 0 {
		gauge("best_objective", snap.Best.Objective)
		sure := 0.0
		if w := snap.Best.Claim.Word; snap.Best.ID == record.Root || w == evidence.Confirmed || w == evidence.Exact {
			sure = 1
		}
		gauge("best_confirmed", sure)
	}
	if snap.Root.ID >= 0 {
		gauge("root_objective", snap.Root.Objective)
	}
	gauge("jobs_per_minute", snap.PerMinute)
	counter("evaluations_total", float64(snap.Evals))
	counter("tokens_total", float64(snap.Usage.InputTokens), "input")
	counter("tokens_total", float64(snap.Usage.OutputTokens), "output")
	if c := snap.Usage.CostUSD; c != nil {
		gauge("cost_usd", *c)
	}
	count, sum, buckets := s.door.Latency()
	ch <- prometheus.MustNewConstHistogram(s.descs["transaction_seconds"], count, sum, buckets)
	up := 0.0
	if snap.Owner || snap.OwnerPID != 0 {
		up = 1
	}
	gauge("engine_up", up)
}
