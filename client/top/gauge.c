#include "gauge.h"

#include <math.h>

#define FULL_BLOCK 0x2588
#define LOWER_BLOCK 0x2581 /* an eighth; up to 0x2588, the whole */
#define RULE 0x2500
#define REST 0x2591

void gauge_bar(struct cells *cells, int x, int y, int width, double share, enum style style)
{
	int eighths = isnan(share) ? 0 : (int)lround(fmin(fmax(share, 0), 1) * width * 8);

	for (int i = 0; i < width; i++) {
		int filled = eighths - i * 8;

		if (filled >= 8)
			cells_put(cells, x + i, y, FULL_BLOCK, '#', style);
		else if (filled > 0) /* 7/8 is 0x2589, 1/8 is 0x258f */
			cells_put(cells, x + i, y, (uint32_t)(0x2590 - filled),
				  filled > 3 ? '#' : '-', style);
		else
			cells_put(cells, x + i, y, REST, '-', STYLE_DIM);
	}
}

void gauge_spark(struct cells *cells, struct box line, const float *numbers, size_t count,
		 double low, double high)
{
	static const char ascii[] = "_.,-=*#@";
	size_t first = count > (size_t)line.width ? count - (size_t)line.width : 0;

	for (size_t i = first; i < count; i++) {
		double share = (numbers[i] - low) / (high > low ? high - low : 1);
		int level;

		if (isnan(share))
			continue;
		level = (int)(fmin(fmax(share, 0), 0.999) * 8);
		cells_put(cells, line.x + line.width - (int)(count - i), line.y,
			  (uint32_t)(LOWER_BLOCK + level), ascii[level], gauge_load(share));
	}
}

enum style gauge_load(double share)
{
	if (isnan(share))
		return STYLE_DIM;
	return share >= 0.9 ? STYLE_BAD : share >= 0.7 ? STYLE_WARN : STYLE_GOOD;
}

void gauge_rule(struct cells *cells, int x, int y, int width, enum style style)
{
	for (int i = 0; i < width; i++)
		cells_put(cells, x + i, y, RULE, '-', style);
}
