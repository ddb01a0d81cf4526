/* How the links of a chain are dealt to its accumulators, and what an iteration does with these: the
 * columns `placement` and `sink` of the tables. Kernels, the reference that checks their results and
 * the laws of shapes read it here. Compiles as C11, C++14 and under NVRTC, so it includes nothing. */
#ifndef ACCP_LINKS_H
#define ACCP_LINKS_H

#ifdef __cplusplus
#define ACCP_CONSTANT static constexpr __host__ __device__
#else
#define ACCP_CONSTANT static inline
#endif

/* SINK(id, what becomes of the accumulators). An accumulator that an iteration sinks is set anew by
 * its first link, from its start value. One that it does not sink goes on from the iteration before:
 * it costs no instruction, and no compiler may leave it out, since what all of them hold in the end
 * is summed after the loop. */
#define ACCP_SINK_TABLE(SINK) \
    SINK(FULL, "each iteration adds every accumulator to the sink, one after another") \
    SINK(ONE, \
         "each iteration adds the first accumulator alone to the sink; the others are carried") \
    SINK(STORE, "each iteration stores every accumulator to a slot of shared memory of its own; " \
                "all are carried") \
    SINK(CARRIED, "all accumulators are carried, and are summed after the loop")

/* PLACEMENT(id, which accumulator a link goes to). With E accumulators and C links, C mod E links
 * are the tail: what is left once every accumulator has had its whole share. */
#define ACCP_PLACEMENT_TABLE(PLACEMENT) \
    PLACEMENT(ROUND_ROBIN, \
              "link i goes to accumulator i mod E: the tail is dealt to the first ones") \
    PLACEMENT(FRONT, "round-robin, but the whole tail goes to the first accumulator") \
    PLACEMENT(BACK, "round-robin, but the whole tail goes to the last accumulator") \
    PLACEMENT(BLOCKED, "as many as round-robin, but the links of an accumulator stand together") \
    PLACEMENT(HALVES, \
              "each accumulator gets half of the links that are left, the last one the rest") \
    PLACEMENT(TREE, \
              "round-robin; the last E - 1 links join neighbours, then those, down to the first") \
    PLACEMENT(BRAID, \
              "round-robin; every link but the first adds the next accumulator, not a constant")

enum accp_sink {
#define SINK(id, meaning) ACCP_SINK_##id,
    ACCP_SINK_TABLE(SINK)
#undef SINK
        ACCP_SINK_COUNT
};

enum accp_placement {
#define PLACEMENT(id, meaning) ACCP_PLACEMENT_##id,
    ACCP_PLACEMENT_TABLE(PLACEMENT)
#undef PLACEMENT
        ACCP_PLACEMENT_COUNT
};

enum { ACCP_LINKS = 64 }; /* in a chain, at the most */

/* One link: accumulator = multiplier * (is_first ? sink : accumulator) + addend, the addend being
 * accumulator `joined`, or a constant where that is negative. A first link has none joined. */
struct accp_link {
    int accumulator, joined;
    int is_first; /* 1: of its accumulator in this iteration; else 0 */
};

/* The links of one iteration in the order of the program. */
struct accp_links {
    struct accp_link links[ACCP_LINKS];
    int is_end
        [ACCP_LINKS]; /* [accumulator]: 1: it holds a result; 0: a link joined it to another */
    int depth;        /* links that wait for one another, at the most */
};

/* Accumulators of 1 <= effective <= chain that keep what they hold into the next iteration. */
ACCP_CONSTANT int accp_is_carried(enum accp_sink sink, int accumulator)
{
    return sink != ACCP_SINK_FULL && !(sink == ACCP_SINK_ONE && accumulator == 0);
}

/* The accumulator of link 0 .. chain - 1, but for the joining links of a tree. */
ACCP_CONSTANT int accp_dealt_to(enum accp_placement placement, int chain, int effective, int link)
{
    int accumulator = link % effective;
    const int is_tail = link >= chain - chain % effective;
    if (placement == ACCP_PLACEMENT_FRONT && is_tail) accumulator = 0;
    if (placement == ACCP_PLACEMENT_BACK && is_tail) accumulator = effective - 1;
    if (placement == ACCP_PLACEMENT_BLOCKED) accumulator = link * effective / chain;
    if (placement == ACCP_PLACEMENT_HALVES) {
        accumulator = 0;
        for (int rest = chain / 2; chain - link <= rest; rest /= 2)
            ++accumulator;
        if (accumulator >= effective) accumulator = effective - 1;
    }
    return accumulator;
}

/* 1 <= effective <= chain <= ACCP_LINKS; for a tree, 2 * effective <= chain + 1. */
ACCP_CONSTANT struct accp_links accp_links_of(enum accp_placement placement, int chain,
                                              int effective)
{
    struct accp_links made = {{{0, 0, 0}}, {0}, 0};
    int depth[ACCP_LINKS] = {0}; /* [accumulator], so far */
    int left = 0,
        stride = 1; /* of a tree's next joining link: the accumulators left, left + stride */
    const int dealt = placement == ACCP_PLACEMENT_TREE ? chain - effective + 1 : chain;
    for (int i = 0; i < chain; ++i) {
        struct accp_link link = {0, -1, 0};
        if (i < dealt) {
            link.accumulator = accp_dealt_to(placement, chain, effective, i);
            link.is_first = depth[link.accumulator] == 0;
            if (placement == ACCP_PLACEMENT_BRAID && !link.is_first && effective > 1)
                link.joined = (link.accumulator + 1) % effective;
        } else {
            for (; left + stride >= effective; left = 0)
                stride *= 2;
            link.accumulator = left;
            link.joined = left + stride;
            left += 2 * stride;
        }
        made.is_end[link.accumulator] = 1;
        if (link.joined >= 0) {
            if (depth[link.joined] > depth[link.accumulator])
                depth[link.accumulator] = depth[link.joined];
            if (placement == ACCP_PLACEMENT_TREE) made.is_end[link.joined] = 0;
        }
        ++depth[link.accumulator];
        if (depth[link.accumulator] > made.depth) made.depth = depth[link.accumulator];
        made.links[i] = link;
    }
    return made;
}

#endif
