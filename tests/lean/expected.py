#!/usr/bin/env python3
"""What real Lean says of the packages beside this script, as expected.json in each.

    PATH="$(tests/lean/lean_up.sh | tail -n 1)/bin:$PATH" tests/lean/expected.py [--check] [PACKAGE ...]

`--check` writes nothing: it names what differs from the files that are there, and exits with 1.

Works on copies in a temporary folder; no time and no path of a machine gets in, so that another run gives the same bytes.
Names and places come from the .ilean that Lean writes beside each .olean; kind, type and axioms from `#print`, `#check @`
and `#print axioms` in one query file a module. A module that does not compile has no .olean: there the names are
those that Lean's parser sees, and the queries are appended to its source.

Axioms are asked a second time, by constants.lean, which reads the .olean files alone: a difference is an error.

Some modules of `house` answer these commands themselves. Lines with `-- the lie` do that; the truth is asked in a copy
without them, and what the module itself makes Lean say stands beside it as `asked` (null: no answer).
"""
import concurrent.futures, contextlib, difflib, functools, json, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = ".lake/build/lib/lean"
# The targets that are built ("" are the default ones), in this order; `house` has libraries that only tests of limits build.
PACKAGES = {"example": ["", "Broken", "Cheat"], "house": ["", "Bare", "Ruins", "Loop"], "guest": ["", "Strict"], "sketches": []}
LEFT_OUT = ("Loop/", "Trouble/", "changed/")
KINDS = ("theorem", "def", "abbrev", "axiom", "opaque", "inductive", "structure", "class", "instance",
         "constructor", "recursor")
QUESTIONS = ("#print ", "#check @", "#print axioms ")
WHOLE = ("set_option pp.all true in set_option pp.deepTerms true in set_option pp.proofs true in "
         "set_option pp.maxSteps 1000000 in #check @")
# A type of which Lean's answer does not tell everything.
MORE = ("House.Dots", "House.Printed", "House.Universes")
# Write to standard output beside Lean, or end it: what comes first is chance.
RACES = ("House.LiarForged", "House.LiarExit")


@functools.cache
def lake_env(pkg, _path):
    """What `lake env` sets in a package; asked once, for `lake env` takes longer than Lean."""
    out = subprocess.run(["lake", "env"], cwd=pkg, text=True, stdout=subprocess.PIPE, check=True).stdout
    return dict(line.split("=", 1) for line in out.splitlines())


def run(*cmd, cwd, stdin=None, env=None):
    if cmd[:2] == ("lake", "env"):
        cmd, env = cmd[2:], lake_env(cwd, os.environ.get("LEAN_PATH"))
    p = subprocess.run(cmd, cwd=cwd, input=stdin, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env={**os.environ, **(env or {})})
    return p.returncode, p.stdout


def messages(out):
    """lean --json lines as (severity, line, column, kind, text)."""
    found = []
    for line in out.splitlines():
        if line.startswith("{"):
            m = json.loads(line)
            found.append({"severity": m["severity"], "line": m["pos"]["line"], "column": m["pos"]["column"],
                          "kind": m["kind"], "text": m["data"]})
    return found


def type_in(text, name):
    """The type in `@name : type`; blanks and line breaks are one blank."""
    text = text[text.index(name) + len(name):] if name in text else text
    return " ".join(re.sub(r"^.*?\s:\s", "", text, count=1, flags=re.S).split())


def ask(pkg, names, before, questions=QUESTIONS):
    """For each name some commands, each from a line of its own on, so that answers are matched by line."""
    text = before if before.endswith("\n") or not before else before + "\n"
    at = {}
    for n in names:
        for q in questions:
            at[text.count("\n") + 1] = (n, q)
            text += q + n + "\n"
    _, out = run("lake", "env", "lean", "--json", "--stdin", cwd=pkg, stdin=text)
    answers = {n: {} for n in names}
    for m in messages(out):
        if m["line"] not in at:
            continue
        n, q = at[m["line"]]
        d = answers[n]
        if m["severity"] == "error":
            d["unknown"] = m["text"]
        elif q == "#print ":
            words = re.sub(r"^(@\[[^\]]*\]\s*)*", "", m["text"]).split()
            marks = [w for w in words[:4] if w in ("private", "protected", "noncomputable", "unsafe", "partial")]
            d["kind"] = next((w for w in words if w in KINDS), words[0])
            if marks:
                d["modifiers"] = marks
        elif q == "#check @":
            d["type"] = type_in(m["text"], n)
        elif q == WHOLE:
            d["whole"] = type_in(m["text"], n)
        else:  # a name may contain these words: the last ones count
            _, depends, inside = m["text"].rpartition("depends on axioms: [")
            d["axioms"] = re.findall(r"(?:«[^»]*»|[^\s,«])+", inside[:-1]) if depends else []
    return answers


