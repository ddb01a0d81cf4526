/* Summaries of what warps wrote, made in a thread of its own while the GPU runs the next launches.
 *
 *   accp_summariser_create
 *   for each batch: job = accp_summariser_begin; fill *job and its records; accp_summariser_submit
 *   accp_summariser_finish
 *   accp_summariser_destroy
 *
 * Used by one thread. Where no thread can be had, a batch is summarised when it is submitted. */
#ifndef ACCP_MEASURE_SUMMARISER_H
#define ACCP_MEASURE_SUMMARISER_H

#include "measure/measure.h"

struct accp_summary {
    struct accp_cycles cycles;
    double progress;
    struct accp_run_mix *mix; /* filled as well; NULL: not wanted. Borrowed */
};

/* Records of warps, and the roles whose samples are among them: all samples of each. */
struct accp_summariser_job {
    struct accp_record *records; /* room for as many as were asked for; the summariser's */
    uint8_t *selectors;          /* the same; NULL: no role shares its kernel */
    size_t count;                /* of warps */
    int block_warps;             /* in a block; read where a mix is wanted */
    int phases;                  /* of their launch */
    const struct accp_measure_kernel *kernels; /* borrowed */
    struct accp_summary *summaries; /* one for each kernel; borrowed, to be read after finish */
    size_t kernel_count;
};

struct accp_summariser;

/* For batches of `most_warps` warps at the most, of which up to `jobs` (2 or more; at the most those that fit into 64 MB)
 * wait at a time. *summariser is owned by the caller: accp_summariser_destroy. MEMORY. */
enum accp_status accp_summariser_create(size_t most_warps, bool selects, size_t jobs,
                                        struct accp_summariser **summariser,
                                        struct accp_error *error);

/* The next job to fill; waits for the thread where it is behind by all the jobs that there are. */
struct accp_summariser_job *accp_summariser_begin(struct accp_summariser *summariser);

/* Hands over what begin returned. */
void accp_summariser_submit(struct accp_summariser *summariser);

/* Waits for all that was submitted. Errors: of accp_measure_summarise, those of the first job that
 * failed. */
enum accp_status accp_summariser_finish(struct accp_summariser *summariser,
                                        struct accp_error *error);

/* Waits for the job in hand, drops those behind it, and frees; NULL is fine. */
void accp_summariser_destroy(struct accp_summariser *summariser);

#endif
