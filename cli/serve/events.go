package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"

	"atoll/cli/door"
	"atoll/store/record"
)

// rowEvent is a row of the log as an event; its number is the event's id.
type rowEvent struct {
	Seq       record.Seq         `json:"seq"`
	At        record.Millis      `json:"at"`
	Kind      record.LogKind     `json:"kind"`
	Job       record.JobID       `json:"job"`
	Candidate record.CandidateID `json:"candidate"`
	Data      json.RawMessage    `json:"data,omitempty"`
}

// pulseEvent says that the state moved on, or that the line is alive.
type pulseEvent struct {
	Version uint64        `json:"version" doc:"Of the newest snapshot."`
	At      record.Millis `json:"at"`
}

// stream hands out events, to so many at a time.
type stream struct {
	door *door.Door
	now  func() time.Time
	open atomic.Int64
}

const (
	eventPage  = 500
	pulseEvery = time.Second      // at most, while something happens
	pulseIdle  = 15 * time.Second // at least
	gatherTime = 100 * time.Millisecond
)

// gathered is an answer that goes out when what is known is written, not event by
// event: many readers of a busy experiment would take a processor for themselves.
type gathered struct {
	http.ResponseWriter
	due bool
}

// Flush implements http.Flusher for what is asked for after each event.
func (g *gathered) Flush() { g.due = true }

// Unwrap lets deadlines through (http.ResponseController).
func (g *gathered) Unwrap() http.ResponseWriter { return g.ResponseWriter }

func (g *gathered) send() error {
	if !g.due {
		return nil
	}
	g.due = false
	return http.NewResponseController(g.ResponseWriter).Flush()
}

// gatheredKey finds the answer of a stream in its context.
type gatheredKey struct{}

// gather lets the handlers of streams say when their answer goes out.
func gather(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == prefix+"/events" {
			g := &gathered{ResponseWriter: w}
			w, r = g, r.WithContext(context.WithValue(r.Context(), gatheredKey{}, g))
		}
		next.ServeHTTP(w, r)
	})
}

// register adds the stream. A browser that lost the line comes back with the
// number of the last row it has, and goes on behind it.
func (s *stream) register(api huma.API) {
	sse.Register(api, huma.Operation{
		Method: http.MethodGet, Path: prefix + "/events", OperationID: "events", Summary: "The ordered log as it grows (server-sent events)",
		Description: "row: a row of the log; its id is its number. pulse: the state moved on, or the line is alive. Last-Event-ID or after resumes behind a row without loss or doubling; without either the stream begins now.",
		Errors:      asks,
	}, map[string]any{"row": rowEvent{}, "pulse": pulseEvent{}}, s.send)
}

type eventsInput struct {
	After string `query:"after" maxLength:"24" doc:"Only rows behind this number."`
	Last  string `header:"Last-Event-ID" maxLength:"24" doc:"The last row that was received; wins over after."`
	from  record.Seq
}

// Resolve reads where the stream begins (huma.Resolver).
func (in *eventsInput) Resolve(huma.Context) []error {
	text := in.After
	if in.Last != "" {
		text = in.Last
	}
	in.from = -1
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return []error{huma.Error400BadRequest("after and Last-Event-ID are numbers of rows")}
	}
	in.from = record.Seq(n)
	return nil
}

func (s *stream) send(ctx context.Context, in *eventsInput, send sse.Sender) {
	if s.open.Add(1) > streams {
		s.open.Add(-1)
		_ = send(sse.Message{Data: s.pulse(), Retry: 30_000}) // come back later
		return
	}
	defer s.open.Add(-1)
	if err := s.follow(ctx, in.from, send, ctx.Value(gatheredKey{}).(*gathered)); err != nil {
		return // the reader has gone, or was too slow
	}
}

func (s *stream) pulse() pulseEvent {
	return pulseEvent{Version: s.door.Feed().Latest().Version, At: record.Millis(s.now().UnixMilli())}
}

func (s *stream) follow(ctx context.Context, after record.Seq, send sse.Sender, answer *gathered) error {
	if after < 0 {
		tail, err := s.door.Reader().LogTail(ctx, 1)
		if err != nil {
			return err
		}
		after = 0
		if len(tail) > 0 {
			after = tail[0].Seq
		}
	}
	told, last := s.pulse(), s.now()
	if err := send(sse.Message{Data: told, Retry: 2000}); err != nil {
		return err
	}
	beat := time.NewTicker(pulseEvery)
	defer beat.Stop()
	soon := time.NewTimer(gatherTime)
	defer soon.Stop()
	for {
		rows, changed, err := s.door.Log().After(ctx, after, eventPage)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := send(sse.Message{ID: int(r.Seq), Data: rowEvent{r.Seq, r.At, r.Kind, r.Job, r.Candidate, r.Data}}); err != nil {
				return err
			}
			after = r.Seq
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(rows) == eventPage {
			continue
		}
		if err := answer.send(); err != nil {
			return err
		}
		if len(rows) > 0 { // the next ones go together
			changed = nil
			soon.Reset(gatherTime)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-soon.C:
		case <-beat.C:
			now := s.pulse()
			if now.Version == told.Version && s.now().Sub(last) < pulseIdle {
				continue
			}
			told, last = now, s.now()
			if err := send(sse.Message{Data: now}); err != nil {
				return err
			}
		}
	}
}
