// Readers of tetrahedral meshes: the same two tetrahedra in every format, then files that are
// wrong.
#include "geom.h"
#include "geom/tet/tetmesh.h"

typedef struct fixture {
  lb_arena arena;
  lb_error err;
  lb_tetmesh mesh;
} fixture;

static fixture set_up(void) {
  fixture f = {.err = lb_error_make(NULL), .mesh = {.nnode = -7}};
  lb_arena_init(&f.arena, NULL);
  return f;
}

static void tear_down(fixture* f) {
  lb_error_clear(&f->err);
  lb_arena_release(&f->arena);
}

typedef lb_status parser(const char* text, size_t size, const char* name, lb_arena* arena,
                         lb_tetmesh* mesh, lb_error* err);

static lb_status parse(fixture* f, parser* p, const char* text) {
  const lb_status status = p(text, strlen(text), "file", &f->arena, &f->mesh, &f->err);
  if (status != LB_OK) {
    assert_int_equal(f->mesh.nnode, -7);
  }
  return status;
}

// Nodes (0,0,0) (1,0,0) (0,1,0) (0,0,1) (1,1,1), elements 0123 and 1 2 3 4 in two regions, and the
// bottom (z = 0) as a surface given inside out.
static const char gmsh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                            "$PhysicalNames\n3\n2 7 \"the bottom\"\n3 1 \"near\"\n3 2 \"far\"\n"
                            "$EndPhysicalNames\n"
                            "$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1 1 1\n"
                            "99 5 5 5\n$EndNodes\n"
                            "$Elements\n4\n1 15 2 0 1 99\n2 2 2 7 1 10 20 30\n"
                            "3 4 2 1 1 10 20 30 40\n4 4 2 2 1 20 30 40 50\n$EndElements\n";
static const char gmsh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n3\n2 7 \"the bottom\"\n3 1 \"near\"\n3 2 \"far\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 1 2\n1 0 0 0 0\n5 0 0 0 1 1 0 1 7 0\n"
    "1 0 0 0 1 1 1 1 1 1 5\n2 0 0 0 1 1 1 1 2 0\n$EndEntities\n"
    "$Nodes\n2 5 10 50\n2 5 1 2\n10\n20\n0 0 0 0.1 0.2\n1 0 0 0.3 0.4\n"
    "3 1 0 3\n30\n40\n50\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n4 4 1 4\n0 1 15 1\n1 10\n2 5 2 1\n2 10 20 30\n3 1 4 1\n3 10 20 30 40\n"
    "3 2 4 1\n4 20 30 40 50\n$EndElements\n";
static const char vtk4[] = "# vtk DataFile Version 4.2\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                           "POINTS 5 double\n0 0 0 1 0 0\n0 1 0 0 0 1 1 1 1\n"
                           "METADATA\nINFORMATION 0\n\n"
                           "CELLS 3 14\n3 0 1 2\n4 0 1 2 3\n4 1 2 3 4\n"
                           "CELL_TYPES 3\n5 10 10\n"
                           "CELL_DATA 3\nSCALARS quality double\nLOOKUP_TABLE default\n1 2 3\n"
                           "SCALARS group int 1\nLOOKUP_TABLE default\n7 1 2\n";
static const char vtk5[] = "# vtk DataFile Version 5.1\ntwo\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                           "POINTS 5 float\n0 0 0 1 0 0\n0 1 0 0 0 1 1 1 1\n"
                           "CELLS 4 11\nOFFSETS vtktypeint64\n0 3 7 11\n"
                           "CONNECTIVITY vtktypeint64\n0 1 2 0 1 2 3 1 2 3 4\n"
                           "CELL_TYPES 3\n5\n10\n10\n"
                           "CELL_DATA 3\nFIELD FieldData 2\nheat 2 3 double\n1 2 3 4 5 6\n"
                           "group 1 3 vtktypeint64\n7 1 2\n";
static const char node[] = "# made by hand\n5 3 1 1\n1 0 0 0 0.5 1\n2 1 0 0 0.5 1\n3 0 1 0 0.5 1\n"
                           "4 0 0 1 0.5 1\n5 1 1 1 0.5 1 # last\n";
static const char ele[] = "2 4 1\n1 1 2 3 4 1\n2 2 3 4 5 2\n";
static const char face[] = "2 1\n1 1 2 3 7\n2 2 3 4 0\n";

static lb_status parse_tetgen(fixture* f, const char* n, const char* e, const char* c) {
  const lb_tetgen_text nodes = {n, strlen(n), "x.node"}, elements = {e, strlen(e), "x.ele"},
                       faces = {c, c ? strlen(c) : 0, "x.face"};
  return lb_tetmesh_parse_tetgen(nodes, elements, faces, &f->arena, &f->mesh, &f->err);
}

