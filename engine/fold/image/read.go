package image

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"unsafe"
)

// Read fills what root points to with what [Write] wrote. It keeps and changes data, which
// must begin at a multiple of eight in memory and stay as long as what was read. Errors:
// [ErrDamaged] and [ErrOther]; what root points to is then worth nothing.
func Read(data []byte, root any, outside ...any) error {
	v, err := pointer(root)
	if err != nil {
		return err
	}
	layout, err := Layout(v.Type().Elem())
	if err != nil {
		return err
	}
	head := magic + string(layout[:])
	end := len(data) - 4
	if end < len(head) || crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return fmt.Errorf("%w: its checksum differs", ErrDamaged)
	}
	if string(data[:len(head)]) != head {
		return ErrOther
	}
	d := decoder{data: data[:end:end], at: len(head), flats: flats{}}
	for _, o := range outside {
		p, err := pointer(o)
		if err != nil {
			return err
		}
		d.known = append(d.known, p)
	}
	if err := d.value(v.Type().Elem(), v.UnsafePointer()); err != nil {
		return err
	}
	if d.at != end {
		return fmt.Errorf("%w: it goes on after its end", ErrDamaged)
	}
	return nil
}

type decoder struct {
	data  []byte
	at    int
	flats flats
	known []reflect.Value // pointers, in the order of their numbers
}

// take returns the next bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > len(d.data)-d.at {
		return nil, fmt.Errorf("%w: it ends too early", ErrDamaged)
	}
	d.at += n
	return d.data[d.at-n : d.at : d.at], nil
}

// flat returns the next values without pointers, n bytes of them.
func (d *decoder) flat(n int) ([]byte, error) {
	if _, err := d.take(padding(d.at)); err != nil {
		return nil, err
	}
	return d.take(n)
}

func (d *decoder) number() (uint64, error) {
	n, size := binary.Uvarint(d.data[d.at:])
	if size <= 0 {
		return 0, fmt.Errorf("%w: a number without end", ErrDamaged)
	}
	d.at += size
	return n, nil
}

// count reads how many values of a size come; none is no list at all.
func (d *decoder) count(size uintptr) (n int, none bool, err error) {
	c, err := d.number()
	if err != nil || c == 0 {
		return 0, true, err
	}
	if c-1 > uint64(len(d.data)) || (c-1)*uint64(size) > 32*uint64(len(d.data)) { // an empty list takes one byte for 24
		return 0, false, fmt.Errorf("%w: a list of %d", ErrDamaged, c-1)
	}
	return int(c - 1), false, nil
}

// value reads the value of a type to an address.
func (d *decoder) value(t reflect.Type, at unsafe.Pointer) error {
	if d.flats.flat(t) {
		b, err := d.flat(int(t.Size()))
		copy(unsafe.Slice((*byte)(at), t.Size()), b)
		return err
	}
	switch t.Kind() {
	case reflect.String:
		n, err := d.number()
		if err != nil {
			return err
		}
		b, err := d.take(int(n))
		*(*string)(at) = string(b)
		return err
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if err := d.value(f.Type, unsafe.Add(at, f.Offset)); err != nil {
				return err
			}
		}
	case reflect.Array:
		return d.list(t.Elem(), at, t.Len())
	case reflect.Slice:
		return d.slice(t, reflect.NewAt(t, at).Elem())
	case reflect.Pointer:
		return d.pointer(t, reflect.NewAt(t, at).Elem())
	case reflect.Map:
		return d.table(reflect.NewAt(t, at).Elem())
	}
	return nil
}

// list reads n values that have pointers, and lie next to each other.
func (d *decoder) list(t reflect.Type, at unsafe.Pointer, n int) error {
	for i := range n {
		if err := d.value(t, unsafe.Add(at, uintptr(i)*t.Size())); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) slice(t reflect.Type, to reflect.Value) error {
	size := t.Elem().Size()
	n, none, err := d.count(size)
	if err != nil || none {
		to.SetZero()
		return err
	}
	if n == 0 || !d.flats.flat(t.Elem()) {
		to.Set(reflect.MakeSlice(t, n, n))
		return d.list(t.Elem(), to.UnsafePointer(), n)
	}
	b, err := d.flat(n * int(size))
	if err == nil {
		at := reflect.NewAt(t.Elem(), unsafe.Pointer(unsafe.SliceData(b)))
		to.Set(reflect.SliceAt(t.Elem(), at.UnsafePointer(), n).Convert(t))
	}
	return err
}

// pointer reads none, a value that was read, or the next one.
func (d *decoder) pointer(t reflect.Type, to reflect.Value) error {
	n, err := d.number()
	switch {
	case err != nil:
		return err
	case n == 0:
		to.SetZero()
		return nil
	case n <= uint64(len(d.known)):
		if d.known[n-1].Type() != t {
			return fmt.Errorf("%w: a %s where a %s belongs", ErrDamaged, d.known[n-1].Type(), t)
		}
		to.Set(d.known[n-1])
		return nil
	case n > uint64(len(d.known))+1:
		return fmt.Errorf("%w: value %d before its turn", ErrDamaged, n)
	}
	if d.flats.flat(t.Elem()) && t.Elem().Size() > 0 {
		b, err := d.flat(int(t.Elem().Size()))
		if err == nil {
			p := reflect.NewAt(t.Elem(), unsafe.Pointer(unsafe.SliceData(b))).Convert(t)
			to.Set(p)
			d.known = append(d.known, p)
		}
		return err
	}
	p := reflect.New(t.Elem()).Convert(t)
	to.Set(p)
	d.known = append(d.known, p)
	return d.value(t.Elem(), p.UnsafePointer())
}

func (d *decoder) table(m reflect.Value) error {
	t := m.Type()
	n, none, err := d.count(1)
	if err != nil || none {
		m.SetZero()
		return err
	}
	m.Set(reflect.MakeMapWithSize(t, n))
	for range n {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := d.value(t.Key(), key.Addr().UnsafePointer()); err != nil {
			return err
		}
		if err := d.value(t.Elem(), value.Addr().UnsafePointer()); err != nil {
			return err
		}
		m.SetMapIndex(key, value)
	}
	return nil
}
