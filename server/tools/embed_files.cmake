# Makes C of a folder: cmake -DFOLDER=web-static -DOUT=files.c -P embed_files.cmake
# Every file below it becomes a row of web_files, a table of static_files.h, in the order of the names.

file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*")
list(SORT files)
set(code "#include \"static_files.h\"\n")
set(rows "")
set(number 0)

foreach(file IN LISTS files)
  file(READ "${FOLDER}/${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,){16})" "\\1\n\t" bytes "${bytes}")
  string(APPEND code "\nstatic const unsigned char file_${number}[] = {\n\t${bytes}\n};\n")
  string(APPEND rows "\t{ \"${file}\", file_${number}, sizeof(file_${number}) },\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND code "\nconst struct static_source web_files[] = {\n${rows}};\n"
  "const size_t web_file_count = ${number};\n")
file(WRITE "${OUT}" "${code}")
