// What Lean's own tokenizer makes of snippets: the truth that tests/it/lean_tokens.rs compares the lexer with.
//
//   cc -O1 -w -o tokens tokens.c .../lib/lean/libleanshared.so
//   tokens < snippets        each snippet is its length (4 bytes, little endian) and its bytes (UTF-8, no \r\n)
//
// A line for each snippet, a letter for each byte: ' ' what Lean skips (blanks and comments), D/d a doc comment,
// M/m a module doc, S/s a piece of a string, H/h a character, n a name or a word, '.' any other code; capitals begin.
// A lone '!' says that Lean reports an error. The table of tokens is that of the built-in parsers and of EXTRA.
// Objects are laid out as in Lean 4.35.0, and nothing is freed: run it over some thousand snippets at a time.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int rc;
  unsigned size : 16, fields : 8, tag : 8;
} O;
typedef O *P;
#define BOX(n) ((P)(uintptr_t)(((uintptr_t)(n) << 1) | 1))
#define BOXED(o) (((uintptr_t)(o)) & 1)
#define UNBOX(o) (((uintptr_t)(o)) >> 1)

extern void lean_initialize(void);
extern void lean_io_mark_end_initialization(void);
extern void lean_init_task_manager(void);
extern P lean_mk_string(const char *);
extern P lean_alloc_object(size_t);
extern P l_Lean_mkEmptyEnvironment(uint32_t, P);
extern P l_Lean_FileMap_ofString(P);
extern P l_Lean_Options_empty;
extern P l_Lean_Parser_getTokenTable(P);
extern P l_Lean_Data_Trie_insert___redArg(P, P, P);
extern P l_Lean_Parser_mkParserState(P);
extern P l_Lean_Parser_ParserFn_run(P, P, P, P, P);
extern P l_Lean_Parser_tokenFn(P, P, P);
extern P l_Lean_Parser_whitespace(P, P);
extern P l_Lean_Parser_finishCommentBlock(uint8_t, P, P, P);
extern P l_Lean_Parser_interpolatedStrFn(P, P, P);

// Tokens of notations that every file has through Init.
static const char *EXTRA[] = {"+", "-", "*", "/", "%", "^", "\\/", "/\\", "//", "=", "==", "!=", "<", "<=", ">", ">=", "\\", "∧", "∨", "¬",
                              "↔", "≠", "≤", "≥", "∣", "∘", "×", "⁻¹", "++", "::", "&&", "||", "!", "<|", "|>", "<;>", "<|>", ">>=",
                              ">>", "<*>", "<$>", "$", "∈", "∉", "⊆", "∪", "∩", "]'", "%[", "#[", "[[", "]]", "-.", "|||", "&&&", 0};

static P field(P o, int i) { return ((P *)((char *)o + 8))[i]; }
static void set(P o, int i, P v) { ((P *)((char *)o + 8))[i] = v; }
static P keep(P o) { // so that nothing ever frees it
  if (!BOXED(o)) {
    if (o->rc > 0 && o->rc < (1 << 28))
      o->rc += 1 << 24;
    else if (o->rc < 0 && o->rc > -(1 << 28))
      o->rc -= 1 << 24;
  }
  return o;
}
static P record(int fields) {
  P o = lean_alloc_object(8 + 8 * fields);
  memset((char *)o + 8, 0, 8 * fields);
  o->rc = 1, o->size = 0, o->fields = fields, o->tag = 0;
  return o;
}
static P function(P (*f)(P, P)) {
  P o = lean_alloc_object(24);
  o->rc = 1, o->size = 0, o->fields = 0, o->tag = 245;
  *(void **)((char *)o + 8) = (void *)f;
  *(uint16_t *)((char *)o + 16) = 2;
  *(uint16_t *)((char *)o + 18) = 0;
  return keep(o);
}
static char *chars(P s) { return (char *)s + 32; }
static size_t length(P a) { return *(size_t *)((char *)a + 8); }
static P item(P a, size_t i) { return ((P *)((char *)a + 24))[i]; }

