package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"unsafe"
)

// Errors of [Read].
var (
	// ErrDamaged says that an image is not what was written: torn or changed.
	ErrDamaged = errors.New("the image is damaged")
	// ErrOther says that an image was written by a program whose types are others.
	ErrOther = errors.New("the image is of another version")
)

// magic begins an image; its last byte is the version of the format. The layout
// follows, then the values, then the checksum of it all in four bytes.
const magic = "atoll image\x00\x00\x00\x00\x01"

// Values without pointers begin at multiples of alignment.
const alignment = 8

// castagnoli is the polynomial that processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes what root points to. What outside points to is not written: pointers
// to it are told by their place in the list, and [Read] is given the like.
func Write(w io.Writer, root any, outside ...any) error {
	v, err := pointer(root)
	if err != nil {
		return err
	}
	layout, err := Layout(v.Type().Elem())
	if err != nil {
		return err
	}
	e := encoder{w: w, flats: flats{}, known: map[place]uint64{}}
	for _, o := range outside {
		p, err := pointer(o)
		if err != nil {
			return err
		}
		e.know(place{p.UnsafePointer(), p.Type().Elem()})
	}
	e.write([]byte(magic))
	e.write(layout[:])
	e.value(v.Type().Elem(), v.UnsafePointer())
	e.write(binary.LittleEndian.AppendUint32(nil, e.sum))
	return e.err
}

func pointer(to any) (reflect.Value, error) {
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return v, fmt.Errorf("an image is of what a pointer leads to, not of a %T", to)
	}
	return v, nil
}

// place is one value in memory: a struct and its first field lie at one address.
type place struct {
	at unsafe.Pointer
	t  reflect.Type
}

type encoder struct {
	w     io.Writer
	at    int // bytes written
	sum   uint32
	err   error
	flats flats
	known map[place]uint64 // the number of each value that a pointer led to, from 1
}

func (e *encoder) write(b []byte) {
	if e.err == nil {
		e.sum = crc32.Update(e.sum, castagnoli, b)
		_, e.err = e.w.Write(b)
		e.at += len(b)
	}
}

// flat writes values without pointers.
func (e *encoder) flat(at unsafe.Pointer, size uintptr) {
	var none [alignment]byte
	e.write(none[:padding(e.at)])
	e.write(unsafe.Slice((*byte)(at), size))
}

// padding is how many bytes are passed over at a place before values without pointers.
func padding(at int) int { return -at & (alignment - 1) }

func (e *encoder) know(p place) { e.known[p] = uint64(len(e.known) + 1) }

func (e *encoder) number(n uint64) {
	e.write(binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64), n))
}

// header is how a slice lies in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// value writes the value of a type at an address.
func (e *encoder) value(t reflect.Type, at unsafe.Pointer) {
	if e.err != nil {
		return
	}
	if e.flats.flat(t) {
		e.flat(at, t.Size())
		return
	}
	switch t.Kind() {
	case reflect.String:
		s := *(*string)(at)
		e.number(uint64(len(s)))
		e.write(unsafe.Slice(unsafe.StringData(s), len(s)))
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			e.value(f.Type, unsafe.Add(at, f.Offset))
		}
	case reflect.Array:
		e.list(t.Elem(), at, t.Len())
	case reflect.Slice:
		h := (*header)(at)
		if h.data == nil {
			e.number(0)
			return
		}
		e.number(uint64(h.len) + 1)
		e.list(t.Elem(), h.data, h.len)
	case reflect.Pointer:
		e.pointer(t.Elem(), *(*unsafe.Pointer)(at))
	case reflect.Map:
		e.table(reflect.NewAt(t, at).Elem())
	}
}

// list writes n values that lie next to each other; none take no bytes, not even to
// align.
func (e *encoder) list(t reflect.Type, at unsafe.Pointer, n int) {
	if n > 0 && e.flats.flat(t) {
		e.flat(at, uintptr(n)*t.Size())
		return
	}
	for i := range n {
		e.value(t, unsafe.Add(at, uintptr(i)*t.Size()))
	}
}

// pointer writes 0 for none, the number of a value that was written, or the next
// number and the value.
func (e *encoder) pointer(t reflect.Type, to unsafe.Pointer) {
	if to == nil {
		e.number(0)
		return
	}
	p := place{to, t}
	if n, ok := e.known[p]; ok {
		e.number(n)
		return
	}
	e.know(p)
	e.number(e.known[p])
	e.value(t, to)
}

func (e *encoder) table(m reflect.Value) {
	if m.IsNil() {
		e.number(0)
		return
	}
	e.number(uint64(m.Len()) + 1)
	key, value := reflect.New(m.Type().Key()), reflect.New(m.Type().Elem())
	for all := m.MapRange(); all.Next(); {
		key.Elem().Set(all.Key())
		value.Elem().Set(all.Value())
		e.value(key.Type().Elem(), key.UnsafePointer())
		e.value(value.Type().Elem(), value.UnsafePointer())
	}
}
