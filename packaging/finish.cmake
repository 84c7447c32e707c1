# What Debian's policy asks of each package before it is made: licence and changes under its name, pages of the manual packed.
# Run by CPack, a line of folders below: one for each component.
set(names server cairn-server client cairn-client library libcairn1 development libcairn-dev sampler cairn-sampler)
file(READ "${CPACK_RESOURCE_FILE_LICENSE}" licence)
string(TIMESTAMP year "%Y" UTC)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
while(names)
  list(POP_FRONT names component package)
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  if(NOT IS_DIRECTORY "${root}")
    continue()
  endif()
  set(doc "${root}/usr/share/doc/${package}")
  file(MAKE_DIRECTORY "${doc}")
  file(WRITE "${doc}/copyright" "Cairn, tracking server for machine-learning runs\n\nCopyright ${year} the authors of Cairn\n
License: Apache-2.0\n On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.\n")
  file(WRITE "${doc}/changelog.Debian" "cairn (${CPACK_PACKAGE_VERSION}-1) stable; urgency=medium\n
  * Changes of this version: see CHANGELOG.md in its source.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB_RECURSE pages "${root}/usr/share/man/*.[1-8]")
  execute_process(COMMAND gzip -9n ${pages} "${doc}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
endwhile()
