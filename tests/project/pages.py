"""What the documents promise: pages.py links|commands|examples|scenes|scripts|long ROOT

links     prints every link to a file or heading that is not there
commands  prints every `limber` command of code blocks as "PAGE<tab>COMMAND"
examples  prints every page that has neither a picture nor an example to run or copy
scenes    writes every example that is a whole scene into this folder, and prints its name
scripts   writes the blocks of kind `sh` and `python` of each page into a script in this folder, and
          prints its name; a line with "# takes ..." behind it takes too long, and is left out
long      the same of pages that have such lines, with them
"""

import glob
import os
import re
import sys

FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.M | re.S)


def pages(root):
    for path in [root + "/README.md"] + sorted(glob.glob(root + "/docs/*.md")):
        with open(path, encoding="utf-8") as f:
            yield os.path.relpath(path, root), f.read()


def anchors(text):
    """Headings as GitHub links to them: lower case, without punctuation, dashes for spaces."""
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def broken_links(root):
    texts = dict(pages(root))
    for page, text in texts.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text)):
            if "://" in link:
                continue
            name, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
            there = os.path.exists(os.path.join(root, target))
            if not there or anchor and anchor not in anchors(texts.get(target, "")):
                yield f"{page}: {link}"


def commands(root):
    for page, text in pages(root):
        for kind, block in FENCE.findall(text.split("<!-- From here on the page")[0]):
            for line in block.splitlines():
                found = re.match(r"(?:\$ )?(?:build/)?(limber .*)", line.strip())
                if kind in ("", "sh") and found:
                    yield page + "\t" + found[1]


def without_example(root):
    for page, text in pages(root):
        kinds = {kind for kind, _ in FENCE.findall(text)}
        if not kinds & {"sh", "c", "python", "yaml"} and "![" not in text:
            yield page


def whole_scenes(root):
    for page, text in pages(root):
        for i, (kind, block) in enumerate(FENCE.findall(text)):
            if kind == "yaml" and re.search(r"^bodies:", block, re.M):
                name = f"{os.path.basename(page)}-{i}.yaml"
                with open(name, "w", encoding="utf-8") as f:
                    f.write(block)
                yield name


def script(text, left_out):
    lines = []
    for kind, block in FENCE.findall(text.split("<!-- From here on the page")[0]):
        if kind == "sh":
            lines += [line for line in block.splitlines() if not left_out or left_out not in line]
        elif kind == "python":
            lines += ["python3 - <<'END'", block + "END"]
    return lines


def scripts(root, left_out="# takes"):
    for page, text in pages(root):
        lines = script(text, left_out)
        if lines and (left_out or "# takes" in text):
            name = page.replace("/", "-") + ".sh"
            with open(name, "w", encoding="utf-8") as f:
                f.write("\n".join(["set -e"] + lines) + "\n")
            yield name


def long_scripts(root):
    return scripts(root, left_out=None)


JOBS = {
    "links": broken_links,
    "commands": commands,
    "examples": without_example,
    "scenes": whole_scenes,
    "scripts": scripts,
    "long": long_scripts,
}
for found in JOBS[sys.argv[1]](sys.argv[2]):
    print(found)
