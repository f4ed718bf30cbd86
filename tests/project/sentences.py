"""Sentences of Markdown pages: sentences.py [--long WORDS] PAGE...

Prints the median length and every sentence longer than WORDS (40), and fails if there is one or if
the median is over 18. Code blocks, tables, headings and what a page says is made by the program do
not count; a formula or a piece of code within a sentence is one word. What leads to a list goes on
in its first item, and an item without a period in the next.
"""

import re
import statistics
import sys

MEDIAN = 18


ITEM = re.compile(r"\s*([-*]|\d+\.) ")
END = re.compile(r"[.!?][\"')*\]]*$")


def numbered(text):
    """The text with lines that only happen to begin with a number and a period joined to those before."""
    lines = text.split("\n")
    for i in range(1, len(lines)):
        start = re.match(r"\d+\. ", lines[i])
        if start and lines[i - 1].strip() and not re.match(r"( |\d+\. )", lines[i - 1]):
            lines[i - 1 : i + 1] = ["", lines[i - 1] + " " + lines[i]]
    return "\n".join(lines)


def blocks(text):
    """Paragraphs and list items of a page, each on one line; None where something else stands between them."""
    text = re.split(r"<!-- From here on the page is made", text)[0]
    text = re.sub(r"^ *```.*?^ *```", "\n\n\0\n\n", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "\n\n", text, flags=re.S)
    text = re.sub(r"^ *(\||#|> *\|).*$", "\n\n\0\n\n", text, flags=re.M)
    text = re.sub(r"^(?= *[-*] )", "\n\n", text, flags=re.M)
    text = re.sub(r"^(?=1?\d\. )", "\n\n", numbered(text), flags=re.M)
    for block in re.split(r"\n(?:[ \t]*\n)+", text):
        formula = re.match(r" {4}", block) and not ITEM.match(block)
        yield None if formula or "\0" in block else block


def prose(text):
    """Paragraphs and list items, joined where a reader reads on: what leads to a list and items that do not end."""
    before, open_list = "", False
    for block in blocks(text):
        if block is None or not block.strip():
            if block is None:
                yield before
                before = ""
            continue
        item = ITEM.match(block)
        line = " ".join(block[item.end() if item else 0 :].split())
        goes_on = before and not END.search(before) and (item or open_list)
        if not goes_on:
            yield before
        before = f"{before} {line}" if goes_on else line
        open_list = bool(item)
    yield before


def sentences(paragraph):
    """A sentence ends with . ! or ? before a space and a capital, a digit, code or a link."""
    paragraph = re.sub(r"!\[[^]]*\]\([^)]*\)", " ", paragraph)  # pictures
    paragraph = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", paragraph)  # links: their text
    paragraph = re.sub(r"`[^`]*`", "Code", paragraph)
    paragraph = re.sub(r"\b(e\.g|i\.e|cf|eq|al|vs|no|fig)\. ", r"\1 ", paragraph)
    return re.split(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(*\[]*[A-Z0-9])", paragraph)


def words(sentence):
    return len([w for w in sentence.split() if re.search(r"\w", w)])


def main():
    arguments = sys.argv[1:]
    limit = 40
    if arguments[0] == "--long":
        limit, arguments = int(arguments[1]), arguments[2:]
    lengths, failed = [], False
    for page in arguments:
        with open(page, encoding="utf-8") as f:
            text = f.read()
        here = []
        for sentence in (s for p in prose(text) for s in sentences(p)):
            n = words(sentence)
            if n > 0:
                here.append(n)
            if n > limit:
                failed = True
                print(f"{page}: {n} words: {sentence}")
        lengths += here
        print(f"{page}: {len(here)} sentences, median {statistics.median(here):g}, longest {max(here)}")
    median = statistics.median(lengths)
    print(f"all: {len(lengths)} sentences, median {median:g} words, longest {max(lengths)}")
    sys.exit(failed or median > MEDIAN)


main()
