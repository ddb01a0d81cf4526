/* What NVML says about one GPU. Starting NVML takes 10 to 30 ms, so it runs in a thread of its own
 * while the driver makes the context. Private to this module. */
#ifndef ACCP_DEVICE_MANAGEMENT_H
#define ACCP_DEVICE_MANAGEMENT_H

#include "device/driver.h"

#include <pthread.h>

enum { ACCP_PCI_ID_BYTES = 32 };

struct accp_management {
    char pci_id[ACCP_PCI_ID_BYTES]; /* of the GPU, as the driver spells it */
    struct accp_nvml nvml;
    void *device;           /* NVML's handle; NULL: NVML does not answer */
    bool initialised;       /* nvmlInit succeeded and wants its nvmlShutdown */
    struct accp_error note; /* what NVML failed to tell, the gravest first; code OK: nothing */
    struct accp_run_device facts;     /* its part of the facts, when the GPU was opened */
    unsigned long long throttle_bits; /* seen so far */
    bool throttle_known;
    pthread_t thread;
    bool running; /* the thread has to be joined */
};

/* Starts asking about the GPU with this PCI id. Never fails: what goes wrong ends up in the note.
 */
void accp_management_start(struct accp_management *management, const char *pci_id);

/* Waits for the answers; may be called again. Before any other use of the struct. */
void accp_management_wait(struct accp_management *management);

/* Raises facts->other_processes to the number that compute on the GPU now. Our context must stand.
 */
void accp_management_count(struct accp_management *management, struct accp_run_device *facts);

/* The same, and adds the throttle reasons seen now, and sets the clocks to the present ones. */
void accp_management_observe(struct accp_management *management, struct accp_run_device *facts);

void accp_management_stop(struct accp_management *management);

#endif
