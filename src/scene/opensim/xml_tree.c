// From libxml2's events to our tree.
#include "scene/opensim/xml_tree.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>
#include <string.h>

#include "scene/table/number_table.h"
#include "scene/yaml/yaml_node.h"

enum {
  DEEPEST = 64, // levels, of which models have 20
  MOST_ELEMENTS = 2000000
};

typedef struct builder {
  xmlParserCtxtPtr parser;
  lb_arena* arena;
  lb_report* report;
  const char* file;
  lb_xml *root, *open;       // element that is open now
  lb_xml* last[DEEPEST + 1]; // the last one inside the element of each level
  char* text;                // of the open element so far
  size_t length, capacity;
  int depth, count;
  bool failed, no_memory;
} builder;

static void stop(builder* b) {
  b->failed = true;
  xmlStopParser(b->parser);
}

static void lack(builder* b) {
  b->no_memory = true;
  stop(b);
}

static lb_place here(const builder* b) {
  return (lb_place){b->file, xmlSAX2GetLineNumber(b->parser), xmlSAX2GetColumnNumber(b->parser)};
}

static void refuse(builder* b, const char* text) {
  if (!b->failed) {
    lb_report_add(b->report, LB_INVALID, here(b), "%s", text);
  }
  stop(b);
}

// --- events ---

static const char* copy(builder* b, const char* text, size_t length) {
  const char* made = lb_arena_text(b->arena, text, length);
  if (!made) {
    lack(b);
  }
  return made ? made : "";
}

static const char* name_attribute(builder* b, const xmlChar** attribute) {
  for (int i = 0; attribute && attribute[i]; i += 2) {
    if (strcmp((const char*)attribute[i], "name") == 0) {
      const char* value = (const char*)attribute[i + 1];
      return copy(b, value ? value : "", value ? strlen(value) : 0);
    }
  }
  return "";
}

