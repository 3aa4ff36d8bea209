package packing

import "testing"

// TestPlace packs a few thousand items and checks every answer by hand.
func TestPlace(t *testing.T) {
	var p Packer
	var free []int
	item := 37
	for n := range 3000 {
		item = (item*73+41)%Capacity + 1
		bin := p.Place(item)
		if bin == len(free) {
			free = append(free, Capacity)
		}
		if bin < 0 || bin > len(free) {
			t.Fatalf("item %d of size %d went to bin %d of %d", n, item, bin, len(free))
		}
		if free[bin] < item {
			t.Fatalf("item %d of size %d went to bin %d, which has %d left", n, item, bin, free[bin])
		}
		free[bin] -= item
	}
}
