/* No include guard: reference.c includes it once with REAL and FMA of float and once of double. */
void NAME(begin)(const struct accp_reference_lane *lane, struct STATE *state)
{
    state->sink = (REAL)lane->sink;
    for (int k = 0; k < ACCP_ACCUMULATORS; ++k)
        state->accumulator[k] = (REAL)lane->start[k];
}

/* FMA rounds once whatever the compiler makes of it; a written a * b + c might be contracted or not. */
void NAME(iterate)(const struct accp_reference_work *work, const struct accp_reference_lane *lane,
                   struct STATE *state)
{
    const REAL multiplier = (REAL)lane->multiplier;
    REAL *accumulator = state->accumulator;
    for (int i = 0; i < work->chain; ++i) {
        const struct accp_link *link = &work->links.links[i];
        const int k = link->accumulator;
        if (link->is_first)
            accumulator[k] =
                FMA(multiplier, state->sink,
                    accp_is_carried(work->sink, k) ? accumulator[k] : (REAL)lane->start[k]);
        else
            accumulator[k] = FMA(multiplier, accumulator[k],
                                 link->joined < 0 ? (REAL)lane->addend : accumulator[link->joined]);
    }
    for (int k = 0; k < work->effective; ++k)
        if (work->links.is_end[k] && !accp_is_carried(work->sink, k)) state->sink += accumulator[k];
}

REAL NAME(result)(const struct accp_reference_work *work, const struct STATE *state)
{
    REAL result = state->sink;
    for (int k = 0; k < work->effective; ++k)
        if (accp_is_carried(work->sink, k)) result += state->accumulator[k];
    return result;
}
