package boot

const (
	sysFstatat   = 79
	sysPrlimit64 = 261
	sysSeccomp   = 277
	sysCopyRange = 285
)
