/* The version of tmap: its only home. CMake, pkg-config and `tmap version` read it from here. */
#ifndef TMAP_VERSION_H
#define TMAP_VERSION_H

#define TMAP_VERSION_MAJOR 0
#define TMAP_VERSION_MINOR 1
#define TMAP_VERSION_PATCH 0
#define TMAP_VERSION       "0.1.0"

#endif
