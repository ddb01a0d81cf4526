/* A cubin: the ELF file that holds the SASS of some kernels for one arch. The reader takes bytes
 * from strangers: every offset is checked against the buffer before it is used. */
#ifndef ACCP_SASS_CUBIN_H
#define ACCP_SASS_CUBIN_H

#include "base/status.h"
#include "matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ACCP_CUBIN_LIMIT_BYTES = 1 << 30, /* of a file */
    ACCP_CUBIN_TEXT_BYTES = 128,
    ACCP_INSTRUCTION_BYTES = 16
};

/* One kernel (or device function that was not inlined). Numbers are as the cubin states them, -1
 * where it does not. */
struct accp_kernel {
    const char *name;     /* symbol, inside the caller's bytes */
    const uint8_t *code;  /* inside the caller's bytes; instructions of 16 bytes */
    size_t code_bytes;    /* a multiple of 16, without any padding beyond the symbol */
    int is_entry;         /* 1: a kernel; 0: a device function; -1: the symbol table is missing */
    int registers;        /* 32-bit, of one thread */
    int64_t frame_bytes;  /* stack frame of a thread */
    int64_t local_bytes;  /* local memory of a thread beside the stack: .nv.local */
    int64_t shared_bytes; /* static, of a block */
    int64_t parameter_bytes;  /* in constant bank 0 */
    int64_t parameter_offset; /* where they start there */
    int max_threads[3];       /* of a block, from the launch bounds; -1: none stated */
    int required_threads[3];  /* of a block, from reqntid; -1: none stated */
    int register_limit;       /* EIATTR_MAXREG_COUNT; -1 or 255: none */
};

/* An opened cubin. It borrows the caller's bytes, which must outlive it. */
struct accp_cubin {
    const uint8_t *data;
    size_t data_bytes;
    char arch_name[16];           /* "sm_90" */
    int sm;                       /* 90 */
    const struct accp_arch *arch; /* its row in arches.def, NULL when it has none */
    int abi;                      /* EI_ABIVERSION: 7 up to CUDA 12, 8 from CUDA 13 on */
    /* What wrote it. CUDA 13 says all three; older ones only "12.4" and no name or flags. */
    char compiler_name[ACCP_CUBIN_TEXT_BYTES];    /* "ptxas" or "" */
    char compiler_version[ACCP_CUBIN_TEXT_BYTES]; /* "13.0.88", "12.4" or "" */
    char compiler_flags[ACCP_CUBIN_TEXT_BYTES];   /* "-arch sm_90 -m 64" or "" */
    size_t kernel_count;
    struct accp_kernel *kernels; /* owned, in the order of their sections */
};

/* Reads the cubin in data[0..data_bytes). `file` names it in messages. On success the caller owns
 * *cubin (accp_cubin_close); on failure it is cleared. Errors: INPUT with what the bytes are
 * instead and what to do (not an ELF, an ELF of another machine, a fatbin, a host object that holds
 * a fatbin, a relocatable or truncated cubin, ranges outside the file or over one another, no
 * code); UNSUPPORTED (an arch before sm_75); MEMORY. Sources: readelf and nvdisasm on cubins of
 * ptxas 11.8, 12.x and 13.x; the attribute numbers of .nv.info are those that `cuobjdump -elf`
 * prints by name. */
enum accp_status accp_cubin_open(const char *file, const uint8_t *data, size_t data_bytes,
                                 struct accp_cubin *cubin, struct accp_error *error);

/* Frees what accp_cubin_open gave and clears the struct; safe on a cleared one. */
void accp_cubin_close(struct accp_cubin *cubin);

/* The kernel of that symbol; NULL when there is none. Valid until the cubin is closed. */
const struct accp_kernel *accp_cubin_find(const struct accp_cubin *cubin, const char *name);

/* "space::dot" of the symbol _ZN5space3dotIfEvPKf: the identifiers in front of template and function
 * arguments, which is where a kernel's symbol begins (Itanium C++ ABI, "Mangling"; a kernel is no member
 * of a class). false, and `name` means nothing, where the symbol is of another form or the name does
 * not fit. */
bool accp_kernel_plain_name(const char *symbol, char *name, size_t name_bytes);

/* The kernel that --kernel named: by its symbol, or by its name in the source, with namespaces or without,
 * where one kernel alone is called so. When `name` is NULL, the only kernel, or the only one with a loop. INPUT
 * names those to choose from: all that are called so, or that have a loop; else as accp_code_init. */
enum accp_status accp_cubin_pick(const struct accp_cubin *cubin, const char *file, const char *name,
                                 const struct accp_kernel **kernel, struct accp_error *error);

#endif
