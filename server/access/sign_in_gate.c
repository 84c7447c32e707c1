#include "sign_in_gate.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "keyed_hash.h"
#include "password.h"
#include "rate_limit.h"

enum { SLOTS = 16384, NETWORK_BYTES = 8 };
#define QUARTER_US (INT64_C(15) * 60 * 1000000)

/* Failures counted by name, or by address. */
struct side {
	struct hash_key key;
	struct rate_limit_rule rule;
	struct rate_limit slots[SLOTS];
};

struct sign_in_gate {
	pthread_mutex_t lock;
	struct memory *memory;
	int64_t parallel;
	int64_t active;
	uint64_t right, wrong, limited, busy; /* tries that ended so */
	struct side names;
	struct side addresses;
};

static void side_init(struct side *side, int64_t failures)
{
	hash_key_make(&side->key);
	side->rule = (struct rate_limit_rule){ failures, QUARTER_US };
}

struct sign_in_gate *sign_in_gate_new(const struct sign_in_limits *limits, struct memory *memory)
{
	struct sign_in_gate *gate = calloc(1, sizeof(*gate));

	if (!gate)
		abort();
	pthread_mutex_init(&gate->lock, NULL);
	gate->memory = memory;
	gate->parallel = limits->parallel;
	side_init(&gate->names, limits->name_failures);
	side_init(&gate->addresses, limits->address_failures);
	return gate;
}

void sign_in_gate_free(struct sign_in_gate *gate)
{
	if (!gate)
		return;
	pthread_mutex_destroy(&gate->lock);
	free(gate);
}

static struct rate_limit *slot_of(struct side *side, struct str what)
{
	return &side->slots[hash_keyed(&side->key, what) % SLOTS];
}

static struct rate_limit *name_slot(struct sign_in_gate *gate, const struct sign_in_try *t)
{
	return slot_of(&gate->names, t->device.len ? t->device : t->name);
}

/* IPv6 addresses are counted by network: a client that has one address of it has all. */
static struct rate_limit *address_slot(struct sign_in_gate *gate, const struct sign_in_try *t)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char text[INET6_ADDRSTRLEN];

	if (t->address.len >= sizeof(text))
		return slot_of(&gate->addresses, t->address);
	memcpy(text, t->address.at, t->address.len);
	text[t->address.len] = '\0';
	if (inet_pton(AF_INET6, text, bytes) != 1)
		return slot_of(&gate->addresses, t->address);
	return slot_of(&gate->addresses, (struct str){ (const char *)bytes, NETWORK_BYTES });
}

static int64_t wait_us(struct sign_in_gate *gate, const struct sign_in_try *t, int64_t now_us)
{
	int64_t for_name = rate_limit_wait_us(name_slot(gate, t), &gate->names.rule, now_us);
	int64_t for_address =
		rate_limit_wait_us(address_slot(gate, t), &gate->addresses.rule, now_us);

	return for_name > for_address ? for_name : for_address;
}

/* A single password is always checked, even when memory is full. */
static bool is_full(const struct sign_in_gate *gate)
{
	return gate->active >= gate->parallel ||
	       (gate->active && !memory_has(gate->memory, PASSWORD_MEMORY));
}

static err_t enter(struct sign_in_gate *gate, struct arena *a, const struct sign_in_try *t,
		   int64_t now_us, int64_t *ret_wait_s)
{
	int64_t wait = wait_us(gate, t, now_us);

	*ret_wait_s = wait / 1000000 + 1;
	gate->limited += wait != 0;
	gate->busy += !wait && is_full(gate);
	if (wait)
		return err_new(
			a, ERR_RATE_LIMIT,
			"too many failed attempts: try again after the seconds in Retry-After");
	if (is_full(gate))
		return err_new(a, ERR_BUSY, "too many users are signing in");
	gate->active++;
	rate_limit_take(name_slot(gate, t), &gate->names.rule, now_us);
	rate_limit_take(address_slot(gate, t), &gate->addresses.rule, now_us);
	return NULL;
}

err_t sign_in_gate_enter(struct sign_in_gate *gate, struct arena *a, const struct sign_in_try *t,
			 int64_t now_us, int64_t *ret_wait_s)
{
	err_t e;

	pthread_mutex_lock(&gate->lock);
	e = enter(gate, a, t, now_us, ret_wait_s);
	pthread_mutex_unlock(&gate->lock);
	if (!e)
		memory_take(gate->memory, MEMORY_REQUESTS, PASSWORD_MEMORY);
	return e;
}

void sign_in_gate_leave(struct sign_in_gate *gate, const struct sign_in_try *t,
			enum sign_in_result result)
{
	memory_give(gate->memory, MEMORY_REQUESTS, PASSWORD_MEMORY);
	pthread_mutex_lock(&gate->lock);
	gate->active--;
	gate->right += result == SIGN_IN_RIGHT;
	gate->wrong += result == SIGN_IN_WRONG;
	if (result == SIGN_IN_RIGHT) {
		rate_limit_give_back(name_slot(gate, t), &gate->names.rule);
		rate_limit_give_back(address_slot(gate, t), &gate->addresses.rule);
	}
	pthread_mutex_unlock(&gate->lock);
}

void sign_in_gate_metrics(struct sign_in_gate *gate, struct buf *text)
{
	static const char line[] = "cairn_sign_ins_total{result=\"%s\"} %" PRIu64 "\n";

	buf_add_text(text, "# HELP cairn_sign_ins_total Attempts to sign in with a password.\n"
			   "# TYPE cairn_sign_ins_total counter\n");
	pthread_mutex_lock(&gate->lock);
	buf_printf(text, line, "right", gate->right);
	buf_printf(text, line, "wrong", gate->wrong);
	buf_printf(text, line, "limited", gate->limited);
	buf_printf(text, line, "busy", gate->busy);
	pthread_mutex_unlock(&gate->lock);
}
