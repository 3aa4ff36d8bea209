package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// A disk that is full ends what runs, loses nothing that was acknowledged, and is no
// reason to give up: somebody will make room. Then the experiment goes on as it
// does after a crash.
const (
	roomEvery = 2 * time.Second // between two looks whether there is room again
	roomNeed  = 1 << 20         // bytes that must fit into the state directory
	roomFor   = time.Hour       // how long a run that nobody watches waits
)

// diskFull reports an error that more room would have spared.
func diskFull(err error) bool {
	switch {
	case err == nil:
		return false
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return true
	}
	return strings.Contains(err.Error(), "No space left on device") // git says so
}

// awaitRoom waits until the state directory takes files again, and answers questions
// meanwhile. The error is why it does not go on: the one it was called with, or
// the context's.
func (l *loop) awaitRoom(ctx context.Context, full error) error {
	l.fatal = fmt.Errorf("paused: the disk of %s is full; the run goes on by itself when there is room again (%w)", l.ses.Dir, full)
	l.note("error", record.NoJob, l.fatal.Error())
	l.publish(false)
	look := time.NewTicker(roomEvery)
	defer look.Stop()
	var enough <-chan time.Time
	if l.opt.Unattended {
		enough = time.After(roomFor)
	}
	for {
		select {
		case <-ctx.Done():
			return errors.Join(full, context.Cause(ctx))
		case <-enough:
			return full
		case question := <-l.questions:
			if l.st != nil {
				question(l.st)
			}
			continue
		case <-l.woken:
			if l.draining() {
				return full
			}
			continue
		case <-look.C:
		}
		if l.draining() {
			return full
		}
		if hasRoom(l.ses.Dir) {
			l.fatal = nil
			l.alarms.raise(func(r *alarm) { *r = alarm{} })
			l.note("info", record.NoJob, "there is room on the disk again: the run goes on")
			l.plan.Again()
			return nil
		}
	}
}

// hasRoom reports whether a folder takes a file of some size.
func hasRoom(dir string) bool {
	f, err := os.CreateTemp(dir, ".room-*")
	if err != nil {
		return false
	}
	_, err = f.Write(make([]byte, roomNeed))
	err = errors.Join(err, f.Sync())
	return errors.Join(err, f.Close(), os.Remove(f.Name())) == nil
}
