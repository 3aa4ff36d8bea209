// Package packing packs items into bins online: each item gets its bin before
// the next one is known, and stays there.
//
// A Packer holds the bins; Priority decides between them.
package packing

// Capacity is the room of an empty bin. Items are 1 to Capacity units.
const Capacity = 100

// Packer holds the bins that were opened so far.
type Packer struct {
	bins int
	open [Capacity + 1][]int // bins by their free room, oldest first
}

// Place returns the number of the bin that takes the item, from 0. The number
// that follows the last bin opens a new one.
func (p *Packer) Place(item int) int {
	free := p.choose(item)
	bin := p.bins
	if free == Capacity {
		p.bins++
	} else {
		bin = p.open[free][0]
		p.open[free] = p.open[free][1:]
	}
	p.open[free-item] = append(p.open[free-item], bin)
	return bin
}

// choose returns the free room of the bins with the highest priority, which is
// Capacity for a new one. Bins with the same room are alike.
func (p *Packer) choose(item int) int {
	best, bestPriority := Capacity, Priority(item, Capacity)
	for free := item; free < Capacity; free++ {
		if len(p.open[free]) == 0 {
			continue
		}
		if priority := Priority(item, free); priority > bestPriority {
			best, bestPriority = free, priority
		}
	}
	return best
}
