set(CAIRN_EMBED_FILES "${CMAKE_CURRENT_LIST_DIR}/../server/tools/embed_files.cmake")

# cairn_files(target folder)
# Compiles every file of the folder into the target, as the table web_files.
function(cairn_files target folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/web_files.c")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DOUT=${out}" -P "${CAIRN_EMBED_FILES}"
    DEPENDS ${files} "${CAIRN_EMBED_FILES}"
    COMMENT "files of the web page"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