def short(name):
    """A private name as its own file writes it."""
    return re.sub(r"^_private\..*?\.0\.", "", name)


def compiled(pkg, name, path, base, result, honest=None, whole=False):
    """The declarations of a module that has an .olean. `honest` is a package whose copy of the module does not lie."""
    ilean = json.load(open(base + ".ilean", encoding="utf-8"))
    source = open(os.path.join(honest or pkg, path), encoding="utf-8").read()
    result["imports"] = [i[0] for i in ilean["directImports"]]
    # "decls" leaves out some (helpers in `where`, what stands after `set_option ... in`); the references have all
    decls = {}
    for key, ref in ilean["references"].items():
        const = json.loads(key).get("c", {})
        if const.get("m") == name and ref["definition"]:
            decls[const["n"]] = ref["definition"]
    public = [n for n in decls if not n.startswith("_private.")]
    private = [n for n in decls if n.startswith("_private.")]
    header = ("prelude\n" if source.startswith("prelude") else "") + "import " + name + "\n"
    answers = ask(honest or pkg, public, header, QUESTIONS + ((WHOLE,) if whole or name in MORE else ()))
    if honest and name not in RACES:
        asked = ask(pkg, public, header)
        for n in public:
            differs = {k: asked[n].get(k) for k in ("kind", "type", "axioms") if asked[n].get(k) != answers[n].get(k)}
            if differs:
                answers[n]["asked"] = differs
    if private:
        # What follows `#exit` is not read, and a file may end anywhere: the questions are asked before, from the root.
        source, leave, _ = source.partition("\n#exit")
        if not leave:
            source += "".join("\nend " + space for space in reversed(open_scopes(source)))
        source += "\nset_option pp.all false\n"
        for n, d in ask(pkg, [short(n) for n in private], source).items():
            answers.update({p: d for p in private if short(p) == n})
    agree(pkg, name, answers)
    for n, pos in decls.items():
        result["declarations"][n] = {"line": pos[0] + 1, "column": pos[1], **answers[n]}


def agree(pkg, name, answers):
    """What Lean answered has the axioms that the .olean files have."""
    written = {re.sub(r"^_private\..*?\.0\.", "_private.", n): n for n, d in answers.items() if "axioms" in d}
    program = os.path.join(HERE, "constants.lean")
    _, out = run("lake", "env", "lean", "--run", program, name, *written, cwd=pkg)
    for line in out.splitlines():
        n, *axioms, _ = (json.loads(word) for word in re.findall(r'"(?:[^"\\]|\\.)*"', line))
        said = {" ".join(a.rstrip("✝").split()) for a in answers[written.pop(n)]["axioms"]}
        held = {" ".join(short(a).split()) for a in axioms}
        if said != held:
            sys.exit(f"{name}: {n}: Lean says {said}, the .olean files hold {held}")
    if written:
        sys.exit(f"{name}: constants.lean says nothing of {list(written)}: {out}")


def open_scopes(source):
    """The namespaces and sections that a text leaves open."""
    scopes = []
    for word, name in re.findall(r"^(namespace|section|mutual|end)\b *(.*?)$", source, re.M):
        if word == "end":
            scopes.pop()
        else:
            scopes.append(name)
    return scopes


def from_source(pkg, path, result):
    """The declarations of a module that has no .olean: as its own file answers."""
    file = os.path.join(pkg, path)
    _, out = run("lean-parse", cwd=pkg, stdin=file + "\n")
    source = open(file, "rb").read()
    scopes = []
    for command in json.loads(out)["cmds"]:
        words = command.get("t", "").split()
        if command["k"] in ("namespace", "section"):
            scopes.append(words[1] if len(words) > 1 else "")
        elif command["k"] == "end" and scopes:
            scopes.pop()
        for d in command["d"]:
            if d["name"]:
                before = source[: d["ns"]].decode()
                name = ".".join([s for s in scopes if s] + [d["name"]])
                result["declarations"][name] = {"line": before.count("\n") + 1, "column": len(before.rpartition("\n")[2])}
    for n, d in ask(pkg, list(result["declarations"]), source.decode()).items():
        result["declarations"][n].update(d or {"unanswered": True})


