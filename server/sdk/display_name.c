/*
 * The words: of weather, landscape, plants and light, none that is said of people.
 */
#include "display_name.h"

#include <inttypes.h>

#include "arena.h"

static const char *const kinds[] = {
	"amber",  "ancient",  "azure",  "bright", "broad",  "calm",   "clear",   "cool",
	"copper", "cobalt",   "crisp",  "dawn",   "deep",   "dewy",   "distant", "dusty",
	"early",  "evening",  "fair",   "fresh",  "floral", "frosty", "gentle",  "gilded",
	"glad",   "grand",    "green",  "hidden", "icy",    "indigo", "ivory",   "jade",
	"late",   "light",    "lively", "lucid",  "lunar",  "mellow", "misty",   "mossy",
	"narrow", "northern", "olive",  "open",   "pale",   "pearly", "polar",   "quiet",
	"rainy",  "rosy",     "rustic", "sandy",  "serene", "silver", "snowy",   "solar",
	"stony",  "sunny",    "swift",  "tidal",  "upland", "vivid",  "warm",    "windy",
};

static const char *const things[] = {
	"acorn",  "alder",   "aspen",  "bay",     "beach",  "birch",  "bloom", "breeze",
	"brook",  "canyon",  "cedar",  "cliff",   "cloud",  "clover", "comet", "coral",
	"cove",   "creek",   "dale",   "delta",   "dune",   "elm",    "fern",  "field",
	"fjord",  "forest",  "garden", "glade",   "grove",  "harbor", "heath", "hill",
	"island", "lagoon",  "lake",   "larch",   "leaf",   "maple",  "marsh", "meadow",
	"moon",   "oasis",   "ocean",  "orchard", "peak",   "pebble", "pine",  "planet",
	"pond",   "prairie", "rain",   "reef",    "ridge",  "river",  "sea",   "shore",
	"sky",    "spring",  "star",   "stone",   "summit", "valley", "wave",  "willow",
};

#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

/* Seeds that are close, of clocks and counters, give words that are not: the finish of splitmix64. */
static uint64_t mixed(uint64_t seed)
{
	seed += UINT64_C(0x9e3779b97f4a7c15);
	seed = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	seed = (seed ^ (seed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return seed ^ (seed >> 31);
}

struct str display_name_invent(struct arena *a, uint64_t seed, int64_t number)
{
	uint64_t bits = mixed(seed);
	const char *kind = kinds[bits % COUNT(kinds)];
	const char *thing = things[(bits >> 32) % COUNT(things)];

	return str_of(arena_printf(a, "%s-%s-%" PRId64, kind, thing, number));
}
