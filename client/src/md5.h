#ifndef MD5_H
#define MD5_H

#include <stddef.h>
#include <stdint.h>

/* MD5 (RFC 1321), by which files of artifacts are compared. It protects against faults, not against people. */
#define MD5_BYTES 16
#define MD5_HEX_SIZE 33    /* with its end */
#define MD5_BASE64_SIZE 25 /* with its end */

struct md5 {
	uint32_t state[4];
	uint64_t length;
	unsigned char block[64];
};

void md5_init(struct md5 *md5) __attribute__((nonnull));
void md5_add(struct md5 *md5, const void *bytes, size_t count) __attribute__((nonnull(1)));
void md5_end(struct md5 *md5, unsigned char sum[MD5_BYTES]) __attribute__((nonnull));

void md5_hex(const unsigned char sum[MD5_BYTES], char text[MD5_HEX_SIZE]) __attribute__((nonnull));
void md5_base64(const unsigned char sum[MD5_BYTES], char text[MD5_BASE64_SIZE])
	__attribute__((nonnull));

#endif
