/* The floor under any measuring process: makes a CUDA context, loads one cubin, ends. Usage:
 * context_only FILE.cubin. Written against the driver alone, so that it owes nothing to what it is
 * compared with. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define NEED(condition, what) \
    if (!(condition)) { \
        fprintf(stderr, "context_only: %s failed\n", what); \
        return 1; \
    }

int main(int argc, char **argv)
{
    NEED(argc == 2, "usage: context_only FILE.cubin: that");
    FILE *file = fopen(argv[1], "rb");
    NEED(file, "opening the cubin");
    static char cubin[1 << 20];
    NEED(fread(cubin, 1, sizeof cubin, file) > 0, "reading the cubin");
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    NEED(driver, "opening libcuda.so.1");
    int (*init)(unsigned), (*device_get)(int *, int), (*retain)(void **, int), (*set)(void *),
        (*load)(void **, const void *);
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&device_get = dlsym(driver, "cuDeviceGet");
    *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    *(void **)&set = dlsym(driver, "cuCtxSetCurrent");
    *(void **)&load = dlsym(driver, "cuModuleLoadData");
    int device;
    void *context, *module;
    NEED(init(0) == 0, "cuInit");
    NEED(device_get(&device, 0) == 0, "cuDeviceGet");
    NEED(retain(&context, device) == 0, "cuDevicePrimaryCtxRetain");
    NEED(set(context) == 0, "cuCtxSetCurrent");
    NEED(load(&module, cubin) == 0, "cuModuleLoadData");
    return 0;
}
