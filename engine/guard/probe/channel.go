package probe

import (
	"reflect"
	"strconv"
	"strings"
	"time"
)

// The bounds of what is taken from a channel.
const (
	mostReceived  = 100
	firstPatience = 20 * time.Millisecond  // until something comes
	nextPatience  = 250 * time.Millisecond // until it goes on
	allPatience   = 5 * time.Second        // with all channels of one process that do not end
)

// channel writes what a returned channel gives until it is closed. Of one that stays open
// nothing is told: what it gave depends on how long one waits.
func (s *shower) channel(b *strings.Builder, v reflect.Value, depth int) {
	if v.IsNil() {
		b.WriteString("nil")
		return
	}
	if depth > 0 || s.lib == nil || v.Type().ChanDir()&reflect.RecvDir == 0 {
		b.WriteString("chan")
		return
	}
	var got strings.Builder
	for n := range mostReceived {
		patience := firstPatience
		if n > 0 {
			patience = nextPatience
		}
		if s.lib.waited >= allPatience {
			patience = 0
		}
		x, open, came := receive(v, patience)
		switch {
		case !came:
			s.lib.waited += patience
			b.WriteString("chan")
			return
		case !open:
			b.WriteString("chan of " + strconv.Itoa(n) + " {" + got.String() + "}")
			return
		}
		if n > 0 {
			got.WriteString(", ")
		}
		s.value(&got, x, depth+1)
	}
	b.WriteString("chan of more {" + got.String() + "}")
}

// receive takes a value from a channel; came is false where none came in time.
func receive(v reflect.Value, patience time.Duration) (x reflect.Value, open, came bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	at, x, open := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: v}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(timer.C)}})
	return x, open, at == 0
}
