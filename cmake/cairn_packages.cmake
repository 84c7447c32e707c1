# Packages: cmake --preset package && cmake --build --preset package && cpack --config build/package/CPackConfig.cmake
# writes cairn-server, cairn-client, libcairn1, libcairn-dev and cairn-sampler as .deb files to build/package/packages, and
# with "-G RPM", where rpmbuild is installed, the same as RPM, which is not tested.
set(packaging "${PROJECT_SOURCE_DIR}/packaging")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cairn)
set(CPACK_PACKAGE_VENDOR Cairn)
set(CAIRN_CONTACT "The Cairn maintainers <cairn@example.org>" CACHE STRING "Who makes the packages, NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT "${CAIRN_CONTACT}")
set(CPACK_PACKAGE_VERSION "${CAIRN_VERSION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_ALL server client library development sampler)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PRE_BUILD_SCRIPTS "${packaging}/finish.cmake")

set(CPACK_COMPONENT_SERVER_DESCRIPTION "tracking server for machine-learning runs
Cairn keeps config, metrics, console, files and system metrics of runs, of
which many processes on many hosts may write one. It answers over REST, in a
web page, and to the unmodified wandb SDK. It keeps what it stores in
PostgreSQL: one of its own under /var/lib/cairn, or one that you name.")
set(CPACK_COMPONENT_CLIENT_DESCRIPTION "command of the tracking server Cairn
cairn runs commands as runs, logs from scripts, and shows runs in the
terminal.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "client library of the tracking server Cairn
libcairn logs from C and C++ programs, without holding them up.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "client library of the tracking server Cairn, for development
The header, the static library and the file for pkg-config of libcairn.")
set(CPACK_COMPONENT_SAMPLER_DESCRIPTION "sampler of system metrics of the tracking server Cairn
cairn-sampler prints numbers about a machine and a tree of processes, a line
of JSON for each sample.")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_SERVER_PACKAGE_NAME cairn-server)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "adduser")
set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "postgresql")
set(CPACK_DEBIAN_SERVER_PACKAGE_SUGGESTS "cairn-client, pgbouncer")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA "${packaging}/debian/conffiles;${packaging}/debian/postinst;${packaging}/debian/prerm;${packaging}/debian/postrm")
set(CPACK_DEBIAN_CLIENT_PACKAGE_NAME cairn-client)
set(CPACK_DEBIAN_CLIENT_PACKAGE_SECTION science)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libcairn1)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${packaging}/debian/shlibs;${packaging}/debian/triggers")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcairn-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libcairn1 (= ${CAIRN_VERSION}-1)")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libcurl4-openssl-dev | libcurl-dev") # for the static library
set(CPACK_DEBIAN_SAMPLER_PACKAGE_NAME cairn-sampler)
set(CPACK_DEBIAN_SAMPLER_PACKAGE_SECTION science)
set(CPACK_DEBIAN_SAMPLER_PACKAGE_SUGGESTS "libcurl4") # for endpoints of metrics

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_SERVER_PACKAGE_NAME cairn-server)
set(CPACK_RPM_SERVER_USER_FILELIST "%config(noreplace) /etc/cairn/cairnd.conf")
set(CPACK_RPM_SERVER_PRE_INSTALL_SCRIPT_FILE "${packaging}/rpm/pre")
set(CPACK_RPM_SERVER_POST_INSTALL_SCRIPT_FILE "${packaging}/rpm/post")
set(CPACK_RPM_SERVER_PRE_UNINSTALL_SCRIPT_FILE "${packaging}/rpm/preun")
set(CPACK_RPM_CLIENT_PACKAGE_NAME cairn-client)
set(CPACK_RPM_LIBRARY_PACKAGE_NAME libcairn1)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME libcairn-devel)
set(CPACK_RPM_SAMPLER_PACKAGE_NAME cairn-sampler)

include(CPack)
