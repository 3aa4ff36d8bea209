package probe

import (
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// AddressMark stands for an address in what is told: a function has another one in
// each program, and so may a value on the heap.
const AddressMark = "0x(address)"

// withoutAddresses replaces the addresses that a text tells, as %v of a function or %p
// of a pointer writes them: where a function of this program begins, and what lies on the
// heap. Other numbers stay.
func withoutAddresses(text string) string {
	if !strings.Contains(text, "0x") {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, "0x")
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		n := 2
		for i+n < len(text) && strings.IndexByte("0123456789abcdef", text[i+n]) >= 0 {
			n++
		}
		digits := text[i : i+n]
		if isAddress(digits[2:]) {
			digits = AddressMark
		}
		b.WriteString(digits)
		text = text[i+n:]
	}
}

// heap is something on the heap. Go fills one stretch of four gigabytes after the other
// (runtime/malloc.go, mallocinit).
var heap = reflect.ValueOf(new([64]byte)).Pointer() >> 32

// isAddress reports whether digits are an address of this program.
func isAddress(digits string) bool {
	v, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return false
	}
	if heap > 0 && v>>32 == uint64(heap) {
		return true
	}
	f := runtime.FuncForPC(uintptr(v))
	return f != nil && f.Entry() == uintptr(v)
}
