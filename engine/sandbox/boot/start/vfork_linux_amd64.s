#include "textflag.h"

// func vfork(nr, a, b uintptr) (pid, errno uintptr)
//
// The child runs on this stack before the parent does, and writes over the place
// of the return address: it is kept in a register meanwhile.
TEXT ·vfork(SB),NOSPLIT|NOFRAME,$0-40
	MOVQ	a+8(FP), DI
	MOVQ	b+16(FP), SI
	MOVQ	$0, DX
	MOVQ	$0, R10
	MOVQ	$0, R8
	MOVQ	nr+0(FP), AX
	POPQ	R12
	SYSCALL
	PUSHQ	R12
	CMPQ	AX, $0xfffffffffffff001
	JLS	ok
	NEGQ	AX
	MOVQ	$0, pid+24(FP)
	MOVQ	AX, errno+32(FP)
	RET
ok:
	MOVQ	AX, pid+24(FP)
	MOVQ	$0, errno+32(FP)
	RET
