#!/bin/sh
# Makes HTML of the documents and a page for each public header with Debian's Sphinx: build/docs/html/README.html.
#   sh tools/docs.sh
set -eu
cd "$(dirname "$0")/.."
. tools/setup.sh

need python3-sphinx python3-myst-parser furo
python3 docs/pages.py . build/docs/source
sphinx-build -q -W --keep-going -c docs build/docs/source build/docs/html
echo "build/docs/html/README.html"
