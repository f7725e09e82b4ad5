/-! mini `Lean`: a program that says `import Lean` and reads `.olean` files runs here as it does in a real toolchain, if it keeps
to these names. The functions are the executable's own, found by name; like recheck.lean it fits Lean 4.35.0 alone. There
is no `do` here, and no `::`, `++` or `#[..]`: `bind`, `List.cons`, `String.append` and `Array.push` mean the same in both. -/

universe u v

@[reducible] def optParam (α : Sort u) (_default : α) : Sort u := α

inductive Option (α : Type u)
  | none
  | some (val : α)
export Option (none some)

/-! Input and output. `Void σ` is the state of the world; the compiler knows it by this shape and passes nothing for it. -/

structure Subtype {α : Sort u} (p : α → Prop) where
  val : α
  property : p val
opaque Void.nonemptyType (σ : Type) : Subtype fun α : Type => Nonempty α := ⟨Nat, ⟨0⟩⟩
def Void (σ : Type) : Type := (Void.nonemptyType σ).val
inductive EST.Out (ε σ α : Type)
  | ok (a : α) (w : Void σ)
  | error (e : ε) (w : Void σ)
opaque IO.Error : Type := Unit
abbrev IO (α : Type) := Void Unit → EST.Out IO.Error Unit α

def pure {α : Type} (a : α) : IO α := fun w => .ok a w
def bind {α β : Type} (x : IO α) (f : α → IO β) : IO β := fun w =>
  match x w with
  | .ok a w => f a w
  | .error e w => .error e w

opaque UInt32 : Type := Unit
@[extern "_"] axiom UInt32.ofNat (n : Nat) : UInt32

/-! Lists, arrays, strings. -/

def List.foldl {α : Type u} {β : Type v} (f : α → β → α) (a : α) : List β → α
  | .nil => a
  | .cons b l => foldl f (f a b) l
@[extern "_"] axiom Array.toList {α : Type} (a : Array α) : List α
@[extern "_"] axiom Array.mkEmpty {α : Type} (n : Nat) : Array α
@[extern "_"] axiom Array.push {α : Type} (a : Array α) (x : α) : Array α
@[extern "_"] axiom String.append (a b : String) : String
@[extern "_"] axiom String.quote (s : String) : String
@[extern "_"] axiom String.toName (s : String) : Lean.Name
@[extern "_"] axiom List.map {α : Type u} {β : Type v} (f : α → β) (l : List α) : List β

abbrev System.FilePath := String
abbrev System.SearchPath := List System.FilePath
@[extern "_"] axiom System.SearchPath.parse (s : String) : System.SearchPath

class ToString (α : Type u) where
  toString : α → String
instance : ToString String := ⟨id⟩
@[extern "_"] axiom IO.println {α : Type} [ToString α] (a : α) : Void Unit → EST.Out IO.Error Unit Unit

namespace Lean

@[extern "_"] axiom Name.toString (n : Name) (escape : Bool := true) : String
@[extern "_"] axiom Name.isPrefixOf (p n : Name) : Bool
@[extern "_"] axiom Name.replacePrefix (n queryP newP : Name) : Name
@[extern "_"] axiom mkPrivateNameCore (mainModule n : Name) : Name

opaque NameSet : Type := Unit
@[extern "_"] axiom NameSet.empty : NameSet
@[extern "_"] axiom NameSet.insert (s : NameSet) (n : Name) : NameSet
@[extern "_"] axiom NameSet.contains (s : NameSet) (n : Name) : Bool
opaque NameMap (α : Type) : Type := Unit
@[extern "_"] axiom mkNameMap (α : Type) : NameMap α
@[extern "_"] axiom NameMap.insert {α : Type} (m : NameMap α) (n : Name) (a : α) : NameMap α
@[extern "_"] axiom NameMap.find? {α : Type} (m : NameMap α) (n : Name) : Option α

/-! Constants, with what a program may match on. -/

opaque Expr : Type := Unit
@[extern "_"] axiom Expr.getUsedConstants (e : Expr) : Array Name
@[extern "_"] axiom Expr.dbgToString (e : Expr) : String
@[extern "_"] axiom Expr.eqv (a b : Expr) : Bool
opaque Level : Type := Unit
@[extern "_"] axiom mkLevelParam (n : Name) : Level
@[extern "_"] axiom Expr.instantiateLevelParams (e : Expr) (names : List Name) (levels : List Level) : Expr

opaque ConstantVal : Type := Unit
opaque AxiomVal : Type := Unit
structure DefinitionVal where
  toConstantVal : ConstantVal
  value : Expr
structure TheoremVal where
  toConstantVal : ConstantVal
  value : Expr
structure OpaqueVal where
  toConstantVal : ConstantVal
  value : Expr
opaque QuotVal : Type := Unit
opaque ConstructorVal : Type := Unit
opaque RecursorVal : Type := Unit
structure InductiveVal where
  toConstantVal : ConstantVal
  numParams : Nat
  numIndices : Nat
  all : List Name
  ctors : List Name

inductive ConstantInfo
  | axiomInfo (val : AxiomVal)
  | defnInfo (val : DefinitionVal)
  | thmInfo (val : TheoremVal)
  | opaqueInfo (val : OpaqueVal)
  | quotInfo (val : QuotVal)
  | inductInfo (val : InductiveVal)
  | ctorInfo (val : ConstructorVal)
  | recInfo (val : RecursorVal)
@[extern "_"] axiom ConstantInfo.levelParams (c : ConstantInfo) : List Name
@[extern "_"] axiom ConstantInfo.type (c : ConstantInfo) : Expr
@[extern "_"] axiom ConstantInfo.value? (c : ConstantInfo) (allowOpaque : Bool := false) : Option Expr
@[extern "_"] axiom ConstantInfo.isUnsafe (c : ConstantInfo) : Bool
@[extern "_"] axiom ConstantInfo.isPartial (c : ConstantInfo) : Bool

/-! Modules. Without `loadExts` no syntax and no code of what is imported comes into force. -/

structure Import where
  module : Name
  importAll : Bool := false
  isExported : Bool := true
  isMeta : Bool := false
opaque Options : Type := Unit
@[extern "_"] axiom Options.empty : Options
inductive OLeanLevel
  | exported
  | server
  | «private»
opaque Environment : Type := Unit
@[extern "_"] axiom importModules (imports : Array Import) (opts : Options) (trustLevel : UInt32 := .ofNat 0)
  (plugins : Array String := .mkEmpty 0) (leakEnv : Bool := false) (loadExts : Bool := false)
  (level : OLeanLevel := .private) (arts : NameMap Unit := mkNameMap Unit) : IO Environment
@[extern "_"] axiom Environment.find? (env : Environment) (n : Name) (skipRealize : Bool := false) : Option ConstantInfo
@[extern "_"] axiom Environment.getModuleIdxFor? (env : Environment) (n : Name) : Option Nat
@[extern "_"] axiom Environment.allImportedModuleNames (env : Environment) : Array Name
@[extern "_"] axiom initSearchPath (sysroot : System.FilePath) (paths : System.SearchPath) : IO Unit

end Lean
