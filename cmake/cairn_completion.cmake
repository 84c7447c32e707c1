# cairn_completion(program component)
# The completion of a program for bash, made of its --help by packaging/completion.sh, and installed with it.
set(CAIRN_COMPLETION "${CMAKE_CURRENT_LIST_DIR}/../packaging/completion.sh")

function(cairn_completion program component)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/completion/${program}")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/completion")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CAIRN_COMPLETION}" "$<TARGET_FILE:${program}>" ${CMAKE_CROSSCOMPILING_EMULATOR} > "${out}.new"
    COMMAND "${CMAKE_COMMAND}" -E rename "${out}.new" "${out}"
    DEPENDS ${program} "${CAIRN_COMPLETION}"
    COMMENT "completion of ${program}"
    VERBATIM)
  add_custom_target(completion_${program} ALL DEPENDS "${out}")
  install(FILES "${out}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT ${component})
endfunction()
