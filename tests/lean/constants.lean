import Lean
open Lean

/-!
What the `.olean` files hold, whatever their modules make Lean say:

    lake env lean --run constants.lean MODULE NAME...      `_private.NAME` for a private name of the module

A line for each name: kind, name, axioms and type, quoted but for the kind, with blanks between. No syntax of the modules comes into force, so none can
answer for Lean. The axioms are those that `#print axioms` finds, in another order; the type is written as the kernel's terms are.
-/

structure Found where
  seen : NameSet
  axioms : List Name

partial def collect (env : Environment) (f : Found) (n : Name) : Found :=
  match f.seen.contains n with
  | true => f
  | false =>
    let below (f : Found) (e : Expr) : Found := List.foldl (collect env) f e.getUsedConstants.toList
    let new : Found := ⟨f.seen.insert n, f.axioms⟩
    match env.find? n with
    | none => new
    | some c =>
      let typed := below new c.type
      match c with
      | .axiomInfo _ => ⟨typed.seen, List.cons n typed.axioms⟩
      | .inductInfo i => List.foldl (collect env) typed i.ctors
      | c => match c.value? true with
        | some e => below typed e
        | none => typed

def kind (c : ConstantInfo) : String :=
  match c with
  | .axiomInfo _ => "axiom"
  | .defnInfo _ => "def"
  | .thmInfo _ => "theorem"
  | .opaqueInfo _ => "opaque"
  | .quotInfo _ => "quot"
  | .inductInfo _ => "inductive"
  | .ctorInfo _ => "constructor"
  | .recInfo _ => "recursor"

def words (s t : String) : String := String.append s (String.append " " (String.quote t))

def line (env : Environment) (written : String) (n : Name) : String :=
  match env.find? n with
  | none => words "unknown" written
  | some c =>
    let names : List Name := (collect env ⟨NameSet.empty, List.nil⟩ n).axioms
    let listed := List.foldl (fun s a => words s (Name.toString a)) "" names
    words (String.append (words (kind c) written) listed) c.type.dbgToString

def lines (env : Environment) (module : Name) : List String → IO Unit
  | List.nil => pure ()
  | List.cons s rest =>
    let name := s.toName.replacePrefix `_private (mkPrivateNameCore module .anonymous)
    bind (IO.println (line env s name)) fun _ => lines env module rest

def main (args : List String) : IO Unit :=
  match args with
  | List.nil => IO.println "a module, and names"
  | List.cons m names =>
    let module := m.toName
    bind (importModules (Array.push (Array.mkEmpty 1) { module := module }) Options.empty) fun env =>
      lines env module names
