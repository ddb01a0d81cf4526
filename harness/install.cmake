# What `cmake --install` and the packages hold. Two components: Runtime (the tool, its kernels and goldens, the manual
# page, completions) and Development (headers, static libraries, the package file of find_package).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A module that others may link: its headers, and the library as accprobe::NAME.
set(public_modules base run sass model)
foreach(module ${public_modules})
  set_target_properties(accp_${module} PROPERTIES EXPORT_NAME ${module} OUTPUT_NAME accprobe_${module})
  install(TARGETS accp_${module} EXPORT accprobe ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
  install(DIRECTORY ${module} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/accprobe COMPONENT Development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
    REGEX "_internal[.]h|sass/loops[.]h|model/(bounds|fetch|parameters|program|queues|simulate|states)[.]h" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/matrix/ ${PROJECT_BINARY_DIR}/matrix/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/accprobe COMPONENT Development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# Headers alone: a policy for each GPU that was measured.
list(APPEND public_modules split)
set_target_properties(accp_split PROPERTIES EXPORT_NAME split)
install(TARGETS accp_split EXPORT accprobe COMPONENT Development)
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/split DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/accprobe COMPONENT Development)

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/accprobe)
install(EXPORT accprobe NAMESPACE accprobe:: FILE accprobeTargets.cmake DESTINATION ${config} COMPONENT Development)
configure_package_config_file(accprobeConfig.cmake.in ${PROJECT_BINARY_DIR}/accprobeConfig.cmake
  INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/accprobeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/accprobeConfig.cmake ${PROJECT_BINARY_DIR}/accprobeConfigVersion.cmake
  DESTINATION ${config} COMPONENT Development)

install(TARGETS accprobe accprobe-compile RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime)
# The tool finds these from where it lies: bin/../share/accprobe.
install(DIRECTORY ${PROJECT_BINARY_DIR}/cubin DESTINATION ${CMAKE_INSTALL_DATADIR}/accprobe COMPONENT Runtime
  FILES_MATCHING PATTERN "*.cubin")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/golden DESTINATION ${CMAKE_INSTALL_DATADIR}/accprobe COMPONENT Runtime)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/accprobe RENAME copyright
  COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/docs/licences.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/accprobe COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libaccprobe-dev RENAME copyright
  COMPONENT Development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libaccprobe-dev
  COMPONENT Development)

set(CPACK_PACKAGE_VENDOR "accprobe")
set(CPACK_PACKAGE_CONTACT "accprobe maintainers <maintainers@accprobe.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL Runtime Development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME accprobe)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/harness/depends.cmake)
set(CPACK_ACCPROBE_PROGRAMS ${PROJECT_BINARY_DIR}/accprobe ${PROJECT_BINARY_DIR}/accprobe-compile)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS gnuplot-nox) # the figures of accprobe report
# The first line of a component's description is its synopsis: CPack would put the project's before it.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "${PROJECT_DESCRIPTION}
Measures a static matrix of micro-kernels on a GPU, or predicts them without
one, reads their SASS, and holds both against baselines by GPU and compiler.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libaccprobe-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libjansson-dev, libelf-dev, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Reader, decoder and issue model of SASS: headers and static libraries
For find_package(accprobe): accprobe::sass reads cubins and decodes them,
accprobe::model predicts how long an iteration of a loop takes.")
include(CPack)
