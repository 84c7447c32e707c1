/*
 * rocm_smi.h - AMD's GPUs by what the tool rocm-smi prints, where the kernel's files cannot be
 * read.
 *
 * The tool is a Python program that takes about a tenth of a second of CPU time. Its names differ
 * by release; the table in rocm_smi.c has those of ROCm 4.3 to 7. Up to 6.0 "GPU memory use (%)" is
 * activity of the memory, not what is allocated.
 */
#ifndef CAIRN_SAMPLER_ROCM_SMI_H
#define CAIRN_SAMPLER_ROCM_SMI_H

#include "amd_reading.h"

#define ROCM_SMI_OUTPUT_MAX (1 << 20) /* bytes; a node of 8 GPUs prints 40 KiB */

struct rocm_smi_card {
	unsigned index; /* of "card3" */
	struct amd_reading reading;
};

/* Reads the output of `rocm-smi -a --json`; warnings may stand before it. The count of cards; of
 * a text that is cut, those before the cut. At most `max`. */
size_t rocm_smi_parse(const char *text, size_t length, struct rocm_smi_card *ret_cards, size_t max);

#endif
