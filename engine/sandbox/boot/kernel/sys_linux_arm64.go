package kernel

const (
	sysFstatat   = 79
	SysPrlimit64 = 261
	SysSeccomp   = 277
	SysCopyRange = 285
)