// Of a syntax object: the end of its last leaf, -1 if it has none.
static long end_of(P s) {
  if (BOXED(s))
    return -1;
  if (s->tag == 1) {
    P a = field(s, 2);
    for (size_t i = length(a); i-- > 0;) {
      long e = end_of(item(a, i));
      if (e >= 0)
        return e;
    }
    return -1;
  }
  P info = field(s, 0);
  return BOXED(info) ? -1 : (long)UNBOX(field(info, info->tag == 0 ? 3 : 1));
}

// The start of that leaf.
static long start_of_last(P s) {
  while (s->tag == 1) {
    P a = field(s, 2);
    s = item(a, length(a) - 1);
  }
  return UNBOX(field(field(s, 0), 1));
}

static char *text, *kinds;
static long size;
static int broken;
static P input, hole;

static long at(P s) { return UNBOX(field(s, 2)); }
static int failed(P s) { return !BOXED(field(s, 4)); }
static P top(P s) {
  P raw = field(field(s, 0), 0);
  return length(raw) ? item(raw, length(raw) - 1) : 0;
}
static P from(long p) {
  P s = l_Lean_Parser_mkParserState(keep(input));
  set(s, 2, BOX(p));
  return s;
}
static void mark(long a, long b, char first, char rest) {
  for (long i = a; i < b && i < size; i++)
    kinds[i] = i == a ? first : rest;
}
static unsigned rune(const char *p) {
  unsigned char c = *p;
  if (c < 0x80)
    return c;
  int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
  unsigned u = c & (0x3f >> more);
  while (more-- > 0)
    u = u << 6 | (*++p & 0x3f);
  return u;
}
static int letter(unsigned u) { // Lean's isIdFirst, or the beginning of an escaped part
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u == 0xab ||
         (u >= 0x3b1 && u <= 0x3c9 && u != 0x3bb) || (u >= 0x391 && u <= 0x3a9 && u != 0x3a0 && u != 0x3a3) ||
         (u >= 0x3ca && u <= 0x3fb) || (u >= 0x1f00 && u <= 0x1ffe) || (u >= 0x2100 && u <= 0x214f) ||
         (u >= 0x1d49c && u <= 0x1d59f) || (u >= 0xc0 && u <= 0xff && u != 0xd7 && u != 0xf7) || (u >= 0x100 && u <= 0x17f);
}
// A token that is no name: a word may stand in it, as in `#check`, `?_` and `` `(tactic| ``.
static void mark_atom(long a, long b) {
  int word = 0;
  for (long i = a; i < b; i++) {
    unsigned u = rune(text + i);
    word = ((unsigned char)text[i] & 0xc0) == 0x80 ? word : letter(u) || (word && (u == '\'' || u == '!' || u == '?' || (u >= '0' && u <= '9')));
    mark(i, i + 1, word ? 'n' : '.', '.');
  }
}
static void mark_name(long a, long b) { // also of a name literal, behind its backquote
  long i = a + (text[a] == '`');
  mark(a, i, '.', '.');
  mark(i, b, 'n', 'n');
}
static int is(long a, long b, const char *word) { return b - a == (long)strlen(word) && !memcmp(text + a, word, b - a); }

