"""Hold docs/scene.schema.json to the reader: every scene that reads is valid, and the kinds of mistake
a schema can see are found in the bad scenes. Also reads the examples of the documents."""
import glob
import json
import os
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError:
    print("python3-jsonschema or python3-yaml is not installed")
    sys.exit(77)

# What the reader rejects and no schema could: names, values that depend on others, whole numbers' sizes.
BEYOND = ("name-", "joint-", "loop-", "motor-", "spring-", "constraint-l", "contacts-as", "constraint-m", "constraint-unil", "constraint-pa", "constraint-pr", "load-on", "start-of-a-", "file-", "inertia-t",
          "inertia-n", "body-position", "missing-bodies", "missing-keys", "missing-length", "empty", "only-comments",
          "shape-and", "shape-convex", "shape-plane", "shape-scale", "shape-rod", "number-over", "number-under", "number-inf", "unit-by", "unit-of",
          "elastic-face", "elastic-held", "elastic-mat", "elastic-int", "elastic-and", "elastic-rod", "elastic-tube",
          "elastic-cable", "elastic-drag", "elastic-full", "elastic-mesh", "elastic-scale", "elastic-spring", "elastic-order", "elastic-basis", "deformables-full", "fit-mat", "fit-nothing", "fit-within", "optimize-f", "optimize-g", "optimize-no", "optimize-p", "retarget-f", "retarget-n", "retarget-r", "retarget-s", "retarget-w", "repeat-", "renamed-", "solver-closing", "solver-tolerance", "range-steps", "key-duplicate", "linkage-", "alias-", "syntax-", "text-", "nested-", "version", "kind-rotation", "opensim-w", "wrap-torus", "network")


class Loader(yaml.SafeLoader):
    """SafeLoader with the numbers and flags of YAML 1.2."""


Loader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
        ("bool", r"^(true|false)$", "tf"),
        ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
        ("float", r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$", "-+.0123456789"),
        ("null", r"^(null|~|)$", ["n", "~", ""])):
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))


def main():
    root = os.environ.get("LIMBER_SOURCE_DIR", ".")
    with open(root + "/docs/scene.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = 0

    good = {}
    for path in sorted(glob.glob(root + "/scenes/*.yaml") + glob.glob(root + "/scenes/parts/*.yaml")):
        with open(path, encoding="utf-8") as file:
            good[path] = file.read()
    for path in sorted(glob.glob(root + "/docs/*.md")):
        with open(path, encoding="utf-8") as file:
            # An indented block is a piece of one.
            for i, example in enumerate(re.findall(r"```yaml\n(\S.*?)```", file.read(), re.S)):
                good["%s, example %d" % (path, i + 1)] = example
    for name, text in good.items():
        for error in validator.iter_errors(yaml.load(text, Loader) or {}):
            wrong += 1
            print("%s: good, but the schema says: %s at %s" % (name, error.message[:200], list(error.path)))

    found = 0
    for path in sorted(glob.glob(root + "/tests/scene/bad/*.yaml")):
        name = os.path.basename(path)
        if name.startswith(BEYOND):
            continue
        with open(path, encoding="utf-8") as file:
            if validator.is_valid(yaml.load(file.read(), Loader) or {}):
                wrong += 1
                print("%s: bad, but the schema accepts it" % name)
        found += 1
    print("%d good texts, %d bad ones" % (len(good), found))
    return 1 if wrong or found < 30 else 0


sys.exit(main())
