#ifndef JSON_SCALAR_H
#define JSON_SCALAR_H

struct json_rows;
struct json_scan;

/* json_scan_rows_body() as it is on machines without SIMD. */
void scalar_scan_rows_body(struct json_scan *s, struct json_rows *rows);

#endif
