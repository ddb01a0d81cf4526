#include "golden/golden.h"

#include "golden/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const answer_text[] = {
#define ANSWER(id, text) [ACCP_ANSWER_##id] = text,
    ACCP_ANSWER_TABLE(ANSWER)
#undef ANSWER
};

const char *accp_answer_text(enum accp_answer answer)
{
    return answer_text[answer];
}

void accp_golden_init(struct accp_golden *golden)
{
    memset(golden, 0, sizeof *golden);
    golden->sku.sm_count = golden->sku.memory_bytes = -1;
}

void accp_golden_fini(struct accp_golden *golden)
{
    free(golden->records);
    free(golden->levels);
    free(golden->orders);
    free(golden->growths);
    accp_golden_init(golden);
}

const struct accp_golden_level *accp_golden_level_find(const struct accp_golden *golden,
                                                       const char *role, int warps)
{
    for (size_t i = 0; i < golden->level_count; ++i)
        if (golden->levels[i].warps == warps && strcmp(golden->levels[i].role, role) == 0)
            return &golden->levels[i];
    return NULL;
}

const struct accp_golden_order *accp_golden_order_find(const struct accp_golden *golden,
                                                       const char *series, int warps)
{
    for (size_t i = 0; i < golden->order_count; ++i)
        if (golden->orders[i].warps == warps && strcmp(golden->orders[i].series, series) == 0)
            return &golden->orders[i];
    return NULL;
}

const struct accp_golden_growth *accp_golden_growth_find(const struct accp_golden *golden,
                                                         const char *family, int warps)
{
    for (size_t i = 0; i < golden->growth_count; ++i)
        if (golden->growths[i].warps == warps && strcmp(golden->growths[i].family, family) == 0)
            return &golden->growths[i];
    return NULL;
}

bool accp_golden_tied(const struct accp_golden_order *order, int left_acc, int right_acc)
{
    for (size_t i = 0; i < order->tie_count; ++i) {
        const int *tie = order->ties[i];
        if ((tie[0] == left_acc && tie[1] == right_acc) ||
            (tie[1] == left_acc && tie[0] == right_acc))
            return true;
    }
    return false;
}

void accp_golden_order_text(const struct accp_golden_order *order, char *text, size_t text_bytes)
{
    size_t used = 0;
    if (text_bytes > 0) text[0] = 0;
    for (size_t i = 0; i < order->acc_count && used < text_bytes; ++i) {
        const char *between = i == 0                                                        ? ""
                              : accp_golden_tied(order, order->accs[i - 1], order->accs[i]) ? " ~ "
                                                                                            : " > ";
        int put = snprintf(text + used, text_bytes - used, "%sacc%d", between, order->accs[i]);
        used += put > 0 ? (size_t)put : 0;
    }
}

struct accp_sku accp_sku_of(const struct accp_run *run)
{
    struct accp_sku sku = {.sm_count = run->device.sm_count,
                           .memory_bytes = run->device.memory_bytes};
    snprintf(sku.arch, sizeof sku.arch, "%s", run->device.arch);
    if (run->source == ACCP_SOURCE_PREDICTED) {
        sku.sm_count = sku.memory_bytes = -1;
        return sku;
    }
    snprintf(sku.pci_device, sizeof sku.pci_device, "%s", run->device.pci_device);
    if (strcmp(run->device.mig, "on") == 0) sku.pci_device[0] = 0; /* a slice is no model */
    return sku;
}

void accp_sku_name(const struct accp_sku *sku, char name[ACCP_TEXT_BYTES])
{
    long long gib = llround((double)sku->memory_bytes / (1 << 30));
    snprintf(name, ACCP_TEXT_BYTES, "%s-%lldsm-%lldgib-%s", sku->arch, (long long)sku->sm_count,
             gib, sku->pci_device[0] ? sku->pci_device : "unknown");
    for (char *at = name; *at; ++at)
        if (*at == ':' || *at == '/') *at = '.';
}

bool accp_sku_same(const struct accp_sku *left, const struct accp_sku *right)
{
    double difference = fabs((double)left->memory_bytes - (double)right->memory_bytes);
    return left->arch[0] && left->pci_device[0] && left->sm_count > 0 && left->memory_bytes > 0 &&
           strcmp(left->arch, right->arch) == 0 && left->sm_count == right->sm_count &&
           strcmp(left->pci_device, right->pci_device) == 0 && right->memory_bytes > 0 &&
           difference <= ACCP_SKU_MEMORY_CLASS * (double)right->memory_bytes;
}

void accp_golden_path(const char *folder, enum accp_source source, const struct accp_sku *sku,
                      const char *probe, char path[PATH_MAX])
{
    char name[ACCP_TEXT_BYTES];
    accp_sku_name(sku, name);
    snprintf(path, PATH_MAX, "%s/%s/%s/%s.json", folder, accp_source_text(source),
             source == ACCP_SOURCE_PREDICTED ? sku->arch : name, probe);
}
