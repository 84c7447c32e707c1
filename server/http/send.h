#ifndef SEND_H
#define SEND_H

#include <microhttpd.h>

#include "exchange.h"

/* Sends the known answer: the library has it from here on. MHD_NO: there is no memory for it. */
enum MHD_Result send_reply(struct http_exchange *ex);

#endif
