/* Strict reading of our JSON files on top of jansson. Every reader names the file and the path
 * inside it
 * ("run.json: roles[3].cycles.mean: ..."), and refuses what is missing, of another type or out of
 * range. */
#ifndef ACCP_BASE_JSON_H
#define ACCP_BASE_JSON_H

#include "base/file.h"
#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { ACCP_JSON_FILE_LIMIT_BYTES = 64 << 20, ACCP_JSON_PATH_BYTES = 160 };

/* An object being read: where it came from, for the messages. Plain data, borrowed pointers. */
struct accp_json {
    const char *file;                /* name for messages */
    char path[ACCP_JSON_PATH_BYTES]; /* "" for the root, else "roles[3].cycles" */
    json_t *value;                   /* borrowed */
};

/* What a writer of JSON answers: MEMORY where it failed, except where `stream` itself did: who opened that tells why, and
 * another reason beside it would be a wrong one. `what` could not be written. */
enum accp_status accp_json_written(FILE *stream, bool failed, const char *what,
                                   struct accp_error *error);

/* Parses `size` bytes as one JSON object without duplicate keys. *root is owned by the caller
 * (json_decref); *reader points into it. Errors: INPUT, with the line in `offset`. */
enum accp_status accp_json_parse(const char *file, const void *data, size_t size, json_t **root,
                                 struct accp_json *reader, struct accp_error *error);

/* Reads a file and parses it as above; checks that member "format" is `format` ("accprobe-run/1"):
 * a newer version of the same format and another format are told apart in the message. */
enum accp_status accp_json_open(const char *file, const char *format, json_t **root,
                                struct accp_json *reader, struct accp_error *error);

/* Checks the member "format" of an already parsed root, as accp_json_open does. */
enum accp_status accp_json_format(const struct accp_json *root, const char *format,
                                  struct accp_error *error);

/* Member of an object, or element of an array, as a reader of its own. INPUT if missing or of
 * another type. */
enum accp_status accp_json_member(const struct accp_json *object, const char *key, json_type type,
                                  struct accp_json *member, struct accp_error *error);
enum accp_status accp_json_element(const struct accp_json *array, size_t index, json_type type,
                                   struct accp_json *element, struct accp_error *error);
bool accp_json_has(const struct accp_json *object, const char *key);

/* Members by value. A string must fit `text_bytes` with its NUL, and hold no control characters (accp_text_control_bytes); a
 * number must lie in [low, high]; an integer must be written as one. */
enum accp_status accp_json_string(const struct accp_json *object, const char *key, char *text,
                                  size_t text_bytes, struct accp_error *error);
enum accp_status accp_json_number(const struct accp_json *object, const char *key, double low,
                                  double high, double *number, struct accp_error *error);
enum accp_status accp_json_integer(const struct accp_json *object, const char *key, int64_t low,
                                   int64_t high, int64_t *integer, struct accp_error *error);

/* INPUT at the path of `object`, with the text given: for checks across members. */
enum accp_status accp_json_fail(const struct accp_json *object, struct accp_error *error,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
