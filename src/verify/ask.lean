import Lean

/-!
What compiled files hold, whatever their modules make Lean say: no syntax and no code of theirs comes into force.

    axioms MODULE LEANS... -- NAME... `own`, with those of LEANS that are not of Lean's library, and their modules;
                                      then a line for each NAME: kind, type, the axioms that it rests on
    compare SYSROOT PATH MODULE PATH MODULE (NAME NAME)...
                                      a line each: `same`, `statement` (another one), `definition` (NAME is another one)

It keeps to names that every Lean 4 has, and to what the small library of the tests can parse.
-/

namespace Mk
open Lean

def has (s : NameSet) (n : Name) : Bool := NameSet.contains s n
def same (m n : Name) : Bool := has (NameSet.insert NameSet.empty m) n
def both (a b : Bool) : Bool := match a with | true => b | false => false
def words (s t : String) : String := String.append s (String.append " " (String.quote t))
def names (e : Expr) : List Name := e.getUsedConstants.toList
def append (a b : List Name) : List Name := List.foldl (fun l n => List.cons n l) b a

def importing (module : Name) : IO Environment :=
  importModules (Array.mkArray1 { module := module }) Options.empty

/-- What a constant is made of. -/
def uses (c : ConstantInfo) (isContent : Bool) : List Name :=
  let typed := names c.type
  match c with
  | .defnInfo v => append typed (names v.value)
  | .opaqueInfo v => append typed (names v.value)
  | .inductInfo v => append typed v.ctors
  | .thmInfo v => match isContent with
    | true => typed
    | false => append typed (names v.value)
  | _ => typed

/-! Axioms: who uses whom, of all that is below; then who is above each axiom. -/

structure Below where
  todo : List Name
  users : NameMap (List Name)

def addUser (user : Name) (f : Below) (n : Name) : Below :=
  match NameMap.find? f.users n with
  | some all => ⟨f.todo, NameMap.insert f.users n (List.cons user all)⟩
  | none => ⟨List.cons n f.todo, NameMap.insert f.users n (List.cons user List.nil)⟩

structure Found where
  users : NameMap (List Name)
  axioms : List Name

instance : Inhabited Found := ⟨⟨mkNameMap (List Name), List.nil⟩⟩

partial def below (env : Environment) (todo : List Name) (f : Found) : Found :=
  match todo with
  | List.nil => f
  | List.cons n rest =>
    let go (used axioms : List Name) : Found :=
      let more := List.foldl (addUser n) ⟨rest, f.users⟩ used
      below env more.todo ⟨more.users, axioms⟩
    match env.find? n with
    | none => go List.nil (List.cons n f.axioms)
    | some c => match c with
      | .axiomInfo _ => go (uses c false) (List.cons n f.axioms)
      | _ => go (uses c false) f.axioms

instance : Inhabited NameSet := ⟨NameSet.empty⟩

partial def above (f : Found) (todo : List Name) (seen : NameSet) : NameSet :=
  match todo with
  | List.nil => seen
  | List.cons n rest => match has seen n with
    | true => above f rest seen
    | false => match NameMap.find? f.users n with
      | some users => above f (append users rest) (NameSet.insert seen n)
      | none => above f rest (NameSet.insert seen n)

structure Reach where
  name : Name
  users : NameSet

def safeKind (c : ConstantInfo) : String :=
  match c with
  | .axiomInfo _ => "axiom"
  | .defnInfo _ => "def"
  | .thmInfo _ => "theorem"
  | .opaqueInfo _ => "opaque"
  | .quotInfo _ => "quot"
  | .inductInfo _ => "inductive"
  | .ctorInfo _ => "constructor"
  | .recInfo _ => "recursor"

/-- What is unsafe neither the kernel nor a replay checks. -/
def kind (c : ConstantInfo) : String :=
  match c.isUnsafe with
  | true => "unsafe"
  | false => safeKind c

def answer (env : Environment) (reach : List Reach) (said : String) (n : Name) : String :=
  match env.find? n with
  | none => String.append said "unknown\n"
  | some c =>
    let said := words (String.append said (kind c)) c.type.dbgToString
    let add (s : String) (r : Reach) : String :=
      match has r.users n with
      | true => words s (Name.toString r.name)
      | false => s
    String.append (List.foldl add said reach) "\n"

def answers (env : Environment) (asked : List Name) : String :=
  let start (f : Below) (n : Name) : Below :=
    match NameMap.find? f.users n with
    | some _ => f
    | none => ⟨List.cons n f.todo, NameMap.insert f.users n List.nil⟩
  let begun := List.foldl start ⟨List.nil, mkNameMap (List Name)⟩ asked
  let found := below env begun.todo ⟨begun.users, List.nil⟩
  let reached (n : Name) : Reach := ⟨n, above found (List.cons n List.nil) NameSet.empty⟩
  List.foldl (answer env (List.map reached found.axioms)) "" asked

def nth (l : List Name) (i : Nat) : Name :=
  match l, i with
  | List.cons n _, Nat.zero => n
  | List.cons _ l, Nat.succ i => nth l i
  | List.nil, _ => Name.anonymous

