/*
 * One rank of the training. All ranks hold the same weights and shuffle the images in the same way;
 * each takes its share of a step's images, the gradients are summed, and all make the same step.
 * Rank 0 is the run's primary and logs what is true of the whole; every rank logs what is true of
 * itself.
 */
#include "train.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cairn.h"
#include "checkpoint.h"
#include "random.h"
#include "say.h"

enum { FINISH_MS = 15000 };

struct rank {
	const struct options *options;
	const struct dataset *dataset;
	struct reduce *reduce;
	struct cairn_run *run; /* NULL: there is no server to log to */
	int rank;
	int64_t step;
	int64_t steps; /* in all */
	uint32_t members;
	uint32_t order[DATASET_TRAIN];
	struct model model;
	float velocity[MODEL_WEIGHTS];
	float gradient[MODEL_WEIGHTS];
};

/* What one step was like for this rank. */
struct step {
	double start_ms;
	double computed_ms;
	struct model_sums local;
	struct model_sums all;
	double rate;
	double gradient_norm;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void rest(int ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static void start_run(struct rank *r)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	char label[32];
	char error[256];

	snprintf(label, sizeof(label), "rank%d", r->rank);
	options.project = r->options->project;
	options.run_id = r->options->run_id;
	options.label = label;
	options.role = r->rank == 0 ? CAIRN_ROLE_DEFAULT : CAIRN_WORKER;
	options.display_name = "digits";
	options.job_type = "train";
	if (cairn_run_start(&options, &r->run) == CAIRN_OK)
		return;
	cairn_last_error(NULL, error, sizeof(error));
	if (r->rank == 0)
		say_error(NULL, "nothing is logged: %s", error);
}

static void log_config(struct rank *r)
{
	const struct options *o = r->options;
	char text[512];

	if (r->rank != 0) {
		snprintf(text, sizeof(text), "{\"ranks\":{\"rank%d\":{\"pid\":%ld}}}", r->rank,
			 (long)getpid());
		(void)cairn_config_json(r->run, text);
		return;
	}
	snprintf(text, sizeof(text),
		 "{\"model\":{\"kind\":\"mlp\",\"hidden\":%d,\"weights\":%d},"
		 "\"data\":{\"name\":\"uci-digits\",\"train\":%d,\"test\":%d},"
		 "\"world_size\":%d,\"epochs\":%d,\"batch\":%d,\"rate\":%.17g,\"momentum\":0.9,"
		 "\"schedule\":\"warmup-cosine\",\"seed\":%d,"
		 "\"ranks\":{\"rank0\":{\"pid\":%ld}}}",
		 MODEL_HIDDEN, MODEL_WEIGHTS, DATASET_TRAIN, DATASET_TEST, o->ranks, o->epochs,
		 o->batch, o->rate, o->seed, (long)getpid());
	(void)cairn_config_json(r->run, text);
}

/* Rises over the first twentieth of the training, then falls along half a cosine. */
static double learning_rate(const struct rank *r)
{
	double warm = fmax(1, (double)r->steps / 20);
	double at = (double)r->step;

	if (at < warm)
		return r->options->rate * at / warm;
	return r->options->rate * 0.5 * (1 + cos(M_PI * (at - warm) / ((double)r->steps - warm)));
}

static void shuffle_epoch(struct rank *r, int epoch)
{
	struct random_source source = { (uint64_t)r->options->seed << 32 | (uint32_t)epoch };

	for (uint32_t i = 0; i < DATASET_TRAIN; i++)
		r->order[i] = i;
	random_shuffle(&source, r->order, DATASET_TRAIN);
}

/* The part of images [0, count) that falls to this rank among the members. */
static void share_of(const struct rank *r, int count, int *ret_first, int *ret_count)
{
	int members = __builtin_popcount(r->members);
	int place = __builtin_popcount(r->members & ((UINT32_C(1) << r->rank) - 1));
	int end = count * (place + 1) / members;

	*ret_first = count * place / members;
	*ret_count = end - *ret_first;
}

static void kill_self_if_asked(const struct rank *r)
{
	if (r->options->kill_rank == r->rank && r->step == r->options->kill_step)
		kill(getpid(), SIGKILL);
}

static enum reduce_result make_step(struct rank *r, const uint32_t *images, int count,
				    struct step *s)
{
	enum reduce_result result;
	int first;
	int share;

