package packing

// worth says how good it is to leave room in a bin: the entries stand for 0,
// 10, 20, ... 100 units of room, with straight lines between them. Falling
// evenly, it is best fit: the less room is left, the better.
var worth = [11]float64{0, -10, -20, -30, -40, -50, -60, -70, -80, -90, -100}

// Priority says how much item should go into a bin with free units of room;
// the bin with the highest priority takes it. A new bin has Capacity units.
func Priority(item, free int) float64 {
	return worthOf(free - item)
}

// worthOf reads the table at any amount of room.
func worthOf(room int) float64 {
	low := room / 10
	if low >= 10 {
		return worth[10]
	}
	part := float64(room%10) / 10
	return worth[low] + part*(worth[low+1]-worth[low])
}
