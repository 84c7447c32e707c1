# Makes C of folders: cmake "-DFOLDERS=build/page|build/uplot/page" -DOUT=files.c -P embed_files.cmake
# Every file below them becomes a row of web_files, a table of static_files.h, folder by folder in the order of the names.
# Files for npm (package.json and its lock) are not part of the page. With "-DPACKER=PROGRAM|OPTION" a file is packed as well.

set(code "#include \"static_files.h\"\n")
set(rows "")
set(number 0)

# The bytes of a file, as an array of that name at the end of the code.
function(embed path name)
  file(READ "${path}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,){16})" "\\1\n\t" bytes "${bytes}")
  string(APPEND code "\nstatic const unsigned char ${name}[] = {\n\t${bytes}\n};\n")
  set(code "${code}" PARENT_SCOPE)
endfunction()

string(REPLACE "|" ";" FOLDERS "${FOLDERS}")
string(REPLACE "|" ";" PACKER "${PACKER}")

foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE files RELATIVE "${folder}" "${folder}/*")
  list(FILTER files EXCLUDE REGEX "^(package.*\\.json|node_modules/.*)$")
  list(SORT files)
  foreach(file IN LISTS files)
    embed("${folder}/${file}" "file_${number}")
    set(packed "NULL, 0")
    if(PACKER)
      execute_process(COMMAND ${PACKER} "${folder}/${file}" OUTPUT_FILE "${OUT}.gz" COMMAND_ERROR_IS_FATAL ANY)
      embed("${OUT}.gz" "gzip_${number}")
      set(packed "gzip_${number}, sizeof(gzip_${number})")
    endif()
    string(APPEND rows "\t{ \"${file}\", file_${number}, sizeof(file_${number}), ${packed} },\n")
    math(EXPR number "${number} + 1")
  endforeach()
endforeach()
string(APPEND code "\nconst struct static_source web_files[] = {\n${rows}};\n"
  "const size_t web_file_count = ${number};\n")
file(WRITE "${OUT}" "${code}")
