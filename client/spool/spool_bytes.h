#ifndef SPOOL_BYTES_H
#define SPOOL_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Numbers of the format, in the order of its bytes. Records are written as they are in memory. */
_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "records are little endian in the spool");

static inline uint32_t spool_get32(const char *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof number);
	return number;
}

static inline uint64_t spool_get64(const char *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof number);
	return number;
}

static inline void spool_put32(char *at, uint32_t number)
{
	memcpy(at, &number, sizeof number);
}

static inline void spool_put64(char *at, uint64_t number)
{
	memcpy(at, &number, sizeof number);
}

#endif
