"""Types the commands of a Markdown page and compares what they print with what stands there.

console.py PAGE            exit status 1 where something differs, with both texts
console.py PAGE --update   writes into the page what they print

A command is a line that begins with "$ " in a ```console block; what follows it, up to the next one, is what it prints on
standard output. Commands run in the folder that this is called in. Spaces at the ends of lines do not count.
"""
import difflib
import subprocess
import sys


def printed_by(command):
    done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    return [line.rstrip() for line in done.stdout.splitlines()]


def typed(lines):
    """The page's lines with every command's output as it is now; the number of commands."""
    result, commands, inside, skipping = [], 0, False, False
    for line in lines:
        if line.startswith("```"):
            inside, skipping = line == "```console", False
        if inside and line.startswith("$ "):
            commands += 1
            result += [line] + printed_by(line[2:])
            skipping = True
        elif not skipping:
            result.append(line)
    return result, commands


def main(page, update):
    with open(page, encoding="utf-8") as file:
        before = file.read().splitlines()
    after, commands = typed(before)
    if commands == 0:
        sys.exit(f"{page}: no command in it")
    if update:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(after) + "\n")
    elif [line.rstrip() for line in before] != after:
        print(*difflib.unified_diff(before, after, page, "what is printed", lineterm=""), sep="\n")
        sys.exit(1)
    print(f"{page}: {commands} commands")


main(sys.argv[1], sys.argv[2:] == ["--update"])
