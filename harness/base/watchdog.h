/* Ends a process that waits for a driver which does not come back: no call of a library that hangs in the kernel can be
 * taken back, so the process says what it waited for and ends. */
#ifndef ACCP_BASE_WATCHDOG_H
#define ACCP_BASE_WATCHDOG_H

#include "base/status.h"

/* ACCP_TIMEOUT_SHARE: what is waited for beside the driver (NVML, another recording, the driver's end
 * with the process) gets this part of the driver's time, so that it is given up first. */
enum { ACCP_TIMEOUT_S = 60, ACCP_TIMEOUT_SHARE = 6 };

/* Seconds that a call of the driver may take: ACCPROBE_TIMEOUT_S if that is a number above 0 and below
 * a million, else ACCP_TIMEOUT_S. */
double accp_timeout_s(void);

/* USAGE: ACCPROBE_TIMEOUT_S is set, not empty, and no such number. */
enum accp_status accp_timeout_check(struct accp_error *error);

/* From now on, until accp_watchdog_rest, the process ends with `exit_status` and one line on stderr when
 * accp_watchdog_feed has not been called for `timeout_s` seconds in which the process ran (a stopped process does not
 * wait). Where no thread can be made, nothing watches. */
void accp_watchdog_watch(double timeout_s, int exit_status);

/* What is being waited for goes on; `what` was the last to come back. A static text. Cheap. */
void accp_watchdog_feed(const char *what);

void accp_watchdog_rest(void);

/* For the end of main, where the driver's own end may hang: the process ends with `exit_status` all the same, after
 * `timeout_s` seconds. Nothing, if accp_watchdog_watch was never called. */
void accp_watchdog_leave(double timeout_s, int exit_status);

#endif