def options_of(pkg):
    """The package's leanOptions, as arguments."""
    text = open(os.path.join(pkg, "lakefile.toml"), encoding="utf-8").read()
    table = re.search(r"^\[leanOptions\]\n((?:\w.*\n)*)", text, re.M)
    return [re.sub(r"(\S+) *= *(.*)", r"-D\1=\2", line) for line in (table[1].splitlines() if table else [])]


def module(pkg, path, honest=None):
    name = path[: -len(".lean")].replace("/", ".")
    base = os.path.join(pkg, LIB, name.replace(".", "/"))
    source = open(os.path.join(pkg, path), encoding="utf-8").read()
    has = os.path.exists(base + ".olean")
    head = re.search(r"/-! (.*?) -/", source, re.S)
    result = {"file": path, "shows": " ".join(head[1].split()) if head else ""}
    # with the package's options, as in a build; `lake env lean` does not know them
    options = options_of(pkg)
    rc, out = run("lake", "env", "lean", "--json", *options, path, cwd=pkg)
    result.update(compiles=rc == 0, built=has, messages=messages(out))
    if options:
        result["compiles_without_options"] = run("lake", "env", "lean", path, cwd=pkg)[0] == 0
    result["declarations"] = {}
    if has:
        rc, out = run("lake", "env", "leanchecker", name, cwd=pkg)
        result["leanchecker"] = {"exit": rc, "output": out.strip()}
        compiled(pkg, name, path, base, result, honest if "-- the lie" in source else None)
    else:
        from_source(pkg, path, result)
    return result


def all_modules(pkg, honest=None):
    found = []
    for folder, folders, files in os.walk(pkg):
        folders[:] = [f for f in folders if f != ".lake"]
        found += [os.path.relpath(os.path.join(folder, f), pkg) for f in files if f.endswith(".lean")]
    found = sorted(p for p in found if not p.startswith(LEFT_OUT) and p != "lakefile.lean")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda p: module(pkg, p, honest), found)
        return {p[: -len(".lean")].replace("/", "."): m for p, m in zip(found, done)}


def build(pkg, target):
    rc, out = run(*["lake", "build"] + ([target] if target else []), cwd=pkg)
    return {"exit": rc, "lines": re.sub(r" \([0-9.]+m?s\)$", "", out, flags=re.M).splitlines()}


def without_lies(pkg, copy):
    """A copy of a built package in which no module answers for Lean."""
    shutil.copytree(pkg, copy)
    for folder, _, files in os.walk(copy):
        for file in files:
            if file.endswith(".lean"):
                file = os.path.join(folder, file)
                text = open(file, encoding="utf-8").read()
                if "-- the lie" in text:
                    text = re.sub(r"^@\[macro [^\]]*\] (?=.*-- the lie$)", "", text, flags=re.M)
                    open(file, "w", encoding="utf-8").write(text)
    build(copy, "")
    return copy


def changed(tmp, pkg, doc):
    """What another version of a module says, laid over the package: its statements beside the old ones."""
    shutil.copytree(os.path.join(pkg, "changed"), pkg, dirs_exist_ok=True)
    found = {"build": build(pkg, ""), "Ladder.Sum": module(pkg, "Ladder/Sum.lean")}
    old, new = (d["declarations"] for d in (doc["modules"]["Ladder.Sum"], found["Ladder.Sum"]))
    found["statements"] = {n: {"before": old[n]["type"], "after": new[n]["type"]}
                           for n in old if n in new and old[n]["type"] != new[n]["type"]}
    return found