// All of the above are this.
static void assert_two_tetrahedra(fixture* f, const char* surface, const char* region) {
  const lb_tetmesh* m = &f->mesh;
  assert_int_equal(m->order, 1);
  assert_int_equal(m->nnode, 5);
  assert_int_equal(m->nelem, 2);
  assert_int_equal(m->nregion, 2);
  assert_string_equal(m->region_name[m->region[1]], region);
  assert_near(lb_tetmesh_volume(m), 1.0 / 6 + 1.0 / 3, 1e-15);
  assert_int_equal(m->nsurface, 1);
  assert_string_equal(m->surface[0].name, surface);
  assert_int_equal(m->surface[0].nface, 1);
  const int* v = m->surface[0].face; // outward: down
  const lb_vec3 n = lb_vec3_cross(lb_vec3_sub(m->node[v[1]], m->node[v[0]]),
                                  lb_vec3_sub(m->node[v[2]], m->node[v[0]]));
  assert_vec3_near(n, lb_vec3_make(0, 0, -1), 1e-15);
  assert_int_equal(lb_tetmesh_check(m, "m", (lb_place){0}, &f->arena, &f->err), LB_OK);
}

static void all_formats_say_the_same(void** state) {
  (void)state;
  const struct {
    parser* parse;
    const char* text;
    const char* surface;
    const char* region;
  } files[] = {{lb_tetmesh_parse_gmsh, gmsh2, "the bottom", "far"},
               {lb_tetmesh_parse_gmsh, gmsh4, "the bottom", "far"},
               {lb_tetmesh_parse_vtk, vtk4, "7", "2"},
               {lb_tetmesh_parse_vtk, vtk5, "7", "2"}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    fixture f = set_up();
    assert_int_equal(parse(&f, files[i].parse, files[i].text), LB_OK);
    assert_two_tetrahedra(&f, files[i].surface, files[i].region);
    tear_down(&f);
  }
  fixture f = set_up();
  assert_int_equal(parse_tetgen(&f, node, ele, face), LB_OK);
  assert_two_tetrahedra(&f, "7", "2");
  tear_down(&f);
}

// A tetrahedron whose middle nodes come as each format orders them; all end up in our order.
static void middle_nodes_come_in_our_order(void** state) {
  (void)state;
  static const char gmsh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n"
                             "1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n5 1 0 0\n6 1 1 0\n7 0 1 0\n"
                             "8 0 0 1\n9 0 1 1\n10 1 0 1\n$EndNodes\n$Elements\n1\n"
                             "1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
  static const char vtk[] = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                            "POINTS 10 float\n0 0 0 2 0 0 0 2 0 0 0 2 1 0 0 1 1 0 0 1 0 0 0 1\n"
                            "1 0 1 0 1 1\nCELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n";
  static const char nodes[] = "10 3 0 0\n0 0 0 0\n1 2 0 0\n2 0 2 0\n3 0 0 2\n4 0 1 1\n5 1 0 1\n"
                              "6 1 1 0\n7 0 0 1\n8 0 1 0\n9 1 0 0\n";
  // left-handed, too: TetGen's corners 0 2 1 3
  static const char elements[] = "1 10 0\n0 0 2 1 3 4 5 6 7 8 9\n";
  for (int format = 0; format < 3; format++) {
    fixture f = set_up();
    const lb_status status = format == 0   ? parse(&f, lb_tetmesh_parse_gmsh, gmsh)
                             : format == 1 ? parse(&f, lb_tetmesh_parse_vtk, vtk)
                                           : parse_tetgen(&f, nodes, elements, NULL);
    assert_int_equal(status, LB_OK);
    assert_int_equal(f.mesh.order, 2);
    const int* v = f.mesh.elem;
    for (int k = 0; k < 6; k++) {
      const lb_vec3 m = lb_vec3_scale(0.5, lb_vec3_add(f.mesh.node[v[lb_tetmesh_edge[k][0]]],
                                                       f.mesh.node[v[lb_tetmesh_edge[k][1]]]));
      assert_vec3_near(f.mesh.node[v[4 + k]], m, 1e-15);
    }
    assert_near(lb_tetmesh_volume(&f.mesh), 8.0 / 6, 1e-14);
    tear_down(&f);
  }
}

