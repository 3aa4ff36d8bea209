package boot

const (
	sysFstatat   = 262
	sysPrlimit64 = 302
	sysSeccomp   = 317
	sysCopyRange = 326
)
