# Read by cpack: what the installed programs need, asked of dpkg-shlibdeps for them alone. CPack's own way runs file(1) on every file of a
# package, and there are 1,900 goldens.
set(folder ${CPACK_TOPLEVEL_DIRECTORY}/depends)
file(WRITE ${folder}/debian/control "Source: accprobe\n\nPackage: accprobe\nArchitecture: any\n")
execute_process(COMMAND dpkg-shlibdeps --warnings=0 -O ${CPACK_ACCPROBE_PROGRAMS} WORKING_DIRECTORY ${folder}
  OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^.*shlibs:Depends=" "" CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${depends}")