static void begin(void* context, const xmlChar* tag, const xmlChar** attribute) {
  builder* b = context;
  if (b->failed) {
    return;
  }
  if (b->depth >= DEEPEST || b->count >= MOST_ELEMENTS) {
    refuse(b, b->depth >= DEEPEST ? "elements are nested too deeply (64 levels are allowed)"
                                  : "there are too many elements (2000000 are allowed)");
    return;
  }
  lb_xml* node = LB_TAKE(b->arena, lb_xml, 1);
  if (!node) {
    lack(b);
    return;
  }
  node->tag = copy(b, (const char*)tag, strlen((const char*)tag));
  node->name = name_attribute(b, attribute);
  node->text = "";
  node->place = here(b);
  node->parent = b->open;
  if (b->depth == 0) {
    b->root = node;
  } else if (b->last[b->depth]) {
    b->last[b->depth]->next = node;
  } else {
    b->open->first = node;
  }
  b->last[b->depth] = node;
  b->depth++;
  b->last[b->depth] = NULL;
  b->open = node;
  b->length = 0;
  b->count++;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void end(void* context, const xmlChar* tag) {
  builder* b = context;
  (void)tag;
  if (b->failed || !b->open) {
    return;
  }
  if (!b->open->first) {
    size_t from = 0, to = b->length;
    while (from < to && is_blank(b->text[from])) {
      from++;
    }
    while (to > from && is_blank(b->text[to - 1])) {
      to--;
    }
    b->open->text = to > from ? copy(b, b->text + from, to - from) : "";
  }
  b->length = 0;
  b->depth--;
  b->open = b->open->parent;
}

static void characters(void* context, const xmlChar* text, int count) {
  builder* b = context;
  const size_t n = (size_t)count;
  if (b->failed) {
    return;
  }
  if (b->length + n > b->capacity) {
    const size_t capacity = 2 * (b->length + n) + 256;
    char* grown = LB_TAKE(b->arena, char, capacity);
    if (!grown) {
      lack(b);
      return;
    }
    if (b->length) {
      memcpy(grown, b->text, b->length);
    }
    b->text = grown;
    b->capacity = capacity;
  }
  memcpy(b->text + b->length, text, n);
  b->length += n;
}

static void document_type(void* context, const xmlChar* name, const xmlChar* public_id,
                          const xmlChar* system_id) {
  (void)name, (void)public_id, (void)system_id;
  refuse(context, "a document type (<!DOCTYPE ...>) has no place in a model (take it away)");
}

// What libxml2 says is wrong. It may be in the middle of something, and is not to be stopped here:
// it stops by itself, or goes on to elements that nobody takes.
static void complain(void* context, xmlErrorPtr error) {
  builder* b = context;
  if (b->failed || !error || error->level < XML_ERR_ERROR) {
    return;
  }
  if (error->code == XML_ERR_NO_MEMORY) {
    b->no_memory = b->failed = true;
    return;
  }
  const char* text = error->message ? error->message : "this is not XML";
  const lb_place place = {b->file, error->line > 0 ? error->line : 1,
                          error->int2 > 0 ? error->int2 : 1};
  if (error->code == XML_ERR_TAG_NAME_MISMATCH && b->open) {
    lb_report_add(b->report, LB_INVALID, place, "<%s> of line %d must be closed before this",
                  b->open->tag, b->open->place.line);
  } else {
    lb_report_add(b->report, LB_INVALID, place, "%.*s (it must be XML as OpenSim writes it)",
                  (int)strcspn(text, "\n"), text);
  }
  b->failed = true;
}

// --- the whole ---

static void parse(builder* b, const char* text, size_t length) {
  // Handlers of what is not there, as of entities, stay NULL: nothing is declared or opened.
  xmlSAXHandler handler = {.initialized = 1, // SAX 1: colons are letters
                           .startElement = begin,
                           .endElement = end,
                           .characters = characters,
                           .cdataBlock = characters,
                           .ignorableWhitespace = characters,
                           .internalSubset = document_type};
  b->parser = xmlCreateMemoryParserCtxt(text, (int)length);
  if (!b->parser) {
    b->no_memory = true;
    return;
  }
  xmlSAXHandler* own = b->parser->sax;
  b->parser->sax = &handler;
  b->parser->userData = b;
  b->parser->sax2 = 0;
  handler.serror = NULL;
  xmlCtxtUseOptions(b->parser, XML_PARSE_NONET | XML_PARSE_SAX1 | XML_PARSE_BIG_LINES);
  xmlSetStructuredErrorFunc(b, complain);
  xmlParseDocument(b->parser);
  xmlSetStructuredErrorFunc(NULL, NULL);
  if (!b->parser->wellFormed && !b->failed) {
    lb_report_add(b->report, LB_INVALID, here(b), "this is not XML (it ends too early, or is cut)");
    b->failed = true;
  }
  b->parser->sax = own;
  if (b->parser->myDoc) {
    xmlFreeDoc(b->parser->myDoc);
  }
  xmlFreeParserCtxt(b->parser);
}

// Behind blanks, or a mark of UTF-8.
static bool begins_as_xml(const char* text, size_t length) {
  const char *at = text, *end = text + length;
  at += length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < end && is_blank(*at)) {
    at++;
  }
  return at < end && *at == '<';
}

lb_xml* lb_xml_parse(const char* text, size_t length, const char* file, lb_arena* arena,
                     lb_report* report, bool* no_memory) {
  builder b = {.arena = arena, .report = report, .file = file};
  if (length == 0 || length > LB_YAML_LONGEST_TEXT) {
    lb_report_add(report, LB_INVALID, (lb_place){file, 1, 1},
                  length ? "the file is larger than 64 MB" : "the file is empty (it must be XML)");
    return NULL;
  }
  const char* zero = memchr(text, 0, length);
  if (zero) {
    lb_report_add(report, LB_INVALID, (lb_place){file, 1, (int)(zero - text) + 1},
                  "a zero byte does not belong in a model (save the file as UTF-8)");
    return NULL;
  }
  if (!begins_as_xml(text, length)) {
    const bool table = lb_table_kind_of(text, length) != LB_TABLE_CELLS;
    lb_report_add(report, LB_INVALID, (lb_place){file, 1, 1},
                  table
                      ? "this is a table of numbers (it must be XML as OpenSim writes it)"
                      : "this is not XML, which begins with '<' (it must be as OpenSim writes it)");
    return NULL;
  }
  parse(&b, text, length);
  *no_memory = *no_memory || b.no_memory;
  return b.failed || b.no_memory ? NULL : b.root;
}

lb_xml* lb_xml_find(lb_xml* in, const char* tag) {
  for (lb_xml* e = in ? in->first : NULL; e; e = e->next) {
    if (strcmp(e->tag, tag) == 0) {
      e->seen = true;
      return e;
    }
  }
  return NULL;
}
