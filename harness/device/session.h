/* An open GPU. Private to this module. */
#ifndef ACCP_DEVICE_SESSION_H
#define ACCP_DEVICE_SESSION_H

#include "device/driver.h"
#include "device/management.h"

struct accp_module {
    struct accp_module *next;
    void *handle;
};

struct accp_allocation {
    struct accp_allocation *next;
    uint64_t address;
};

struct accp_device {
    struct accp_device *next; /* in the list of open devices */
    struct accp_driver driver;
    struct accp_management management;
    int index, ordinal;
    void *context;
    int capability_major, capability_minor;
    struct accp_run_device facts; /* the driver's part */
    struct accp_module *modules;
    struct accp_allocation *allocations;
    void *timer_begin, *timer_end; /* events; NULL until they are first used */
    bool pending;                  /* launched and not yet synchronised */
    bool lost;                     /* no driver call may be made any more: it would fail or hang */
    struct accp_error loss;        /* what it was lost to */
};

/* OK while the device can be used, with its context current to this thread. */
enum accp_status accp_session_enter(struct accp_device *device, struct accp_error *error);

/* OK for 0, else the error of that result; a sticky one marks the device lost. */
enum accp_status accp_session_check(struct accp_device *device, int result, const char *call,
                                    struct accp_error *error);

/* Calls an entry point of the driver by its symbol and checks the result. */
#define ACCP_SESSION_CALL(device, error, symbol, arguments) \
    accp_session_check(device, (device)->driver.symbol arguments, #symbol, error)

/* Marks the device lost to `error` and returns its code. */
enum accp_status accp_session_lose(struct accp_device *device, struct accp_error *error,
                                   const struct accp_error *loss);

#endif
