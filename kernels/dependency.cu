/* The dependency-shape probe: as many links in chains, pairs, trees and braids. */
#include "iteration.cuh"

#define ROLE(...) ACCP_KERNEL(dependency, __VA_ARGS__)
#include "dependency.def"
