set(CAIRN_EMBED_FILES "${CMAKE_CURRENT_LIST_DIR}/../server/tools/embed_files.cmake")
set(CAIRN_BUNDLE_PAGE "${CMAKE_CURRENT_LIST_DIR}/../server/tools/bundle_page.py")
set(CAIRN_BUNDLE_LAYERS "${CMAKE_CURRENT_LIST_DIR}/../server/tools/page_layers.py")

# cairn_files(target FOLDERS folder... DEPENDS file...)
# Compiles every file of the folders into the target, as the table web_files. DEPENDS says when it is made anew.
# Release builds pack with zopfli, if it is installed: it takes seconds and makes files 3 % smaller than zlib. Other builds
# pack with gzip, which takes no time: a server without packed files spends 40 ms of each start on it.
function(cairn_files target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;DEPENDS")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/web_files.c")
  string(REPLACE ";" "|" folders "${arg_FOLDERS}")
  find_program(CAIRN_ZOPFLI zopfli DOC "packs the web page's files")
  find_program(CAIRN_GZIP gzip DOC "packs the web page's files where zopfli does not")
  set(packer "")
  if(CAIRN_ZOPFLI AND CMAKE_BUILD_TYPE MATCHES "Rel")
    set(packer "${CAIRN_ZOPFLI}|-c")
  elseif(CAIRN_GZIP)
    set(packer "${CAIRN_GZIP}|-9nc")
  endif()
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDERS=${folders}" "-DOUT=${out}" "-DPACKER=${packer}" -P "${CAIRN_EMBED_FILES}"
    DEPENDS ${arg_DEPENDS} "${CAIRN_EMBED_FILES}"
    COMMENT "files of the web page"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()

# cairn_bundled(ret_folder ret_file SOURCES folder... DEPENDS file...)
# The page as few small files, made by esbuild of the folders laid over each other; the file is made last, and says when.
# Without esbuild, or Python, the first folder as it is.
function(cairn_bundled ret_folder ret_file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;DEPENDS")
  find_program(CAIRN_ESBUILD esbuild DOC "makes few small files of the web page's modules")
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT CAIRN_ESBUILD OR NOT Python3_Interpreter_FOUND)
    message(STATUS "The web page is compiled in as plain modules, and loads slower: no esbuild, or no Python 3")
    list(GET arg_SOURCES 0 folder)
    set(${ret_folder} "${folder}" PARENT_SCOPE)
    set(${ret_file} "" PARENT_SCOPE)
    return()
  endif()
  set(out "${PROJECT_BINARY_DIR}/page")
  add_custom_command(
    OUTPUT "${out}/index.html"
    COMMAND "${Python3_EXECUTABLE}" "${CAIRN_BUNDLE_PAGE}" --esbuild "${CAIRN_ESBUILD}" --out "${out}" ${arg_SOURCES}
    DEPENDS ${arg_DEPENDS} "${CAIRN_BUNDLE_PAGE}" "${CAIRN_BUNDLE_LAYERS}"
    COMMENT "web page"
    VERBATIM)
  set(${ret_folder} "${out}" PARENT_SCOPE)
  set(${ret_file} "${out}/index.html" PARENT_SCOPE)
endfunction()
