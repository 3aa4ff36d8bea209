package tree

import (
	"sort"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
)

// aged is a regular file and when it was changed.
type aged struct {
	path string // in the tree
	when int64
	size int64 // as [TreeSize] counts
	mode uint32
}

// CopyNewest copies those regular files of src into dst that were changed last, as
// many as fit in the given bytes, and all folders. One that alone would take a
// sixteenth is left out. It returns how much it copied.
func CopyNewest(src, dst int, most int64) (size int64, err error) {
	var list []aged
	if err := gather(src, dst, "", &list); err != nil {
		return 0, err
	}
	sort.Slice(list, func(i, j int) bool { return list[i].when > list[j].when })
	for _, f := range list {
		if f.size > most/16 || size+f.size > most {
			continue
		}
		if err := CopyFile(src, dst, f.path, f.path, f.mode); err != nil && !Missing(err) { // cleaned away meanwhile
			return size, err
		}
		size += f.size
	}
	return size, nil
}

// gather lists the regular files of src, and makes its folders in dst.
func gather(src, dst int, within string, list *[]aged) error {
	return eachName(src, func(name string) error {
		st, k, err := Kind(src, name)
		switch {
		case Missing(err):
			return nil
		case err != nil:
			return err
		case k == syscall.S_IFREG:
			*list = append(*list, aged{within + name, st.Mtim.Nano(), sizeOf(&st), uint32(st.Mode)&0o777 | 0o600})
		case k == syscall.S_IFDIR:
			if err := kernel.Mkdirat(dst, name, 0o755); err != nil {
				return err
			}
			return inBoth(src, dst, name, func(from, to int) error { return gather(from, to, within+name+"/", list) })
		}
		return nil
	})
}
