#!/bin/bash
# The published JSON Schema accepts what the reader accepts.
exec python3 "$LIMBER_SOURCE_DIR/tests/scene/validate.py"
