set(CAIRN_EMBED_FILES "${CMAKE_CURRENT_LIST_DIR}/../server/tools/embed_files.cmake")

# cairn_files(target folder [DEPENDS file...] [MORE folder...])
# Compiles every file of the folders into the target, as the table web_files. What stands in MORE is made by the build:
# the files of DEPENDS say when it is.
function(cairn_files target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DEPENDS;MORE")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/web_files.c")
  string(REPLACE ";" "|" folders "${folder};${arg_MORE}")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDERS=${folders}" "-DOUT=${out}" -P "${CAIRN_EMBED_FILES}"
    DEPENDS ${files} ${arg_DEPENDS} "${CAIRN_EMBED_FILES}"
    COMMENT "files of the web page"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
