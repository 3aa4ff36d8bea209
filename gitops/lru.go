package gitops

import (
	"container/list"
	"sync"
)

// lru keeps values up to a number of bytes, least recently used out first. It
// is safe for concurrent use.
type lru[K comparable, V any] struct {
	most int64

	mu    sync.Mutex
	bytes int64
	byKey map[K]*list.Element
	order *list.List // of *kept[K, V], most recent in front
}

type kept[K comparable, V any] struct {
	key   K
	value V
	bytes int64
}

func newLRU[K comparable, V any](most int64) *lru[K, V] {
	return &lru[K, V]{most: most, byKey: make(map[K]*list.Element), order: list.New()}
}

func (c *lru[K, V]) get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(el)
	return el.Value.(*kept[K, V]).value, true
}

// put keeps value, which takes the given bytes of memory with all that keeping
// it costs. What is kept under the key already stays, and what would not fit
// is not kept.
func (c *lru[K, V]) put(key K, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok || bytes > c.most {
		return
	}
	c.byKey[key] = c.order.PushFront(&kept[K, V]{key, value, bytes})
	c.bytes += bytes
	for c.bytes > c.most {
		c.remove(c.order.Back())
	}
}

// drop forgets the values whose key is not wanted any more.
func (c *lru[K, V]) drop(unwanted func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for el := c.order.Front(); el != nil; {
		next := el.Next()
		if unwanted(el.Value.(*kept[K, V]).key) {
			c.remove(el)
		}
		el = next
	}
}

// remove forgets one value. The caller holds mu.
func (c *lru[K, V]) remove(el *list.Element) {
	gone := c.order.Remove(el).(*kept[K, V])
	delete(c.byKey, gone.key)
	c.bytes -= gone.bytes
}
