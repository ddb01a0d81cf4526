#include "model/parameters.h"

#include <stddef.h>

enum { COLUMNS = 6 };

static const int column_sm[COLUMNS] = {75, 80, 86, 90, 100, 120};

enum accp_status accp_model_parameters_find(int sm, struct accp_model_parameters *parameters,
                                            struct accp_error *error)
{
    static const int rows[][COLUMNS] = {
#define PARAMETER(id, sm_75, sm_80, sm_86, sm_90, sm_100, sm_120, source) \
    {sm_75, sm_80, sm_86, sm_90, sm_100, sm_120},
#include "model_parameters.def"
    };
    if (sm < column_sm[0])
        return accp_fail(error, ACCP_STATUS_UNSUPPORTED, NULL, sm,
                         "the model has no parameters for sm_%d; it begins with sm_75", sm);
    int column = 0;
    while (column + 1 < COLUMNS && column_sm[column + 1] <= sm)
        ++column;
    size_t row = 0;
#define PARAMETER(id, sm_75, sm_80, sm_86, sm_90, sm_100, sm_120, source) \
    parameters->id = rows[row++][column];
#include "model_parameters.def"
    return ACCP_STATUS_OK;
}
