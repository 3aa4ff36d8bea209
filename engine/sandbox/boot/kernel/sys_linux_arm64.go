package kernel

const (
	sysFstatat   = 79
	SysSetns     = 268
	SysPrlimit64 = 261
	SysSeccomp   = 277
	SysCopyRange = 285
)
