// An XML text as a tree of elements, each knowing its line. libxml2 does the grammar, event by
// event; the tree is ours, so that it lives in an arena and is bounded before anyone walks it.
// Nothing outside the text is ever opened: document types, and with them entities of an author's
// own, are refused. Names with colons are names like others.
#pragma once
#include "base/arena.h"
#include "scene/yaml/scene_errors.h"

typedef struct lb_xml {
  const char* tag;
  const char* name; // its attribute `name`, or ""
  const char* text; // between its tags, without blanks at both ends; "" of one with elements inside
  lb_place place;
  struct lb_xml *parent, *first, *next; // `first` inside it, `next` beside it
  bool seen;                            // somebody asked for it
} lb_xml;

// The tree of a text. NULL when something is wrong; `report` then says what, unless there was no
// memory, which `*no_memory` says. `file` must outlive the tree.
lb_xml* lb_xml_parse(const char* text, size_t length, const char* file, lb_arena* arena,
                     lb_report* report, bool* no_memory);

// The first element of this name inside another (NULL has none), which is then seen; or NULL.
lb_xml* lb_xml_find(lb_xml* in, const char* tag);
