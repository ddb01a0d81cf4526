/* The figures of matrix/model_parameters.def for one arch. Not for other modules. */
#ifndef ACCP_MODEL_PARAMETERS_H
#define ACCP_MODEL_PARAMETERS_H

#include "base/status.h"

/* Members and units as the table says. */
struct accp_model_parameters {
#define PARAMETER(id, sm_75, sm_80, sm_86, sm_90, sm_100, sm_120, source) int id;
#include "model_parameters.def"
};

/* Those of the arch of that number (90 for sm_90). UNSUPPORTED below sm_75. */
enum accp_status accp_model_parameters_find(int sm, struct accp_model_parameters *parameters,
                                            struct accp_error *error);

#endif
