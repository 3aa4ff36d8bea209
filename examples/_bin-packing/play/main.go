// Command play answers one item after the other: it reads a byte with the size
// of an item and writes the number of its bin as four bytes, least first,
// before it reads on. A zero begins a new instance.
package main

import (
	"binpacking/packing"
	"encoding/binary"
	"os"
)

func main() {
	packer := &packing.Packer{}
	var item [1]byte
	var bin [4]byte
	for {
		if n, err := os.Stdin.Read(item[:]); n == 0 || err != nil {
			return
		}
		if item[0] == 0 {
			packer = &packing.Packer{}
			continue
		}
		binary.LittleEndian.PutUint32(bin[:], uint32(packer.Place(int(item[0]))))
		if _, err := os.Stdout.Write(bin[:]); err != nil {
			os.Exit(1)
		}
	}
}
