package archive_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"atoll/engine/archive"
	"atoll/store/record"
)

const many = 100_000

func manyEntries() []archive.Entry {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([]archive.Entry, many)
	for i := range out {
		out[i] = archive.Entry{
			ID: record.CandidateID(i), Objective: rng.NormFloat64(), Samples: 1,
			Point: []float64{rng.Float64(), rng.Float64()},
		}
	}
	return out
}

func filled(tb testing.TB, entries []archive.Entry) *archive.Archive {
	tb.Helper()
	a := archive.New(archive.Uniform([]int{16, 16}), 0)
	for _, e := range entries {
		if _, err := a.Add(e); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

func BenchmarkAdd(b *testing.B) {
	entries := manyEntries()
	for b.Loop() {
		filled(b, entries)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/many, "ns/add")
}

func BenchmarkRemap(b *testing.B) {
	entries := manyEntries()
	a := filled(b, entries)
	turned := make([][]float64, many)
	for i := range turned {
		turned[i] = []float64{entries[i].Point[1], 1 - entries[i].Point[0]}
	}
	for b.Loop() {
		a.Remap(a.Shape(), func(id record.CandidateID) []float64 { return turned[id] })
	}
}

func BenchmarkStats(b *testing.B) {
	a := filled(b, manyEntries())
	for i := 0; b.Loop(); i++ {
		a.SetOffset(float64(i))
		a.Stats()
	}
}

func BenchmarkRemoveRestoreElite(b *testing.B) {
	a := filled(b, manyEntries())
	for b.Loop() {
		e, _ := a.Elite(7)
		a.Remove(e.ID)
		a.Restore(e.ID)
	}
}

func BenchmarkDigest(b *testing.B) {
	a := filled(b, manyEntries())
	for b.Loop() {
		a.Digest()
	}
}

// An entry that is no elite costs at most 120 bytes besides its coordinates.
func TestAnEntryIsSmall(t *testing.T) {
	entries := manyEntries()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a := filled(t, entries)
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / many
	t.Logf("%.0f bytes an entry, coordinates included", each)
	if each > 120+2*8 {
		t.Errorf("%.0f bytes an entry", each)
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(entries)
}
