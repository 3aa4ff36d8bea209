package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"atoll/engine/fleet/wire"
)

// queue is the stream of JetStream in which lie the tasks that did not find a slot at once,
// until they end: whoever starts machines by the length of a queue sees it there. Nobody
// but the coordinator has a right on it, and what is in work is decided by its table: a
// queue that is lost is filled anew.
type queue struct {
	js      jetstream.JetStream
	subject wire.Subjects
	storage jetstream.StorageType
}

func newQueue(nc *nats.Conn, s wire.Subjects, own bool) (queue, error) {
	js, err := jetstream.New(nc)
	storage := jetstream.FileStorage
	if own {
		storage = jetstream.MemoryStorage
	}
	return queue{js, s, storage}, err
}

// open makes the stream and its consumer, unless they are there.
func (q queue) open(ctx context.Context) error {
	ctx = within(ctx, 10*time.Second)
	_, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: q.subject.Stream(), Subjects: []string{q.subject.AllJobs()}, Retention: jetstream.WorkQueuePolicy, Storage: q.storage, MaxMsgSize: wire.MaxMessage,
		Duplicates: 2 * time.Minute,
	})
	if err != nil {
		return fmt.Errorf("open the queue of the fleet: %w; the NATS server needs JetStream (nats-server -js)", err)
	}
	_, err = q.js.CreateOrUpdateConsumer(ctx, q.subject.Stream(), jetstream.ConsumerConfig{
		Durable: q.subject.Consumer(wire.DefaultPool), FilterSubject: q.subject.Jobs(wire.DefaultPool), AckPolicy: jetstream.AckExplicitPolicy,
	})
	if err != nil {
		return fmt.Errorf("open the queue of the fleet: %w", err)
	}
	return nil
}

// clear empties the queue.
func (q queue) clear(ctx context.Context) error {
	s, err := q.js.Stream(within(ctx, 10*time.Second), q.subject.Stream())
	if err == nil {
		err = s.Purge(within(ctx, 10*time.Second))
	}
	if err != nil {
		return fmt.Errorf("clear the queue of the fleet: %w", err)
	}
	return nil
}

// put lays a task into the queue, and returns the number of its message.
func (q queue) put(ctx context.Context, data []byte) (uint64, error) {
	ack, err := q.js.Publish(within(ctx, 5*time.Second), q.subject.Jobs(wire.DefaultPool), data)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// take removes messages, and returns those that it could not. Those that are not there any
// more count as removed.
func (q queue) take(ctx context.Context, numbers []uint64) (left []uint64) {
	if len(numbers) == 0 {
		return nil
	}
	s, err := q.js.Stream(within(ctx, 2*time.Second), q.subject.Stream())
	for i, n := range numbers {
		if err == nil {
			err = s.DeleteMsg(within(ctx, 2*time.Second), n)
		}
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			err = nil
		}
		if err != nil { // the server is away
			return numbers[i:]
		}
	}
	return nil
}

// length is how many messages lie in the queue.
func (q queue) length(ctx context.Context) (uint64, error) {
	s, err := q.js.Stream(within(ctx, 2*time.Second), q.subject.Stream())
	if err != nil {
		return 0, err
	}
	return s.CachedInfo().State.Msgs, nil
}

// beforeQueue is how long a task waits for a slot before it lies in the queue, too.
const beforeQueue = 500 * time.Millisecond

// keeper has the queue hold what waits and what is in work of it.
type keeper struct{ *Coordinator }

// keep does so until ctx ends.
func (c keeper) keep(ctx context.Context) {
	tick := time.NewTicker(beforeQueue)
	defer tick.Stop()
	for looked := c.opt.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := c.opt.Now()
		c.mu.Lock()
		spent, lay := c.table.spent, c.table.queued()
		c.table.spent = nil
		c.mu.Unlock()
		left := c.queue.take(ctx, spent)
		c.mu.Lock()
		c.table.spent = append(c.table.spent, left...)
		c.mu.Unlock()
		if now.Sub(looked) >= c.opt.Lease/2 && lay+len(left) > 0 {
			looked = now
			c.mend(ctx)
		}
		c.mu.Lock()
		waiting := c.table.unqueued(now)
		c.mu.Unlock()
		for _, k := range waiting {
			n, err := c.queue.put(ctx, k.data)
			if err != nil {
				break
			}
			c.mu.Lock()
			if k.queued = n; c.table.tasks[k.id] != k { // it ended meanwhile
				c.table.spent = append(c.table.spent, n)
			}
			c.mu.Unlock()
		}
	}
}

// mend has what lay in the queue put into it again where it is empty: a server that lost
// its disk.
func (c keeper) mend(ctx context.Context) {
	if n, err := c.queue.length(ctx); err == nil && n > 0 {
		return
	}
	if c.queue.open(ctx) != nil || c.queue.clear(ctx) != nil { // no server
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.spent = nil
	for _, k := range c.table.tasks {
		k.queued = 0
	}
}
