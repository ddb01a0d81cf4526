#include "verdict/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEEDS_CHAIN = 1,
    NEEDS_ACC = 2,
    NEEDS_FROM = 4,
    NEEDS_PAIR = 8,
    NEEDS_ORDER = 16,
    NEEDS_PERCENT = 32,
    NEEDS_PROGRESS = 64
};

static const struct {
    const char *name;
    int needs;
} kinds[] = {
#define STATEMENT(id, name, needs) [ACCP_STATEMENT_##id] = {#name, needs},
    ACCP_STATEMENT_TABLE(STATEMENT)
#undef STATEMENT
};

static const char tie[] = "≈";

const char *accp_statement_name(enum accp_statement_kind kind)
{
    return kinds[kind].name;
}

void accp_document_fini(struct accp_document *document)
{
    free(document->statements);
    *document = (struct accp_document){0};
}

/* Whether the family has that chain (0: any) and acc (0: any). */
static bool family_has(const char *family, int chain, int acc)
{
    for (size_t i = 0; i < ACCP_ROLE_COUNT; ++i) {
        char own[ACCP_NAME_BYTES];
        accp_family_name(accp_roles[i].name, own);
        if (strcmp(own, family) == 0 && (chain == 0 || accp_roles[i].chain == chain) &&
            (acc == 0 || accp_roles[i].acc == acc))
            return true;
    }
    return false;
}

static enum accp_status read_acc(const struct accp_json *object, const char *key,
                                 const char *family, int *acc, struct accp_error *error)
{
    int64_t value;
    ACCP_TRY(accp_json_integer(object, key, 1, 1 << 20, &value, error));
    *acc = (int)value;
    if (family_has(family, 0, *acc)) return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "%s: %s has no acc%d", key, family, *acc);
}

static enum accp_status read_chain(const struct accp_json *object, const char *family, int *chain,
                                   struct accp_error *error)
{
    int64_t value;
    ACCP_TRY(accp_json_integer(object, "chain", 1, 1 << 20, &value, error));
    *chain = (int)value;
    if (family_has(family, *chain, 0)) return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "chain: %s has no chain%d", family, *chain);
}

/* "acc2 > acc1 ≈ acc3". */
static enum accp_status parse_order(const struct accp_json *object, const char *family,
                                    struct accp_statement *statement, struct accp_error *error)
{
    for (const char *at = statement->order;;) {
        int acc = 0, length = 0;
        size_t count = statement->order_count;
        if (count == ACCP_GOLDEN_ACCS || sscanf(at, "acc%4d%n", &acc, &length) != 1 ||
            !family_has(family, statement->chain, acc))
            return accp_json_fail(object, error,
                                  "order: \"%.20s\": accs of the family are needed, as in "
                                  "\"acc2 > acc1 ≈ acc3\"",
                                  at);
        statement->accs[count] = acc;
        ++statement->order_count;
        at += length;
        at += strspn(at, " ");
        if (!*at) break;
        bool tied = strncmp(at, tie, sizeof tie - 1) == 0;
        if (!tied && *at != '>')
            return accp_json_fail(object, error, "order: \"%.20s\": > or ≈ is needed", at);
        statement->tied_with_next[count] = tied;
        at += tied ? sizeof tie - 1 : 1;
        at += strspn(at, " ");
    }
    if (statement->order_count > 1) return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "order: one acc is no order");
}

static enum accp_status read_pair(const struct accp_json *object, const char *family,
                                  struct accp_statement *statement, struct accp_error *error)
{
    char relation[4];
    ACCP_TRY(read_acc(object, "left", family, &statement->left, error));
    ACCP_TRY(read_acc(object, "right", family, &statement->right, error));
    ACCP_TRY(accp_json_string(object, "relation", relation, sizeof relation, error));
    statement->relation = relation[0];
    if (strcmp(relation, "<") == 0 || strcmp(relation, ">") == 0) return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "relation is \"%s\", not < or >", relation);
}

static enum accp_status read_members(const struct accp_json *object, const char *family,
                                     struct accp_statement *statement, struct accp_error *error)
{
    int needs = kinds[statement->kind].needs;
    if (needs & NEEDS_CHAIN) ACCP_TRY(read_chain(object, family, &statement->chain, error));
    if (needs & NEEDS_ACC) ACCP_TRY(read_acc(object, "acc", family, &statement->acc, error));
    if (needs & NEEDS_FROM) ACCP_TRY(read_acc(object, "from", family, &statement->from, error));
    if (needs & NEEDS_PAIR) ACCP_TRY(read_pair(object, family, statement, error));
    if (needs & NEEDS_PERCENT)
        ACCP_TRY(accp_json_number(object, "percent", -1e6, 1e6, &statement->percent, error));
    if (needs & NEEDS_PROGRESS)
        ACCP_TRY(accp_json_number(object, "progress", 1e-3, 1e12, &statement->progress, error));
    if (!(needs & NEEDS_ORDER)) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_string(object, "order", statement->order, sizeof statement->order, error));
    return parse_order(object, family, statement, error);
}

