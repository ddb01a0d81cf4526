/* Golden shapes: what the SASS of each role was, by arch and compiler version
 * (golden/shape/<arch>/<version>.json for the optimal probe, golden/shape/<arch>/<probe>/<version>.json
 * for the others, "accprobe-shape/1" with a record), and the listings of all
 * their hot loops, each distinct one once an arch (golden/shape/<arch>/loops.json,
 * "accprobe-loops/1"). */
#ifndef ACCP_GOLDEN_SHAPES_H
#define ACCP_GOLDEN_SHAPES_H

#include "sass/shape_file.h"

#include <limits.h>
#include <stdbool.h>

struct accp_shape_golden {
    char path[PATH_MAX];
    char name[64]; /* "sm_90/13.0.88", "sm_90/13.0.88-nvrtc" */
    struct accp_shapes shapes;
};

/* Those that answer for a compiler; pair with accp_shape_goldens_fini. */
struct accp_shape_goldens {
    size_t count;
    struct accp_shape_golden *items; /* owned; sorted by version */
};
void accp_shape_goldens_fini(struct accp_shape_goldens *goldens);

/* The goldens of the arch and the probes of `shapes` that answer for their compiler: those of its
 * version, which are two where nvcc and NVRTC of it make different code (accp_build_version); or, when a cubin says no more than its release ("12.4", as compilers before 13.0 do), those of all its builds (12.4.99,
 * 12.4.131). `folder` is golden/. None at all is a success with count 0. *goldens is initialised
 * here. Errors: INPUT (a golden that answers is bad, or is of another arch or version than its
 * place says), IO, MEMORY. */
enum accp_status accp_shape_goldens_find(const char *folder, const struct accp_shapes *shapes,
                                         struct accp_shape_goldens *goldens,
                                         struct accp_error *error);

/* Whether a file of that name is a golden of a build: "13.0.88.json", "13.0.88-nvrtc.json"; not
 * "loops.json". */
bool accp_shape_goldens_is_one(const char *file);

/* The folder of a probe's golden shapes. Each probe has files of its own, so that judging one does not read them all: those of
 * the first lie in the arch's folder, the others' in folders of their names there. */
void accp_shape_goldens_place(const char *folder, const char *arch, int probe, char path[PATH_MAX]);

/* The same of one probe and a compiler's version, which may be any text. */
enum accp_status accp_shape_goldens_of(const char *folder, const char *arch, int probe,
                                       const char *version, struct accp_shape_goldens *goldens,
                                       struct accp_error *error);

/* Reads the loops of an arch into *listings, which the caller has cleared and frees in any case
 * (accp_listings_fini). No such file is a success without listings. INPUT: a bad file. */
enum accp_status accp_golden_loops_read(const char *folder, const char *arch,
                                        struct accp_listings *listings, struct accp_error *error);

/* The same, from the place of a golden shape's file: loops.json beside it, or in the folder above it, where the goldens of all
 * probes but the first have theirs. Nothing is read for a shape file that is no golden, or that holds listings of its own. */
enum accp_status accp_golden_loops_beside(const char *file, const struct accp_shapes *shapes,
                                          struct accp_listings *listings, struct accp_error *error);

struct accp_shape_record_request {
    const struct accp_shapes *shapes; /* one file each */
    size_t count;
    const char *folder, *reason, *commit, *date, *tool; /* as in record.h */
    bool dirty;
    bool hashes_only; /* keep no listings: what differs is found, and not named */
    bool with_broken; /* keep shapes whose laws are broken too: they fail all the same, and what
                         differs from them is found */
};

struct accp_shape_record_outcome {
    size_t written, kept;        /* goldens */
    size_t kernels_changed;      /* or added */
    size_t loops_added;          /* to the listings */
    char last_written[PATH_MAX]; /* "": none */
};

/* Makes shape files (with listings, as `accprobe shape --out` writes them) goldens. Kernels of the
 * same name are replaced, others kept; a golden in which nothing changes stays as it is, byte for
 * byte, and listings that its arch lacked are added all the same; one whose kernels are all as in another of its folder names that one. Everything is checked before the first file is written; listings are written before the
 * shapes that point to them. Errors: REFUSED (a broken law without with_broken, a kernel of no role, no listings, an
 * unknown arch, a version that is no build ("12.4"), one kernel twice, a dirty tree, no commit, no
 * reason), INPUT (a golden that is there is bad), IO, MEMORY. */
enum accp_status accp_shapes_record(const struct accp_shape_record_request *request,
                                    struct accp_shape_record_outcome *outcome,
                                    struct accp_error *error);

#endif
