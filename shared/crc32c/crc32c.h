#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli) of the bytes behind those that `sum` is of; begin with 0. */
uint32_t crc32c(uint32_t sum, const void *bytes, size_t count);

#endif
