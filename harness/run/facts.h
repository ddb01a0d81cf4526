/* The forms of facts in a run file, each left out where it is unknown. */
#ifndef ACCP_RUN_FACTS_H
#define ACCP_RUN_FACTS_H

#include <stdbool.h>

/* "2026-11-30T05:54:47Z" */
bool accp_fact_is_date(const char *text);

/* Of a tool: "13.0.88" */
bool accp_fact_is_version(const char *text);

/* "sm_90", "sm_90a": of arches that are not in the tables too. */
bool accp_fact_is_arch(const char *text);

/* Domain (of 16 bits, or of 32 as NVML writes it), bus, device and function: "0000:19:00.0" */
bool accp_fact_is_bus_address(const char *text);

/* Vendor and device, in small letters, since GPU models are told apart by it: "10de:2335" */
bool accp_fact_is_pci_device(const char *text);

/* "on", "off" */
bool accp_fact_is_mode(const char *text);

#endif
