#ifndef LOAD_SOCKET_H
#define LOAD_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/* One kept-alive HTTP connection: a request out, an answer in; ends the program when it breaks. */
struct load_socket {
	int fd;
	char head[1024];
	size_t head_len;
	const char *body;
	size_t body_len;
	size_t sent;
	char answer[16 << 10];
	size_t answer_len;
};

void load_socket_open(struct load_socket *s, const char *host, const char *port);

/* Begins a request. `body` must stay until the answer is there. */
void load_socket_request(struct load_socket *s, const char *method, const char *path,
			 const char *host, const char *key, const char *body, size_t body_len);

/* Sends what the socket takes; true when all is sent. */
bool load_socket_send(struct load_socket *s);

/* Reads what is there: the status when the answer is complete, else 0. */
int load_socket_receive(struct load_socket *s);

/* One request and its answer, waiting: the status. */
int load_socket_ask(struct load_socket *s, const char *method, const char *path, const char *host,
		    const char *key, const char *body);

/* The text behind the head of the answer. */
const char *load_socket_answer_body(struct load_socket *s);

#endif