	share_of(r, count, &first, &share);
	memset(r->gradient, 0, sizeof(r->gradient));
	s->local =
		model_gradient(&r->model, r->dataset, images + first, (size_t)share, r->gradient);
	s->computed_ms = now_ms();
	s->all = s->local;
	result = reduce_sum(r->reduce, r->rank, r->step, r->gradient, &s->all);
	if (result != REDUCE_OK)
		return result;
	for (int i = 0; i < MODEL_WEIGHTS; i++)
		r->gradient[i] /= (float)s->all.images;
	s->rate = learning_rate(r);
	s->gradient_norm = model_norm(r->gradient);
	model_step(&r->model, r->velocity, r->gradient, s->rate, 0.9);
	return REDUCE_OK;
}

static void log_step(struct rank *r, const struct step *s, int epoch)
{
	double end_ms = now_ms();

	(void)CAIRN_LOG_STEP(r->run, r->step, { "rank/step_time_ms", end_ms - s->start_ms },
			     { "rank/wait_ms", end_ms - s->computed_ms },
			     { "rank/loss_local", s->local.loss / fmax(1, s->local.images) },
			     { "rank/samples", s->local.images });
	if (r->rank != 0)
		return;
	(void)CAIRN_LOG_STEP(r->run, r->step, { "loss", s->all.loss / s->all.images },
			     { "accuracy", s->all.correct / s->all.images },
			     { "grad_norm", s->gradient_norm }, { "lr", s->rate },
			     { "epoch", epoch }, { "world_size", __builtin_popcount(r->members) });
}

static void note_members(struct rank *r)
{
	uint32_t gone = r->members & ~reduce_members(r->reduce);

	r->members = reduce_members(r->reduce);
	for (int rank = 0; r->rank == 0 && gone >> rank; rank++) {
		if (gone >> rank & 1)
			say_error(r->run, "step %lld: rank %d is gone, going on with %d ranks",
				  (long long)r->step, rank, __builtin_popcount(r->members));
	}
}

/* Rank 0 listens to who asks the run to stop; the others end with the same step. */
static void end_if_asked(struct rank *r)
{
	if (r->rank == 0 && cairn_should_stop(r->run))
		reduce_end_at(r->reduce, r->step);
}

/* False when this rank has to give up. */
static bool train_step(struct rank *r, int epoch, const uint32_t *images, int count)
{
	struct step s = { .start_ms = now_ms() };
	enum reduce_result result;

	r->step++;
	kill_self_if_asked(r);
	end_if_asked(r);
	result = make_step(r, images, count, &s);
	if (result != REDUCE_OK) {
		say_error(r->run, "rank %d gives up at step %lld: %s", r->rank, (long long)r->step,
			  result == REDUCE_ALONE ? "rank 0 is gone"
						 : "the others went on without it");
		return false;
	}
	note_members(r);
	log_step(r, &s, epoch);
	rest(r->options->pace_ms);
	return true;
}

static bool train_epoch(struct rank *r, int epoch)
{
	int batch = r->options->batch;

	shuffle_epoch(r, epoch);
	for (int first = 0; first + batch <= DATASET_TRAIN; first += batch) {
		if (!train_step(r, epoch, r->order + first, batch))
			return false;
		if (reduce_ends(r->reduce, r->step))
			break;
	}
	return true;
}

/* Rank 0, after an epoch. */
static void write_checkpoint(struct rank *r, bool is_last)
{
	struct checkpoint c = { .step = r->step, .is_last = is_last, .model = r->model };
	const char *path = r->options->checkpoint;

	if (path && !checkpoint_write(path, &c))
		say_error(r->run, "%s cannot be written: %m", path);
}

static void report_epoch(struct rank *r, int epoch)
{
	struct model_sums sums = model_test(&r->model, r->dataset, 0, DATASET_TRAIN);

	say(r->run, "rank %d: epoch %d, step %lld, loss %.4f, accuracy %.4f", r->rank, epoch,
	    (long long)r->step, sums.loss / sums.images, sums.correct / sums.images);
}

static bool train_epochs(struct rank *r)
{
	bool is_last = false;

	for (int epoch = 1; !is_last; epoch++) {
		if (!train_epoch(r, epoch))
			return false;
		is_last = epoch == r->options->epochs || reduce_ends(r->reduce, r->step);
		if (epoch % 5 == 0 || is_last)
			report_epoch(r, epoch);
		if (r->rank == 0)
			write_checkpoint(r, is_last);
	}
	return true;
}

static void finish(struct rank *r, int status)
{
	struct cairn_report report;

	if (!r->run)
		return;
	if (cairn_finish(r->run, status, FINISH_MS, &report) != CAIRN_OK)
		fprintf(stderr, "rank %d: not everything was sent: %s\n", r->rank, report.error);
	cairn_run_free(r->run);
}

int train_rank(const struct options *o, const struct dataset *d, struct reduce *reduce, int rank)
{
	struct rank r = {
		.options = o,
		.dataset = d,
		.reduce = reduce,
		.rank = rank,
		.steps = (int64_t)o->epochs * (DATASET_TRAIN / o->batch),
		.members = reduce_members(reduce),
	};
	int status;

	model_init(&r.model, (uint64_t)o->seed);
	start_run(&r);
	log_config(&r);
	say(r.run, "rank %d of %d: process %ld", rank, o->ranks, (long)getpid());
	status = train_epochs(&r) ? 0 : 3;
	finish(&r, status);
	return status;
}
