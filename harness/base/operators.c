#include "operators.h"

#include <string.h>

const struct accp_operator accp_operators[ACCP_OPERATOR_COUNT] = {
#define OPERATOR(id, owner, outputs, blocks, short_length, long_length, what) \
    [ACCP_OPERATOR_##id] = {#id,    ACCP_OPERATOR_OWNER_##owner, outputs, \
                            blocks, {short_length, long_length}, what},
#include "operators.def"
};

const struct accp_operator_kernel accp_operator_kernels[ACCP_OPERATOR_KERNEL_COUNT] = {
#define OPERATOR_KERNEL(operator, acc) \
    [ACCP_OPERATOR_KERNEL_##operator##_##acc] = {ACCP_OPERATOR_##operator, acc, \
                                                 "ops_" #operator "_acc" #acc},
#include "operator_kernels.def"
};

const struct accp_operator_size accp_operator_sizes[ACCP_OPERATOR_SIZE_COUNT] = {
#define OPERATOR_SIZE(id, sms, blocks, warps) \
    [ACCP_OPERATOR_SIZE_##id] = {#id, ACCP_OPERATOR_SMS_##sms, blocks, warps},
#include "operator_sizes.def"
};

const struct accp_operator_kernel *accp_operator_kernel_find(const char *symbol)
{
    for (size_t i = 0; i < ACCP_OPERATOR_KERNEL_COUNT; ++i)
        if (strcmp(accp_operator_kernels[i].symbol, symbol) == 0) return &accp_operator_kernels[i];
    return NULL;
}
