/* What NVML says about one GPU. Starting NVML takes 10 to 30 ms, so it runs in a thread of its own
 * while the driver makes the context. What is asked later runs in threads too: a GPU in trouble can
 * keep a call of NVML for ever, and then the facts stay unknown and the work goes on. Private to
 * this module. */
#ifndef ACCP_DEVICE_MANAGEMENT_H
#define ACCP_DEVICE_MANAGEMENT_H

#include "device/driver.h"

#include <pthread.h>

enum { ACCP_PCI_ID_BYTES = 32 };

/* What a thread works on; nobody else looks at it while that runs. */
struct accp_management_work {
    char pci_id[ACCP_PCI_ID_BYTES]; /* of the GPU, as the driver spells it */
    struct accp_nvml nvml;
    void *device;           /* NVML's handle; NULL: NVML does not answer */
    bool initialised;       /* nvmlInit succeeded and wants its nvmlShutdown */
    struct accp_error note; /* what NVML failed to tell, the gravest first; code OK: nothing */
    struct accp_run_device facts;     /* what the last task found; the rest is unknown */
    unsigned long long throttle_bits; /* seen so far */
    bool throttle_known;
    void (*task)(struct accp_management_work *work);
};

struct accp_management {
    struct accp_management_work work;
    struct accp_error note;       /* as the work's; NVML_TIMEOUT once a thread did not come back */
    struct accp_run_device facts; /* its part of the facts, when the GPU was opened */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_ended; /* the task that the thread works on; under the lock */
    bool started;   /* lock and condition are there */
    bool asking;    /* the first task has not been waited for */
    bool running;   /* the thread has to be joined */
    bool abandoned; /* it did not come back: the work is its own, and must stay where it is */
};

/* Starts asking about the GPU with this PCI id. Never fails: what goes wrong ends up in the note.
 */
void accp_management_start(struct accp_management *management, const char *pci_id);

/* Waits for the answers, for a share of accp_timeout_s at the most; may be called again. Before any
 * other use of the struct. */
void accp_management_wait(struct accp_management *management);

/* Raises facts->other_processes to the number that compute on the GPU now. Our context must stand.
 */
void accp_management_count(struct accp_management *management, struct accp_run_device *facts);

/* The same, and adds the throttle reasons seen now, and sets the clocks to the present ones. */
void accp_management_observe(struct accp_management *management, struct accp_run_device *facts);

void accp_management_stop(struct accp_management *management);

#endif
