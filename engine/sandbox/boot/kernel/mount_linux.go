package kernel

import (
	"syscall"
	"unsafe"
)

// The calls that make a file system without a place for it, and what they are told.
const (
	sysFsopen   = 430
	sysFsconfig = 431
	sysFsmount  = 432

	fsCloexec   = 1
	configFlag  = 0
	configText  = 1
	configMake  = 6
	mountRdonly = 1
	mountNosuid = 2
	mountNodev  = 4
)

// Option is one of a file system; without a value it is a flag.
type Option struct{ Name, Value string }

// NewMount makes a read-only mount of a new file system that is attached nowhere.
func NewMount(kind string, options ...Option) (int, error) {
	k := Cstr(kind)
	fs, _, e := syscall.Syscall(sysFsopen, uintptr(unsafe.Pointer(k)), fsCloexec, 0)
	if e != 0 {
		return -1, e
	}
	defer syscall.Close(int(fs))
	for _, o := range options {
		what, name := uintptr(configFlag), Cstr(o.Name)
		var value *byte
		if o.Value != "" {
			what, value = configText, Cstr(o.Value)
		}
		_, _, e := syscall.Syscall6(sysFsconfig, fs, what, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(value)), 0, 0)
		if e != 0 {
			return -1, e
		}
	}
	if _, _, e := syscall.Syscall6(sysFsconfig, fs, configMake, 0, 0, 0, 0); e != 0 {
		return -1, e
	}
	fd, _, e := syscall.Syscall(sysFsmount, fs, fsCloexec, mountRdonly|mountNosuid|mountNodev)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}
