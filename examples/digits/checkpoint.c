#include "checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[8] = "digits1\n";

static bool write_parts(FILE *file, const struct checkpoint *c)
{
	return fwrite(magic, sizeof(magic), 1, file) == 1 && fwrite(c, sizeof(*c), 1, file) == 1 &&
	       fflush(file) == 0 && fsync(fileno(file)) == 0;
}

bool checkpoint_write(const char *path, const struct checkpoint *c)
{
	char temporary[4096];
	bool good;
	FILE *file;

	if (snprintf(temporary, sizeof(temporary), "%s.new", path) >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return false;
	}
	file = fopen(temporary, "we");
	if (!file)
		return false;
	good = write_parts(file, c);
	good &= fclose(file) == 0;
	return good && rename(temporary, path) == 0;
}

bool checkpoint_read(const char *path, struct checkpoint *ret_checkpoint)
{
	char head[sizeof(magic)];
	FILE *file = fopen(path, "re");
	bool good;

	if (!file)
		return false;
	good = fread(head, sizeof(head), 1, file) == 1 && memcmp(head, magic, sizeof(magic)) == 0 &&
	       fread(ret_checkpoint, sizeof(*ret_checkpoint), 1, file) == 1;
	fclose(file);
	return good;
}
