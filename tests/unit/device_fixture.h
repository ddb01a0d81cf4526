/* What the tests of the device layer share: the fake driver, a cubin for it, and a session. */
#ifndef ACCP_TEST_DEVICE_FIXTURE_H
#define ACCP_TEST_DEVICE_FIXTURE_H

#include "device/device.h"
#include "parameters.h"

#include <elf.h>

enum { CHAIN = 7, EFFECTIVE = 3, BLOCKS = 2, WARPS = 4, THREADS = WARPS * ACCP_LANES };
extern const char kernel_name[]; /* of that chain */

/* The fake libraries, with these words in ACCP_FAKE and nothing else set. */
void use_fake(const char *words);

/* How long a session waits for its launch, in seconds: set by use_fake, short where it hangs. */
extern double launch_timeout_s;

/* What the fake has made and not got back. */
int live(void);

/* The smallest file that passes for a cubin: a header and the null section. */
struct cubin {
    Elf64_Ehdr header;
    Elf64_Shdr section;
};

struct cubin make_cubin(unsigned flags, unsigned char abi_version);
struct cubin cubin_for_hopper(void);

/* What a session leaves behind. */
struct work {
    float input[ACCP_INPUT_ROWS * ACCP_LANES];
    float sinks[BLOCKS * THREADS];
    struct accp_record records[BLOCKS * WARPS];
    double elapsed_ms;
};

/* Memory for a launch of BLOCKS x THREADS, and its parameters. */
enum accp_status allocate_parameters(struct accp_device *device, struct work *work,
                                     struct accp_parameters *parameters, struct accp_error *error);

/* Everything a measurement does, in a few steps, on an open device; and with opening and closing.
 */
enum accp_status do_work(struct accp_device *device, const char *symbol, struct work *work,
                         struct accp_error *error);
enum accp_status open_and_work(const char *symbol, struct work *work, struct accp_error *error);

#endif
