/* sha256.h -- SHA-256 (FIPS 180-4), for sums that other tools must be able to check. */
#ifndef BS_SHA256_H
#define BS_SHA256_H

#include <stddef.h>

enum { BS_SHA256 = 32 }; /* bytes */

void bs_sha256(const void *bytes, size_t n, unsigned char out[BS_SHA256]);

#endif
