package offline_test

import (
	"context"
	"crypto/sha1"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// memory is a tree in memory.
type memory struct {
	files []record.File
	data  map[string]string
	reads int
}

var _ agent.Tree = (*memory)(nil)

func newTree(data map[string]string) *memory {
	m := &memory{data: data}
	for p, s := range data {
		m.files = append(m.files, record.File{Path: p, Mode: record.Regular, Hash: sha1.Sum([]byte(s)), Size: int64(len(s))})
	}
	slices.SortFunc(m.files, func(a, b record.File) int { return strings.Compare(a.Path, b.Path) })
	return m
}

func (m *memory) Files() []record.File { return m.files }

func (m *memory) Read(_ context.Context, path string) ([]byte, error) {
	m.reads++
	s, ok := m.data[path]
	if !ok {
		return nil, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	return []byte(s), nil
}

// with returns the tree with some files replaced.
func (m *memory) with(changes []record.Change) *memory {
	data := map[string]string{}
	for p, s := range m.data {
		data[p] = s
	}
	for _, c := range changes {
		data[c.Path] = string(c.Data)
	}
	return newTree(data)
}

// newRand is the random source of job n.
func newRand(n int) *rand.Rand { return rand.New(rand.NewPCG(7, uint64(n)*0x9e3779b97f4a7c15)) }

// newJob is job n with an operator; others become its inspirations.
func newJob(n int, op record.Operator, parent *memory, others ...*memory) agent.Job {
	j := agent.Job{Number: record.JobID(n), Rand: newRand(n), Operator: op, Parent: agent.Item{ID: 0, Files: parent}}
	for i, o := range others {
		j.Inspirations = append(j.Inspirations, agent.Item{ID: record.CandidateID(i + 1), Files: o})
	}
	return j
}

// mustEdit returns the changed tree and the result of job n.
func mustEdit(t testing.TB, j agent.Job, parent *memory) (*memory, agent.Result) {
	t.Helper()
	res, err := offline.New(offline.Options{}).Edit(context.Background(), j, parent)
	if err != nil {
		t.Fatalf("%s %s: %v", j.Operator, j.Number, err)
	}
	return parent.with(res.Changes), res
}

const goSample = `package pack

import (
	"math"
	"sort"
	"strings"
)

// Item is what is packed.
type Item struct {
	Size   float64
	Name   string
	Weight int
}

type box struct {
	room  float64
	items []Item
}

const capacity = 100.0

// fits reports whether an item goes into a box.
func (b *box) fits(it Item) bool { return b.room >= it.Size }

func (b *box) put(it Item) {
	b.room -= it.Size
	b.items = append(b.items, it)
}

// Priority scores the boxes for an item; the highest takes it.
func Priority(size float64, rooms []float64) []float64 {
	scores := make([]float64, len(rooms))
	largest := 0.0
	for _, r := range rooms {
		largest = math.Max(largest, r)
	}
	for i, r := range rooms {
		left := r - size
		score := -left / capacity
		if left < 0.05*capacity || left > 0.3*largest {
			score += math.Sqrt(math.Abs(left)) * 0.7
		}
		scores[i] = score
	}
	return scores
}

// Pack packs items in order and returns how many boxes it took.
func Pack(items []Item) int {
	sort.Slice(items, func(i, j int) bool { return items[i].Size > items[j].Size })
	var boxes []*box
	for k, it := range items {
		var rooms []float64
		for _, b := range boxes {
			if b.fits(it) {
				rooms = append(rooms, b.room)
			}
		}
		if len(rooms) == 0 || k == 0 {
			boxes = append(boxes, &box{room: capacity})
			boxes[len(boxes)-1].put(it)
			continue
		}
		scores := Priority(it.Size, rooms)
		best, at := math.Inf(-1), -1
		for i, s := range scores {
			if s > best && (at < 0 || s-best > 1e-9) {
				best, at = s, i
			}
		}
		n := 0
		for _, b := range boxes {
			if !b.fits(it) {
				continue
			}
			if n == at {
				b.put(it)
				break
			}
			n++
		}
	}
	return len(boxes)
}

// Label names the boxes.
func Label(items []Item, width int) string {
	var parts []string
	total := 0
	for i := 0; i < len(items) && i < width*2+1; i++ {
		total += items[i].Weight << 1
		parts = append(parts, strings.ToUpper(items[i].Name))
	}
	switch {
	case total > 1000 && width >= 3:
		return strings.Join(parts, "+")
	case total == 0:
		return "none"
	}
	return strings.Join(parts[:min(len(parts), width)], ",")
}
`

const pythonSample = `"""Packs circles, version 1.2."""
import math
from os import path

CENTRES = [
    (0.0833, 0.1), (0.25, 0.1),
    (0.4167, 0.3), (0.5833, 0.1234),
]
MARGIN = 1e-12
ROUNDS = 40


def wall(x, y):
    return min(x, 1.0 - x, y, 1.0 - y)  # 0.5 at most


class Packing:
    def __init__(self, centres, scale=1.5):
        self.centres = list(centres)
        self.scale = scale

    def radius(self, i):
        x, y = self.centres[i]
        best = wall(x, y) * self.scale
        for j, (u, v) in enumerate(self.centres):
            if j != i and best > 0:
                gap = math.hypot(x - u, y - v) / 2.0
                best = min(best, gap)
            else:
                continue
        return best - MARGIN

    def total(self):
        parts = [self.radius(i) + 0.01 * k for k, i in enumerate(range(len(self.centres)))]
        mean = sum(parts) / max(1, len(parts))
        while mean > 10 and not math.isinf(mean):
            mean = mean / 2
            mean -= 0.25
        if mean < 0:
            mean = -mean
        elif mean == 0:
            return 0.0
        else:
            mean += 0.125
        return sum(parts)


def pack_circles(n=26):
    p = Packing(CENTRES[:n])
    key = sorted(range(n), key=lambda k: -k * 3)
    return [(x, y, p.radius(i)) for i, (x, y) in enumerate(p.centres)], key
`

const jsSample = `import { thing } from "./thing2.js";
export const LIMIT = 42.5;
const re = /a{2,3}/g;

export function score(x, y) {
  // 3 things
  let total = x * 0.5 + y / 3;
  for (let i = 0; i < 10; i++) {
    total += Math.max(x - i, y * 1.25);
    total -= i;
  }
  if (total > LIMIT && x !== y) {
    total = total / 2;
  }
  return total;
}

const scale = (k) => k * 7.5;
`

const cSample = `#include <math.h>
#define N 16
static double weights[3] = {0.5, -1.25, 3.0f};

double score(double x, double y) {
    double total = x * 0.5 + y / 3.0;
    /* 4 steps */
    for (int i = 0; i < 10; i++) {
        total += fmax(x - i, y * 1.25);
        total -= 0.125;
    }
    if (total > 42.0 && x < y) {
        total = total / 2.0;
    }
    return total;
}
`
