/* Included before everything else in the second build of the scanner: what it defines gets other names. */
#define json_lex_nonfinite scalar_lex_nonfinite
#define json_lex_string scalar_lex_string
#define json_lex_too_deep scalar_lex_too_deep
#define json_lex_unescape scalar_lex_unescape
#define json_lex_unescape_bytes scalar_lex_unescape_bytes
#define json_lex_value scalar_lex_value
#define json_scan_rows scalar_scan_rows
#define json_scan_rows_body scalar_scan_rows_body
#define json_scan_usual scalar_scan_usual
