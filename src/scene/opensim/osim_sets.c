// Sets of a model in files of their own: their objects join those of the model before it is read.
#include <string.h>

#include "scene/opensim/osim.h"

static const char* const SETS[] = {"ForceSet", "ContactGeometrySet", "MarkerSet", "ConstraintSet"};

static bool is_set(const char* tag) {
  const size_t n = strlen(tag);
  return n >= 3 && strcmp(tag + n - 3, "Set") == 0;
}

static bool is_read(const char* tag) {
  bool known = false;
  for (int i = 0; i < LB_COUNT_OF(SETS); i++) {
    known = known || strcmp(tag, SETS[i]) == 0;
  }
  return known;
}

lb_xml* lb_osim_lone_set(lb_xml* root) {
  lb_xml* in = strcmp(root->tag, "OpenSimDocument") == 0 ? root->first : root;
  return in && is_set(in->tag) ? in : NULL;
}

// The list of a set: inside its `objects`, where it has that.
static lb_xml* list_of(lb_xml* set) {
  lb_xml* objects = lb_xml_find(set, "objects");
  return objects ? objects : set;
}

static void append(lb_xml* to, lb_xml* first) {
  lb_xml** end = &to->first;
  while (*end) {
    end = &(*end)->next;
  }
  *end = first;
  for (lb_xml* e = first; e; e = e->next) {
    e->parent = to;
  }
}

static bool add_set(lb_osim* o, const lb_yaml* mention) {
  const char* path;
  char* text;
  size_t length;
  if (!lb_is_scalar(mention) || !lb_load_mentioned(o->r, mention, &path, &text, &length)) {
    return false;
  }
  lb_xml* root = lb_xml_parse(text, length, path, &o->r->scratch, &o->r->report, &o->r->no_memory);
  lb_xml* set = root ? lb_osim_lone_set(root) : NULL;
  if (!root || !set || !is_read(set->tag)) {
    return root &&
           lb_complain(o->r, (set ? set : root)->place, "<%.60s> is none of the sets %s",
                       (set ? set : root)->tag, lb_join(o->r, " or ", SETS, LB_COUNT_OF(SETS)));
  }
  lb_xml* known = lb_xml_find(o->model, set->tag);
  if (known) {
    append(list_of(known), list_of(set)->first);
  } else {
    set->next = NULL;
    append(o->model, set);
  }
  return true;
}

bool lb_osim_add_sets(lb_osim* o) {
  lb_reader* r = o->r;
  const lb_yaml* sets = r->sets;
  const char* folder = r->folder;
  bool ok = true;
  r->sets = NULL; // they are of one model
  r->folder = sets ? r->sets_folder : folder;
  if (sets && lb_is_scalar(sets)) {
    ok = add_set(o, sets);
  }
  for (int i = 0; sets && i < sets->count && lb_is_list(sets); i++) {
    ok &= add_set(o, sets->item[i]);
  }
  r->folder = folder;
  return ok;
}
