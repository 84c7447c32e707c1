#include "secret.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "id.h"
#include "log.h"
#include "server_store.h"

enum { TEXT_SIZE = 2 * KEY_SECRET_SIZE + 1 }; /* hex and a line end */

static const char another[] =
	"copy the secret file from a server of this database, or \"secret\" from a backup (a tar "
	"file), to this path, or set secret_file";

static err_t failed(struct arena *a, const char *path, const char *what)
{
	return err_new(a, ERR_PRECONDITION, "%s the secret file \"%s\": %s", what, path,
		       strerror(errno));
}

static bool parse(const char *text, ssize_t len, struct key_secret *ret_secret)
{
	size_t size;

	if (len < TEXT_SIZE - 1 || len > TEXT_SIZE || (len == TEXT_SIZE && text[len - 1] != '\n'))
		return false;
	return sodium_hex2bin(ret_secret->bytes, sizeof(ret_secret->bytes), text, TEXT_SIZE - 1,
			      NULL, &size, NULL) == 0 &&
	       size == sizeof(ret_secret->bytes);
}

static void warn_of_readers(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (st.st_mode & 077))
		log_warning("the secret file is readable by other users", LOG_TEXT("file", path));
}

/* *ret_found is false when there is no such file. */
static err_t read_one(struct arena *a, const char *path, struct key_secret *ret_secret,
		      bool *ret_found)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[TEXT_SIZE + 1];
	struct err *wrong;
	ssize_t len;

	*ret_found = false;
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		return failed(a, path, "cannot read");
	warn_of_readers(fd, path);
	len = read(fd, text, sizeof(text));
	close(fd);
	if (len < 0)
		return failed(a, path, "cannot read");
	if (!parse(text, len, ret_secret)) {
		wrong = err_new(a, ERR_PRECONDITION,
				"invalid secret file \"%s\": expected %d hex characters", path,
				TEXT_SIZE - 1);
		wrong->hint = another;
		return wrong;
	}
	*ret_found = true;
	return NULL;
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t done = write(fd, text, len);

		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			text += done;
			len -= (size_t)done;
		}
	}
	return fsync(fd) == 0;
}

/* Complete under its name or absent: written under a third name and linked. */
static err_t write_new(struct arena *a, const char *path)
{
	const char *part = arena_printf(a, "%s.%d", path, (int)getpid());
	unsigned char bytes[KEY_SECRET_SIZE];
	char text[TEXT_SIZE];
	int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool written;

	if (fd < 0)
		return failed(a, part, "cannot write");
	id_random(bytes, sizeof(bytes));
	sodium_bin2hex(text, sizeof(text), bytes, sizeof(bytes));
	text[TEXT_SIZE - 1] = '\n';
	written = write_all(fd, text, sizeof(text));
	sodium_memzero(bytes, sizeof(bytes));
	sodium_memzero(text, sizeof(text));
	close(fd);
	if (written && link(part, path) && errno != EEXIST)
		written = false;
	unlink(part);
	return written ? NULL : failed(a, path, "cannot write");
}

err_t secret_read(struct arena *a, const char *path, struct secret_file *ret_file)
{
	struct secret_file file = { .path = path, .new_path = arena_printf(a, "%s.new", path) };
	bool found;
	err_t e = read_one(a, path, &file.secret, &found);

	if (!e && !found) {
		file.is_new = true;
		e = read_one(a, file.new_path, &file.secret, &found);
	}
	if (!e && !found) {
		e = write_new(a, file.new_path);
		if (!e)
			e = read_one(a, file.new_path, &file.secret, &found);
	}
	if (e)
		return e;
	*ret_file = file;
	return NULL;
}

static err_t refuse(struct arena *a, const struct secret_file *file)
{
	struct err *e;

	if (file->is_new) {
		unlink(file->new_path);
		e = err_new(a, ERR_PRECONDITION,
			    "the secret file \"%s\" is missing, but keys of this database were "
			    "created with one",
			    file->path);
	} else {
		e = err_new(a, ERR_PRECONDITION,
			    "the secret in \"%s\" does not match the keys of this database",
			    file->path);
	}
	e->hint = another;
	return e;
}

/* ---- for a backup ------------------------------------------------------------------------------- */

static struct str secret_text(struct arena *a, const struct key_secret *secret)
{
	char text[TEXT_SIZE + 1];

	sodium_bin2hex(text, TEXT_SIZE, secret->bytes, sizeof(secret->bytes));
	text[TEXT_SIZE - 1] = '\n';
	return (struct str){ str_copy(a, (struct str){ text, TEXT_SIZE }), TEXT_SIZE };
}

err_t secret_load(struct arena *a, const char *path, struct str *ret_text)
{
	struct key_secret secret;
	bool found;
	err_t e = read_one(a, path, &secret, &found);

	if (e)
		return e;
	*ret_text = found ? secret_text(a, &secret) : (struct str){ "", 0 };
	return NULL;
}

err_t secret_store(struct arena *a, const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool written;

	if (fd < 0)
		return failed(a, path, "cannot write");
	written = write_all(fd, text.at, text.len);
	close(fd);
	return written ? NULL : failed(a, path, "cannot write");
}

err_t secret_check(struct db *db, const char *path, struct str text)
{
	const struct secret_file file = { .path = path };
	char fingerprint[KEY_FINGERPRINT_SIZE + 1];
	struct key_secret secret;
	struct str known;
	err_t e;

	if (!parse(text.at, (ssize_t)text.len, &secret))
		return err_new(db_arena(db), ERR_UNPROCESSABLE, "\"%s\" does not contain a secret",
			       path);
	key_secret_fingerprint(&secret, fingerprint);
	e = server_store_setting(db, SECRET_SETTING, &known);
	if (e || !known.len || str_is(known, fingerprint))
		return e;
	return refuse(db_arena(db), &file);
}

/*
 * Whether another server, started at the same time, has put the known secret into its place by now.
 */
static err_t read_again(struct arena *a, struct secret_file *file, struct str known,
			bool *ret_is_known)
{
	char fingerprint[KEY_FINGERPRINT_SIZE + 1];
	struct key_secret secret;
	err_t e = read_one(a, file->path, &secret, ret_is_known);

	if (e || !*ret_is_known)
		return e;
	key_secret_fingerprint(&secret, fingerprint);
	*ret_is_known = str_is(known, fingerprint);
	if (*ret_is_known) {
		unlink(file->new_path);
		file->secret = secret;
		file->is_new = false;
	}
	return NULL;
}

err_t secret_settle(struct db *db, struct secret_file *file)
{
	char fingerprint[KEY_FINGERPRINT_SIZE + 1];
	bool is_known;
	struct str known;
	err_t e;

	key_secret_fingerprint(&file->secret, fingerprint);
	e = server_store_settle(db, SECRET_SETTING, str_of(fingerprint), &known);
	if (e)
		return e;
	is_known = str_is(known, fingerprint);
	if (!is_known && file->is_new)
		e = read_again(db_arena(db), file, known, &is_known);
	if (!e && !is_known)
		e = refuse(db_arena(db), file);
	if (!e && file->is_new && rename(file->new_path, file->path) && errno != ENOENT)
		e = failed(db_arena(db), file->path, "cannot write");
	return e;
}
