# cairn_library(name LINK libs...)
# One folder is one static library cairn_<name>. Its headers are visible to those that link it, and
# to nobody else: what a folder may include is what it links.
function(cairn_library name)
  cmake_parse_arguments(ARG "" "" "LINK;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.c")
  add_library(cairn_${name} STATIC ${sources} ${ARG_SOURCES})
  target_include_directories(cairn_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(cairn_${name} PUBLIC ${ARG_LINK} PRIVATE cairn_flags)
  set_target_properties(cairn_${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()
