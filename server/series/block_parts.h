#ifndef BLOCK_PARTS_H
#define BLOCK_PARTS_H

/* Bytes of the block format that its writer and its reader share. */
enum { ROWS_IN_SEQUENCE, ROWS_LISTED };

enum { STEPS_OF_NONE, STEPS_OF_ALL, STEPS_OF_SOME };

/* How the cells of one kind are spread over the rows; numbers in the lower bits, texts above. */
enum { SPREAD_NONE, SPREAD_ALL, SPREAD_LISTED, SPREAD_BITS = 2, SPREAD_MASK = 3 };

#endif
