# Writes a file as a C array: cmake -DFROM=FILE -DTO=HEADER -P bytes.cmake
file(SIZE ${FROM} size)
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "#define TMAP_MODULE_SIZE ${size}\nstatic const unsigned char tmap_module_bytes[] = {${bytes}0};\n")