def sketch_file(pkg, folder, path, honest):
    """A file outside of the package that is elaborated in it: `lake env lean`, and its replay."""
    base = os.path.join(folder, path[: -len(".lean")])
    file = os.path.join(folder, path)
    rc, out = run("lake", "env", "lean", "--json", "-R", folder, "-o", base + ".olean", "-i", base + ".ilean", file, cwd=pkg)
    result = {"compiles": rc == 0, "messages": messages(out), "declarations": {}}
    if rc == 0:
        name = path[: -len(".lean")].replace("/", ".")
        if path.endswith("Result.lean"):
            rc, out = run("lake", "env", "leanchecker", name, cwd=pkg)
            result["leanchecker"] = {"exit": rc, "output": out.strip()}
        lies = re.search(r"^import \S*Liar", open(file, encoding="utf-8").read(), re.M)
        compiled(pkg, name, file, base, result, honest if lies else None, whole=True)
    else:
        from_source(pkg, file, result)
    return result


@contextlib.contextmanager
def beside(folder):
    """Modules are looked for in a folder, too."""
    os.environ["LEAN_PATH"] = folder
    try:
        yield
    finally:
        del os.environ["LEAN_PATH"]


def sketches(tmp):
    """Each pair: a folder with Sketch.lean and Result.lean, elaborated in `house`."""
    pkg, folder = os.path.join(tmp, "house"), os.path.join(tmp, "sketches")
    build(pkg, "")
    honest = without_lies(pkg, os.path.join(tmp, "honest"))
    pairs = sorted(p for p in os.listdir(folder) if os.path.isdir(os.path.join(folder, p)))
    table = open(os.path.join(folder, "README.md"), encoding="utf-8").read()
    verdicts = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.M))
    if sorted(verdicts) != pairs:
        sys.exit(f"sketches/README.md and the folders differ: {sorted(set(verdicts) ^ set(pairs))}")
    with beside(folder), concurrent.futures.ThreadPoolExecutor(2) as pool:
        both = lambda p: {"verdict": verdicts[p]} | {f: sketch_file(pkg, folder, os.path.join(p, f + ".lean"), honest) for f in ("Sketch", "Result")}
        return dict(zip(pairs, pool.map(both, pairs)))


def expected(package):
    with tempfile.TemporaryDirectory() as tmp:
        tmp = os.path.realpath(tmp)
        for p in PACKAGES:
            if os.path.isdir(os.path.join(HERE, p)):
                shutil.copytree(os.path.join(HERE, p), os.path.join(tmp, p), ignore=shutil.ignore_patterns(".lake", "expected.*"))
        pkg = os.path.join(tmp, package)
        prefix = run("lean", "--print-prefix", cwd=pkg)[1].strip()
        doc = {"lean": run("lean", "--version", cwd=pkg)[1].strip(), "made_by": "tests/lean/expected.py " + package}
        if package == "sketches":
            doc["pairs"] = sketches(tmp)
        else:
            doc["no_build"] = {"before a build": build(pkg, "--no-build")}
            doc["build"] = {" ".join(["lake build", t]).strip(): build(pkg, t) for t in PACKAGES[package]}
            doc["no_build"]["after it"] = build(pkg, "--no-build")
            if package == "guest":
                with open(os.path.join(tmp, "house", "House", "Gap.lean"), "a") as imported:
                    imported.write("\n")
                doc["no_build"]["after an edit of House.Gap"] = build(pkg, "--no-build")
                build(pkg, "")
            lies = without_lies(pkg, os.path.join(tmp, "honest")) if package == "house" else None
            doc["modules"] = all_modules(pkg, lies)
        if os.path.isdir(os.path.join(pkg, "changed")):
            doc["changed"] = changed(tmp, pkg, doc)
        text = json.dumps(doc, indent=1, ensure_ascii=False) + "\n"
        return text.replace(pkg + "/", "").replace(tmp + "/", "").replace(prefix, "TOOLCHAIN")


def main():
    check = "--check" in sys.argv
    differ = False
    for package in [a for a in sys.argv[1:] if a != "--check"] or PACKAGES:
        file = os.path.join(HERE, package, "expected.json")
        text = expected(package)
        if not check:
            open(file, "w", encoding="utf-8").write(text)
            continue
        old = open(file, encoding="utf-8").read()
        lines = list(difflib.unified_diff(old.splitlines(), text.splitlines(), "expected", "Lean", n=1, lineterm=""))
        differ |= bool(lines)
        print(f"{package}: " + ("\n".join(lines[:60]) if lines else "as expected"))
    sys.exit(differ)


main()