static void mistakes_are_reported_where_they_stand(void** state) {
  (void)state;
  const struct {
    parser* parse;
    const char* text;
    const char* says;
  } bad[] = {
      {lb_tetmesh_parse_gmsh, "$MeshFormat\n2.2 1 8\n$EndMeshFormat\n", "file:2:1: this Gmsh"},
      {lb_tetmesh_parse_gmsh, "$MeshFormat\n3 0 8\n$EndMeshFormat\n", "file:2:1: this Gmsh"},
      {lb_tetmesh_parse_gmsh, "$Nodes\n0\n", "file:1:1: '$Nodes' comes before"},
      {lb_tetmesh_parse_gmsh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 zero 0\n",
       "file:6:5: 'zero' is not a finite number"},
      {lb_tetmesh_parse_gmsh,
       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n"
       "1 4 0 1 2 3 4\n",
       "file:10:1: there is no node 2"},
      {lb_tetmesh_parse_gmsh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n",
       "the file ends in the middle"},
      {lb_tetmesh_parse_gmsh, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
       "file: there are no tetrahedra"},
      {lb_tetmesh_parse_gmsh,
       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n",
       "two nodes have the number 1"},
      {lb_tetmesh_parse_vtk, "solid\n", "file:1:1: this is not a VTK"},
      {lb_tetmesh_parse_vtk, "# vtk DataFile Version 3.0\nt\nBINARY\n", "file:3:1: only VTK"},
      {lb_tetmesh_parse_vtk,
       "# vtk DataFile Version 3.0\nt\nASCII\nCELLS 1 2\n9 1\nCELL_TYPES 1\n10\n",
       "do not fit their length"},
      {lb_tetmesh_parse_vtk,
       "# vtk DataFile Version 3.0\nt\nASCII\nCELLS 2 3\nOFFSETS x\n0 9\nCONNECTIVITY x\n0 1 2\n",
       "lead out of the list"},
      {lb_tetmesh_parse_vtk,
       "# vtk DataFile Version 3.0\nt\nASCII\nPOINTS 1 float\n0 0 0\nCELLS 1 4\n3 0 0 0\n"
       "CELL_TYPES 1\n10\n",
       "not as many nodes as its type"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture f = set_up();
    assert_int_equal(parse(&f, bad[i].parse, bad[i].text), LB_INVALID);
    char text[300];
    assert_above(f.err.count, 0);
    lb_error_format(&f.err, 0, text, sizeof text);
    if (!strstr(text, bad[i].says)) {
      print_error("said: %s\nwanted: %s\n", text, bad[i].says);
      fail();
    }
    tear_down(&f);
  }
  fixture f = set_up();
  assert_int_equal(parse_tetgen(&f, node, "1 5 0\n", NULL), LB_INVALID);
  assert_int_equal(parse_tetgen(&f, node, "1 4 0\n1 1 2 3 77\n", NULL), LB_INVALID);
  char text[300];
  lb_error_format(&f.err, 1, text, sizeof text);
  assert_string_equal(text, "x.ele:2:1: there is no node 77");
  tear_down(&f);
}

// Every beginning of a file is read without harm; the whole one only is right.
static void cut_files_do_no_harm(void** state) {
  (void)state;
  const struct {
    parser* parse;
    const char* text;
  } files[] = {{lb_tetmesh_parse_gmsh, gmsh2},
               {lb_tetmesh_parse_gmsh, gmsh4},
               {lb_tetmesh_parse_vtk, vtk4},
               {lb_tetmesh_parse_vtk, vtk5}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    for (size_t n = 0; n < strlen(files[i].text); n++) {
      fixture f = set_up();
      char* cut = malloc(n ? n : 1); // so that a sanitizer sees reads beyond it
      memcpy(cut, files[i].text, n);
      const lb_status status = files[i].parse(cut, n, "file", &f.arena, &f.mesh, &f.err);
      assert_true((status == LB_OK) == (f.err.count == 0));
      free(cut);
      tear_down(&f);
    }
  }
}

static void out_of_memory_leaves_nothing_behind(void** state) {
  (void)state;
  bool failed = true;
  for (int left = 0; failed; left++) {
    lb_stingy s = {left, 0, false};
    const lb_allocator stingy = {stingy_allocate, stingy_release, &s};
    lb_arena arena;
    lb_arena_init(&arena, &stingy);
    lb_tetmesh mesh = {.nnode = -7};
    const lb_status status =
        lb_tetmesh_parse_gmsh(gmsh4, strlen(gmsh4), "file", &arena, &mesh, NULL);
    failed = s.failed;
    assert_int_equal(status, failed ? LB_NO_MEMORY : LB_OK);
    assert_true((mesh.nnode == -7) == failed);
    lb_arena_release(&arena);
    assert_int_equal(s.held, 0);
  }
}

static void files_are_recognised_by_their_extension(void** state) {
  (void)state;
  fixture f = set_up();
  const lb_place from = {"scene.yaml", 3, 5};
  assert_int_equal(lb_tetmesh_read("body.stl", from, &f.arena, &f.mesh, &f.err), LB_INVALID);
  assert_int_equal(lb_tetmesh_read("nowhere/body.msh", from, &f.arena, &f.mesh, &f.err), LB_IO);
  assert_int_equal(lb_tetmesh_read("nowhere/body.ele", from, &f.arena, &f.mesh, &f.err), LB_IO);
  assert_int_equal(f.err.count, 3);
  assert_int_equal(f.err.message[1].place.line, 3);
  assert_non_null(strstr(f.err.message[2].text, "nowhere/body.node"));
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_formats_say_the_same),
      cmocka_unit_test(middle_nodes_come_in_our_order),
      cmocka_unit_test(mistakes_are_reported_where_they_stand),
      cmocka_unit_test(cut_files_do_no_harm),
      cmocka_unit_test(out_of_memory_leaves_nothing_behind),
      cmocka_unit_test(files_are_recognised_by_their_extension),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
