#include "measure/summariser.h"

#include <pthread.h>
#include <stdlib.h>

enum { JOBS_MOST = 64, BYTES_MOST = 64 << 20 };

/* Jobs are numbered from 0 on, and number n stands in slot n % slot_count. `submitted` and `done` count
 * them, under the lock; a slot belongs to whoever works on its job. */
struct accp_summariser {
    struct accp_summariser_job slots[JOBS_MOST];
    size_t slot_count;
    double *samples; /* the thread's */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t submitted, done;
    bool ends;
    struct accp_error error; /* of the first job that failed; OK: none */
};

static enum accp_status summarise(const struct accp_summariser_job *job, double *samples,
                                  struct accp_error *error)
{
    const struct accp_parameters parameters = {.phases = job->phases};
    struct accp_run_mix *mixes[ACCP_SELECTORS] = {NULL}; /* of the roles that want one */
    bool is_mixed = false;
    for (size_t i = 0; i < job->kernel_count; ++i) {
        struct accp_summary *summary = &job->summaries[i];
        const size_t count = accp_measure_gather(&parameters, job->records, job->selectors,
                                                 job->count, job->kernels[i].role, samples);
        ACCP_TRY(
            accp_measure_summarise(samples, count, &summary->cycles, &summary->progress, error));
        if (!summary->mix) continue;
        mixes[job->kernels[i].role->acc] = summary->mix;
        is_mixed = true;
    }
    if (!is_mixed) return ACCP_STATUS_OK;
    return accp_measure_mix(&parameters, job->records, job->selectors, job->count, job->block_warps,
                            mixes, error);
}

/* The job that is next; with the lock held, which it lets go meanwhile. */
static void work_on(struct accp_summariser *summariser)
{
    const struct accp_summariser_job *job =
        &summariser->slots[summariser->done % summariser->slot_count];
    struct accp_error error;
    pthread_mutex_unlock(&summariser->lock);
    const enum accp_status status = summarise(job, summariser->samples, &error);
    pthread_mutex_lock(&summariser->lock);
    if (status != ACCP_STATUS_OK && summariser->error.code == ACCP_STATUS_OK)
        summariser->error = error;
    ++summariser->done;
    pthread_cond_broadcast(&summariser->changed);
}

static void *work(void *argument)
{
    struct accp_summariser *summariser = argument;
    pthread_mutex_lock(&summariser->lock);
    while (!summariser->ends) {
        if (summariser->done < summariser->submitted)
            work_on(summariser);
        else
            pthread_cond_wait(&summariser->changed, &summariser->lock);
    }
    pthread_mutex_unlock(&summariser->lock);
    return NULL;
}

static bool allocate(struct accp_summariser *summariser, size_t most_warps, bool selects,
                     size_t jobs)
{
    const size_t bytes = most_warps * (sizeof(struct accp_record) + (selects ? 1 : 0));
    size_t fit = BYTES_MOST / bytes;
    if (fit > jobs) fit = jobs;
    if (fit > JOBS_MOST) fit = JOBS_MOST;
    summariser->slot_count = fit < 2 ? 2 : fit;
    summariser->samples = calloc(most_warps, sizeof *summariser->samples);
    bool is_whole = summariser->samples;
    for (size_t i = 0; i < summariser->slot_count; ++i) {
        struct accp_summariser_job *slot = &summariser->slots[i];
        slot->records = calloc(most_warps, sizeof *slot->records);
        if (selects) slot->selectors = calloc(most_warps, 1);
        is_whole = is_whole && slot->records && (slot->selectors || !selects);
    }
    return is_whole;
}

static void release(struct accp_summariser *summariser)
{
    for (size_t i = 0; i < summariser->slot_count; ++i) {
        free(summariser->slots[i].records);
        free(summariser->slots[i].selectors);
    }
    free(summariser->samples);
    free(summariser);
}

enum accp_status accp_summariser_create(size_t most_warps, bool selects, size_t jobs,
                                        struct accp_summariser **summariser,
                                        struct accp_error *error)
{
    struct accp_summariser *created = calloc(1, sizeof *created);
    *summariser = NULL;
    if (!created || !allocate(created, most_warps, selects, jobs)) {
        if (created) release(created);
        return accp_fail(error, ACCP_STATUS_MEMORY, NULL, -1, "no memory for %zu warps' records",
                         most_warps);
    }
    pthread_mutex_init(&created->lock, NULL);
    pthread_cond_init(&created->changed, NULL);
    created->has_thread = pthread_create(&created->thread, NULL, work, created) == 0;
    *summariser = created;
    return ACCP_STATUS_OK;
}

struct accp_summariser_job *accp_summariser_begin(struct accp_summariser *summariser)
{
    pthread_mutex_lock(&summariser->lock);
    while (summariser->submitted - summariser->done == summariser->slot_count)
        pthread_cond_wait(&summariser->changed, &summariser->lock);
    struct accp_summariser_job *job =
        &summariser->slots[summariser->submitted % summariser->slot_count];
    pthread_mutex_unlock(&summariser->lock);
    return job;
}

void accp_summariser_submit(struct accp_summariser *summariser)
{
    pthread_mutex_lock(&summariser->lock);
    ++summariser->submitted;
    if (summariser->has_thread)
        pthread_cond_broadcast(&summariser->changed);
    else
        work_on(summariser);
    pthread_mutex_unlock(&summariser->lock);
}

enum accp_status accp_summariser_finish(struct accp_summariser *summariser,
                                        struct accp_error *error)
{
    pthread_mutex_lock(&summariser->lock);
    while (summariser->done < summariser->submitted)
        pthread_cond_wait(&summariser->changed, &summariser->lock);
    pthread_mutex_unlock(&summariser->lock);
    if (summariser->error.code != ACCP_STATUS_OK && error) *error = summariser->error;
    return summariser->error.code;
}

void accp_summariser_destroy(struct accp_summariser *summariser)
{
    if (!summariser) return;
    pthread_mutex_lock(&summariser->lock);
    summariser->ends = true;
    pthread_cond_broadcast(&summariser->changed);
    pthread_mutex_unlock(&summariser->lock);
    if (summariser->has_thread) pthread_join(summariser->thread, NULL);
    pthread_mutex_destroy(&summariser->lock);
    pthread_cond_destroy(&summariser->changed);
    release(summariser);
}
