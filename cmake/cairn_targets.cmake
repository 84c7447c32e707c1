# A folder of CMakeLists.txt files may set another kind for its libraries.
set(CAIRN_LIBRARY_KIND STATIC)

# cairn_library(name [FOLDERS subfolders...] LINK libs...)
# One folder is one library cairn_<name>, a static one. Its headers are visible to those that link it, and
# to nobody else: what a folder may include is what it links.
function(cairn_library name)
  cmake_parse_arguments(ARG "" "" "LINK;FOLDERS" ${ARGN})
  list(TRANSFORM ARG_FOLDERS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" OUTPUT_VARIABLE folders)
  list(PREPEND folders "${CMAKE_CURRENT_SOURCE_DIR}")
  list(TRANSFORM folders APPEND "/*.c" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(cairn_${name} ${CAIRN_LIBRARY_KIND} ${sources})
  target_include_directories(cairn_${name} PUBLIC ${folders})
  target_link_libraries(cairn_${name} PUBLIC ${ARG_LINK} PRIVATE cairn_flags)
  set_target_properties(cairn_${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()
