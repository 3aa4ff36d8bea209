package image

import (
	"encoding/binary"
	"hash/crc32"
)

// Summed gives bytes the checksum that an image of them has.
func Summed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(append([]byte{}, b...), crc32.Checksum(b, castagnoli))
}
