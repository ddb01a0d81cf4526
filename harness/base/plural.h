/* Numbers in sentences. */
#ifndef ACCP_BASE_PLURAL_H
#define ACCP_BASE_PLURAL_H

/* What a noun after the whole number `count`, of any type, ends in: `ending` ("s", "es"), or "" for one. */
#define ACCP_PLURAL(count, ending) ((count) == 1 ? "" : (ending))

#endif