/-- Those that the module, or one below it, has in the place of Lean's own; `Init` where it does without Lean's library. -/
def owned (env : Environment) (module : Name) (ns : List Name) : String :=
  let imported := env.allImportedModuleNames.toList
  let known := List.foldl NameSet.insert NameSet.empty imported
  let begun := match has known `Init with
    | true => "own"
    | false => words (words "own" "Init") (Name.toString module)
  let add (s : String) (n : Name) : String :=
    match env.getModuleIdxFor? n with
    | none => s
    | some i =>
      let m := nth imported i
      match Name.isPrefixOf `Init m with
      | true => s
      | false => words (words s (Name.toString n)) (Name.toString m)
  String.append (List.foldl add begun ns) "\n"

/-- What stands before a word that is no name, and what behind it. -/
def parted (before : List Name) : List String → Prod (List Name) (List String)
  | List.nil => ⟨before, List.nil⟩
  | List.cons s rest => match same s.toName Name.anonymous with
    | true => ⟨before, rest⟩
    | false => parted (List.cons s.toName before) rest

/-! Whether two modules mean the same by a statement, with all that it speaks of. -/

structure Side where
  env : Environment
  module : Name

def listed (a b : List Name) : Bool :=
  match a, b with
  | List.nil, List.nil => true
  | List.cons m ms, List.cons n ns => both (same m n) (listed ms ns)
  | _, _ => false

def asMany (a b : List Name) : Bool :=
  match a, b with
  | List.nil, List.nil => true
  | List.cons _ ms, List.cons _ ns => asMany ms ns
  | _, _ => false

/-- A term of the second constant with the first one's names of universes, in their order. -/
def renamed (c d : ConstantInfo) (e : Expr) : Expr :=
  e.instantiateLevelParams d.levelParams (List.map mkLevelParam c.levelParams)

def statesAs (c d : ConstantInfo) : Bool :=
  both (asMany c.levelParams d.levelParams) (Expr.eqv c.type (renamed c d d.type))

def alike (c d : ConstantInfo) : Bool :=
  both (statesAs c d)
    (match c, d with
    | .defnInfo v, .defnInfo w => Expr.eqv v.value (renamed c d w.value)
    | .opaqueInfo v, .opaqueInfo w => Expr.eqv v.value (renamed c d w.value)
    | .inductInfo v, .inductInfo w => both (Nat.beq v.numParams w.numParams) (listed v.ctors w.ctors)
    | .thmInfo _, .thmInfo _ => true
    | .axiomInfo _, .axiomInfo _ => true
    | .ctorInfo _, .ctorInfo _ => true
    | .recInfo _, .recInfo _ => true
    | .quotInfo _, .quotInfo _ => true
    | _, _ => false)

/-- The module that both import it from; not the module that is compared. -/
def isImported (a b : Side) (n : Name) : Bool :=
  match a.env.getModuleIdxFor? n, b.env.getModuleIdxFor? n with
  | some i, some j =>
    let m := nth a.env.allImportedModuleNames.toList i
    match same m a.module with
    | true => false
    | false => same m (nth b.env.allImportedModuleNames.toList j)
  | _, _ => false

instance : Inhabited (Option Name) := ⟨none⟩

partial def different (a b : Side) (todo : List Name) (seen : NameSet) : Option Name :=
  match todo with
  | List.nil => none
  | List.cons n rest => match has seen n with
    | true => different a b rest seen
    | false =>
      let seen := NameSet.insert seen n
      match isImported a b n with
      | true => different a b rest seen
      | false => match a.env.find? n, b.env.find? n with
        | some c, some d => match alike c d with
          | true => different a b (append (uses c true) rest) seen
          | false => some n
        | _, _ => some n

def compared (a b : Side) (said : String) (ns : List String) : String :=
  match ns with
  | List.cons m (List.cons n rest) =>
    let word := match a.env.find? m.toName, b.env.find? n.toName with
      | some c, some d => match statesAs c d with
        | true => match different a b (names c.type) NameSet.empty with
          | none => "same"
          | some other => words "definition" (Name.toString other)
        | false => "statement"
      | _, _ => "unknown"
    compared a b (String.append said (String.append word "\n")) rest
  | _ => said

def compare (root p m q n : String) (pairs : List String) : IO Unit :=
  bind (initSearchPath root (System.SearchPath.parse p)) fun _ =>
  bind (importing m.toName) fun a =>
  bind (initSearchPath root (System.SearchPath.parse q)) fun _ =>
  bind (importing n.toName) fun b =>
  IO.println (compared ⟨a, m.toName⟩ ⟨b, n.toName⟩ "" pairs)

def run (what : Name) (args : List String) : IO Unit :=
  match same what `axioms, args with
  | true, List.cons m rest =>
    let asked := parted List.nil rest
    bind (importing m.toName) fun env =>
    IO.println (String.append (owned env m.toName asked.fst) (answers env (List.map String.toName asked.snd)))
  | false, List.cons root (List.cons p (List.cons m (List.cons q (List.cons n pairs)))) =>
    compare root p m q n pairs
  | _, _ => pure ()
end Mk

def main (args : List String) : IO Unit :=
  match args with
  | List.cons what rest => Mk.run what.toName rest
  | List.nil => pure ()