static enum accp_status read_statement(const struct accp_json *object, const char *family,
                                       struct accp_statement *statement, struct accp_error *error)
{
    char kind[32];
    ACCP_TRY(
        accp_json_string(object, "section", statement->section, sizeof statement->section, error));
    ACCP_TRY(accp_json_string(object, "statement", kind, sizeof kind, error));
    for (int i = 0; i < ACCP_STATEMENT_COUNT; ++i) {
        if (strcmp(kind, kinds[i].name) != 0) continue;
        statement->kind = (enum accp_statement_kind)i;
        return read_members(object, family, statement, error);
    }
    return accp_json_fail(object, error, "statement \"%s\" is of no known kind", kind);
}

static enum accp_status read_family(const struct accp_json *object, struct accp_document *document,
                                    struct accp_error *error)
{
    size_t length = strlen(document->probe);
    memcpy(document->family, document->probe, sizeof document->family);
    if (accp_json_has(object, "family"))
        ACCP_TRY(
            accp_json_string(object, "family", document->family, sizeof document->family, error));
    bool is_of_probe = strncmp(document->family, document->probe, length) == 0 &&
                       (document->family[length] == 0 || document->family[length] == '.');
    if (is_of_probe && family_has(document->family, 0, 0)) return ACCP_STATUS_OK;
    return accp_json_fail(object, error, "family: probe %s has no family \"%s\"", document->probe,
                          document->family);
}

static enum accp_status read_root(const struct accp_json *root, struct accp_document *document,
                                  struct accp_error *error)
{
    struct accp_json object, list, element;
    int64_t warps;
    ACCP_TRY(accp_json_format(root, "accprobe-run/1", error));
    if (!accp_json_has(root, "document")) return ACCP_STATUS_OK;
    ACCP_TRY(accp_json_member(root, "document", JSON_OBJECT, &object, error));
    ACCP_TRY(accp_json_string(&object, "probe", document->probe, sizeof document->probe, error));
    if (accp_probe_find(document->probe) < 0)
        return accp_json_fail(&object, error, "probe \"%s\" is not known", document->probe);
    ACCP_TRY(read_family(&object, document, error));
    ACCP_TRY(accp_json_integer(&object, "warps", 1, 32, &warps, error));
    document->warps = (int)warps;
    ACCP_TRY(accp_json_member(&object, "statements", JSON_ARRAY, &list, error));
    size_t count = json_array_size(list.value);
    if (count > ACCP_STATEMENTS)
        return accp_json_fail(&list, error, "has %zu entries, at most %d fit", count,
                              ACCP_STATEMENTS);
    document->statements = calloc(count + 1, sizeof *document->statements);
    if (!document->statements)
        return accp_fail(error, ACCP_STATUS_MEMORY, root->file, -1, "no memory for its statements");
    for (; document->statement_count < count; ++document->statement_count) {
        struct accp_statement *statement = &document->statements[document->statement_count];
        ACCP_TRY(accp_json_element(&list, document->statement_count, JSON_OBJECT, &element, error));
        ACCP_TRY(read_statement(&element, document->family, statement, error));
    }
    return ACCP_STATUS_OK;
}

enum accp_status accp_document_parse(const char *file, const void *data, size_t size,
                                     struct accp_document *document, struct accp_error *error)
{
    json_t *json;
    struct accp_json root;
    *document = (struct accp_document){0};
    ACCP_TRY(accp_json_parse(file, data, size, &json, &root, error));
    enum accp_status status = read_root(&root, document, error);
    json_decref(json);
    if (status != ACCP_STATUS_OK) accp_document_fini(document);
    return status;
}

enum accp_status accp_document_read(const char *file, struct accp_document *document,
                                    struct accp_error *error)
{
    struct accp_bytes bytes;
    *document = (struct accp_document){0};
    ACCP_TRY(accp_file_read(file, ACCP_JSON_FILE_LIMIT_BYTES, &bytes, error));
    enum accp_status status = accp_document_parse(file, bytes.data, bytes.size, document, error);
    accp_bytes_fini(&bytes);
    return status;
}
