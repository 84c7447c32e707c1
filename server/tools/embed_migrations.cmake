# Makes C of the migrations: cmake -DFOLDER=migrations -DOUT=schema.c -P embed_migrations.cmake
# migrations/NNNN_name.sql and migrations/views/name.sql become the tables of db_migrate.h, in the
# order of their names, each with the SHA-256 of its file. migrations/former, as sha256sum prints it, has the SHA-256 that a
# file had before only its comments changed: databases that it was applied to have that one recorded.

function(c_text file ret)
  file(READ "${file}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n\t  \"" text "${text}")
  set(${ret} "\"${text}\"" PARENT_SCOPE)
endfunction()

set(former "")
if(EXISTS "${FOLDER}/former")
  file(READ "${FOLDER}/former" former)
endif()
file(GLOB migrations "${FOLDER}/*.sql")
file(GLOB views "${FOLDER}/views/*.sql")
list(SORT migrations)
list(SORT views)
set(expected 0)
set(code "#include \"db_migrate.h\"\n\nstatic const struct db_migration migrations[] = {\n")

foreach(file IN LISTS migrations)
  get_filename_component(name "${file}" NAME_WE)
  math(EXPR expected "${expected} + 1")
  if(NOT name MATCHES "^([0-9][0-9][0-9][0-9])_[a-z0-9_]+$")
    message(FATAL_ERROR "${file}: a migration is named NNNN_name.sql")
  endif()
  math(EXPR number "1${CMAKE_MATCH_1} - 10000")
  if(NOT number EQUAL expected)
    message(FATAL_ERROR "${file}: number ${expected} was expected")
  endif()
  file(SHA256 "${file}" checksum)
  c_text("${file}" text)
  set(before "")
  if(former MATCHES "([0-9a-f]+)  ${name}\\.sql")
    set(before "${CMAKE_MATCH_1}")
  endif()
  string(APPEND code "\t{ ${number}, \"${name}\",\n\t  ${text},\n\t  \"${checksum}\", \"${before}\" },\n")
endforeach()
string(APPEND code "\t{ 0 },\n};\n\nstatic const struct db_view views[] = {\n")

foreach(file IN LISTS views)
  get_filename_component(name "${file}" NAME_WE)
  file(SHA256 "${file}" checksum)
  c_text("${file}" text)
  string(APPEND code "\t{ \"${name}\",\n\t  ${text},\n\t  \"${checksum}\" },\n")
endforeach()
string(APPEND code "\t{ 0 },\n};\n\nconst struct db_schema db_schema = {\n"
  "\t.migration = migrations,\n\t.migrations = sizeof(migrations) / sizeof(migrations[0]) - 1,\n"
  "\t.view = views,\n\t.views = sizeof(views) / sizeof(views[0]) - 1,\n};\n")
file(WRITE "${OUT}" "${code}")