// Reads tokens to the end of the snippet, or to the brace that closes the hole of a string.
static P tokens(P c, P s, int in_hole) {
  int depth = 0, interpolated = 0;
  while (!broken) {
    if (!in_hole || !failed(s)) {
      s = l_Lean_Parser_whitespace(keep(c), s);
      if (failed(s))
        break;
    }
    long a = at(s);
    if (a >= size) {
      broken |= in_hole;
      return s;
    }
    if (in_hole && depth == 0 && text[a] == '}')
      return s;
    if (interpolated && text[a] == '"') {
      s = l_Lean_Parser_interpolatedStrFn(keep(hole), keep(c), from(a));
      if (broken || failed(s))
        break;
      mark(start_of_last(top(s)), end_of(top(s)), 'S', 's');
      interpolated = 0;
      s = from(at(s));
      continue;
    }
    interpolated = 0;
    s = l_Lean_Parser_tokenFn(BOX(0), keep(c), s);
    if (failed(s)) { // a symbol that no token begins with is code; any other error is one
      unsigned u = rune(text + a);
      if (at(s) != a || u == '"' || u == '\'' || u == '`' || letter(u) || (u >= '0' && u <= '9'))
        break;
      long b = a + 1;
      while (b < size && ((unsigned char)text[b] & 0xc0) == 0x80)
        b++;
      mark(a, b, '.', '.');
      s = from(b);
      continue;
    }
    P t = top(s);
    long b = end_of(t), next = at(s);
    if (b <= a)
      break;
    char kind[64] = "";
    if (t->tag == 1) // a literal: the last part of its kind's name
      snprintf(kind, sizeof kind, "%s", chars(field(field(t, 1), 1)));
    if (t->tag == 2 && (is(a, b, "/--") || is(a, b, "/-!"))) {
      // The blanks and comments after the opener are behind us already: Lean skips them like after any token.
      s = l_Lean_Parser_finishCommentBlock(0, BOX(1), keep(c), from(next));
      if (failed(s))
        break;
      b = at(s);
      mark(a, b, text[a + 2] == '!' ? 'M' : 'D', text[a + 2] == '!' ? 'm' : 'd');
      s = from(b);
      continue;
    }
    if (!strcmp(kind, "str"))
      mark(a, b, 'S', 's');
    else if (!strcmp(kind, "char"))
      mark(a, b, 'H', 'h');
    else if (!strcmp(kind, "num") || !strcmp(kind, "scientific"))
      mark(a, b, '.', '.');
    else if (t->tag == 2)
      mark_atom(a, b);
    else
      mark_name(a, b);
    interpolated = is(a, b, "s!") || is(a, b, "m!") || is(a, b, "f!") || is(a, b, "throwError") || is(a, b, "dbg_trace");
    if (is(a, b, "{") || is(a, b, ".{")) // of a term, or of universes
      depth++;
    else if (is(a, b, "}"))
      depth--;
    else if (in_hole && memchr(text + a, '}', b - a) && strcmp(kind, "str") && strcmp(kind, "char") && t->tag != 3)
      break; // a token with a brace inside: what it opens is not ours to say
    s = from(next);
  }
  broken = 1;
  return s;
}
static P whole(P c, P s) { return tokens(keep(c), s, 0); }
// Called behind the `{` of a hole and the blanks after it; stops at its `}`.
static P inside(P c, P s) {
  mark(start_of_last(top(s)), end_of(top(s)), 'S', 's');
  s = tokens(keep(c), from(at(s)), 1);
  return s;
}

int main(void) {
  lean_initialize();
  lean_init_task_manager();
  lean_io_mark_end_initialization();
  P env = keep(field(keep(l_Lean_mkEmptyEnvironment(0, BOX(0))), 0));
  P options = keep(l_Lean_Options_empty);
  P table = l_Lean_Parser_getTokenTable(keep(env));
  for (int i = 0; EXTRA[i]; i++)
    table = l_Lean_Data_Trie_insert___redArg(keep(table), keep(lean_mk_string(EXTRA[i])), keep(lean_mk_string(EXTRA[i])));
  P file = keep(lean_mk_string("snippet")), run = function(whole);
  hole = function(inside);
  uint32_t n;
  while (fread(&n, 4, 1, stdin) == 1) {
    text = calloc(n + 1, 1), kinds = malloc(n + 1), size = n, broken = 0;
    if (fread(text, 1, n, stdin) != n)
      return 1;
    memset(kinds, ' ', n);
    input = keep(lean_mk_string(text));
    P context = record(4), module = record(4);
    set(context, 0, input), set(context, 1, file), set(context, 2, l_Lean_FileMap_ofString(keep(input))), set(context, 3, BOX(n));
    set(module, 0, keep(env)), set(module, 1, options), set(module, 2, BOX(0)), set(module, 3, BOX(0));
    l_Lean_Parser_ParserFn_run(keep(run), keep(context), keep(module), keep(table), l_Lean_Parser_mkParserState(keep(input)));
    if (broken)
      puts("!");
    else
      fwrite(kinds, 1, n, stdout), putchar('\n');
    free(text), free(kinds);
  }
  return 0;
}
