/* The operators of the ops probe, their kernels and their sizes: operators.def, operator_kernels.def
 * and operator_sizes.def as enums and constant arrays. */
#ifndef ACCP_OPERATORS_H
#define ACCP_OPERATORS_H

#include <stddef.h>

enum accp_operator_id {
#define OPERATOR(id, owner, outputs, blocks, short_length, long_length, what) ACCP_OPERATOR_##id,
#include "operators.def"
    ACCP_OPERATOR_COUNT
};

enum accp_operator_kernel_id {
#define OPERATOR_KERNEL(operator, acc) ACCP_OPERATOR_KERNEL_##operator##_##acc,
#include "operator_kernels.def"
    ACCP_OPERATOR_KERNEL_COUNT
};

enum accp_operator_size_id {
#define OPERATOR_SIZE(id, sms, blocks, warps) ACCP_OPERATOR_SIZE_##id,
#include "operator_sizes.def"
    ACCP_OPERATOR_SIZE_COUNT
};

enum accp_operator_owner { ACCP_OPERATOR_OWNER_THREAD, ACCP_OPERATOR_OWNER_WARP };
enum accp_operator_sms { ACCP_OPERATOR_SMS_ONE, ACCP_OPERATOR_SMS_EVERY };
enum { ACCP_OPERATOR_LENGTHS = 2 }; /* short and long */

/* One row of operators.def; the fields are its columns. */
struct accp_operator {
    const char *name;
    enum accp_operator_owner owner;
    int outputs, blocks;
    int lengths[ACCP_OPERATOR_LENGTHS];
    const char *what;
};

/* One row of operator_kernels.def. */
struct accp_operator_kernel {
    enum accp_operator_id op;
    int acc;
    const char *symbol; /* ops_dot_acc4 */
};

/* One row of operator_sizes.def; the fields are its columns. */
struct accp_operator_size {
    const char *name;
    enum accp_operator_sms sms;
    int blocks, warps;
};

extern const struct accp_operator accp_operators[ACCP_OPERATOR_COUNT];
extern const struct accp_operator_kernel accp_operator_kernels[ACCP_OPERATOR_KERNEL_COUNT];
extern const struct accp_operator_size accp_operator_sizes[ACCP_OPERATOR_SIZE_COUNT];

/* The kernel of that symbol; NULL: none. */
const struct accp_operator_kernel *accp_operator_kernel_find(const char *symbol);

#endif
