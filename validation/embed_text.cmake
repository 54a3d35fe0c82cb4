# Makes a C++ source of text files: cmake -DOUTPUT=assets.cpp -DHEADER=x.hpp -DNAMESPACE=a::b
#   -DNAMES=kA,kB -DFILES=a.css,b.js -P embed_text.cmake
string(REPLACE "," ";" names "${NAMES}")
string(REPLACE "," ";" files "${FILES}")
set(content "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND content "using namespace std::string_view_literals;\n\n")
foreach(name file IN ZIP_LISTS names files)
  file(READ "${file}" bytes)
  string(APPEND content "const std::string_view ${name} = R\"embedded(${bytes})embedded\"sv;\n\n")
endforeach()
string(APPEND content "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${content}")
