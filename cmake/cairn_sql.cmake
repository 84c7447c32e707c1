# cairn_sql(target name file.sql ...)
# Compiles the statements of the files into the target as STMT_<name of statement>, declared in
# <name>_sql.h, which the target may include. See server/tools/embed_sql.awk.
find_program(AWK NAMES mawk gawk awk REQUIRED)
set(CAIRN_EMBED_SQL "${CMAKE_CURRENT_LIST_DIR}/../server/tools/embed_sql.awk")

function(cairn_sql target name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/sql_${name}")
  set(out "${folder}/${name}_sql")
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]" OUTPUT_VARIABLE files)
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${out}.c" "${out}.h"
    COMMAND "${AWK}" -v "header=${out}.h" -v "title=${name}" -f "${CAIRN_EMBED_SQL}" ${files}
            > "${out}.c.new"
    COMMAND "${CMAKE_COMMAND}" -E rename "${out}.c.new" "${out}.c"
    DEPENDS ${files} "${CAIRN_EMBED_SQL}"
    COMMENT "SQL statements of ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}.c" "${out}.h")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

set(CAIRN_EMBED_MIGRATIONS "${CMAKE_CURRENT_LIST_DIR}/../server/tools/embed_migrations.cmake")

# cairn_migrations(target folder)
# Compiles the migrations and views of the folder into the target as db_schema.
function(cairn_migrations target folder)
  file(GLOB files CONFIGURE_DEPENDS "${folder}/*.sql" "${folder}/views/*.sql" "${folder}/former")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/schema.c")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${folder}" "-DOUT=${out}" -P "${CAIRN_EMBED_MIGRATIONS}"
    DEPENDS ${files} "${CAIRN_EMBED_MIGRATIONS}"
    COMMENT "migrations"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
