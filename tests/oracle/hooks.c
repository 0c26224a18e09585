/* What the instrumented bash prints: one JSON record per line for everything its parser saw.

   instrument.py appends this file to bash's parser (y.tab.c) and calls the functions below from
   a few places in it.  Strings are printed one character per byte (latin-1).  Records:

   ["command", [[flags, word], ..], redirects]          a simple command
   ["redirects", redirects]                             the redirects of a compound command
   ["function", name]   ["coproc", name]
   ["for", [word, ..]]  ["case", word]  ["pattern", word]  ["test", operator, [word, ..]]
   ["array", [word, ..]]                                elements of a compound assignment
   and text that bash only reads when it expands the word, to be fed back by the caller:
   ["feed", mode, text, extglob] with mode "c" (commands), "b" and "B" (inside of backquotes, B within
   double quotes), "p" (a pattern: unquoted text), "t" (text, as in a here-document).

   A redirect is [operator, fd, target] or [operator, fd, delimiter, quoted, body].  */

#include <signal.h>
#include <sys/wait.h>

static char *oracle_text;
static size_t oracle_used, oracle_room;

/* The end of the text in modes p and t: no input contains it (the caller sees to that). */
#define ORACLE_CLOSE 3
#define ORACLE_OPEN 2

static void
oracle_add (const char *s, size_t n)
{
  if (oracle_used + n + 1 > oracle_room)
    {
      oracle_room = 2 * (oracle_used + n + 1);
      oracle_text = xrealloc (oracle_text, oracle_room);
    }
  memcpy (oracle_text + oracle_used, s, n);
  oracle_used += n;
}

static void
oracle_raw (const char *s)
{
  oracle_add (s, strlen (s));
}

static void
oracle_quote_n (const char *s, size_t n)
{
  char escape[8];

  oracle_raw ("\"");
  for (; n > 0; n--, s++)
    {
      unsigned char c = *s;
      if (c >= ' ' && c < 127 && c != '"' && c != '\\')
        oracle_add (s, 1);
      else
        {
          snprintf (escape, sizeof escape, "\\u%04x", c);
          oracle_raw (escape);
        }
    }
  oracle_raw ("\"");
}

static void
oracle_quote (const char *s)
{
  oracle_quote_n (s ? s : "", s ? strlen (s) : 0);
}

size_t
oracle_mark (void)
{
  return oracle_used;
}

/* Forgets what was recorded since MARK: bash is going to read that text once more. */
void
oracle_forget (size_t mark)
{
  oracle_used = mark;
}

void
oracle_feed (const char *mode, const char *s, size_t n)
{
  oracle_raw ("[\"feed\",");
  oracle_quote (mode);
  oracle_raw (",");
  oracle_quote_n (s, n);
  oracle_raw (extended_glob ? ",1]\n" : ",0]\n");
}

static void
oracle_words (WORD_LIST *list)
{
  oracle_raw ("[");
  for (; list; list = list->next)
    {
      oracle_quote (list->word->word);
      if (list->next)
        oracle_raw (",");
    }
  oracle_raw ("]");
}

void
oracle_array (WORD_LIST *list)
{
  oracle_raw ("[\"array\",");
  oracle_words (list);
  oracle_raw ("]\n");
}

static const char *
oracle_operator (enum r_instruction instruction)
{
  switch (instruction)
    {
    case r_output_direction: return ">";
    case r_output_force: return ">|";
    case r_appending_to: return ">>";
    case r_input_direction: case r_inputa_direction: return "<";
    case r_input_output: return "<>";
    case r_err_and_out: return "&>";
    case r_append_err_and_out: return "&>>";
    case r_reading_until: return "<<";
    case r_deblank_reading_until: return "<<-";
    case r_reading_string: return "<<<";
    case r_close_this: return "close";
    case r_duplicating_input: case r_duplicating_input_word: return "<&";
    case r_duplicating_output: case r_duplicating_output_word: return ">&";
    case r_move_input: case r_move_input_word: return "<&move";
    case r_move_output: case r_move_output_word: return ">&move";
    }
  return "?";
}

static int
oracle_target_is_number (enum r_instruction instruction)
{
  return instruction == r_duplicating_input || instruction == r_duplicating_output
         || instruction == r_move_input || instruction == r_move_output;
}

static void
oracle_number (int number)
{
  char digits[24];

  snprintf (digits, sizeof digits, "\"%d\"", number);
  oracle_raw (digits);
}

static void
oracle_redirect (REDIRECT *r)
{
  oracle_raw ("[");
  oracle_quote (oracle_operator (r->instruction));
  oracle_raw (",");
  if (r->rflags & REDIR_VARASSIGN)
    {
      char *name = r->redirector.filename->word;
      char *braced = xmalloc (strlen (name) + 3);
      sprintf (braced, "{%s}", name);
      oracle_quote (braced);
      free (braced);
    }
  else
    oracle_number (r->redirector.dest);
  oracle_raw (",");
  if (r->instruction == r_reading_until || r->instruction == r_deblank_reading_until)
    {
      oracle_quote (r->here_doc_eof);
      oracle_raw ((r->redirectee.filename->flags & W_QUOTED) ? ",true," : ",false,");
      oracle_quote (r->redirectee.filename->word);
    }
  else if (r->instruction == r_close_this)
    oracle_raw ("\"-\"");
  else if (oracle_target_is_number (r->instruction))
    oracle_number (r->redirectee.dest);
  else
    oracle_quote (r->redirectee.filename->word);
  oracle_raw ("]");
}

static void
oracle_redirects (REDIRECT *r)
{
  oracle_raw ("[");
  for (; r; r = r->next)
    {
      oracle_redirect (r);
      if (r->next)
        oracle_raw (",");
    }
  oracle_raw ("]");
}

static void
oracle_simple (SIMPLE_COM *simple)
{
  WORD_LIST *l;
  char flags[24];

  if (simple->words == 0 && simple->redirects == 0)
    return;
  oracle_raw ("[\"command\",[");
  for (l = simple->words; l; l = l->next)
    {
      snprintf (flags, sizeof flags, "[%d,", l->word->flags);
      oracle_raw (flags);
      oracle_quote (l->word->word);
      oracle_raw (l->next ? "]," : "]");
    }
  oracle_raw ("],");
  oracle_redirects (simple->redirects);
  oracle_raw ("]\n");
}

static void
oracle_name (const char *kind, const char *name)
{
  oracle_raw ("[");
  oracle_quote (kind);
  oracle_raw (",");
  oracle_quote (name);
  oracle_raw ("]\n");
}

static void
oracle_list (const char *kind, WORD_LIST *words)
{
  oracle_raw ("[");
  oracle_quote (kind);
  oracle_raw (",");
  oracle_words (words);
  oracle_raw ("]\n");
}

static void
oracle_test (COND_COM *test)
{
  if (test == 0)
    return;
  if (test->type == COND_UNARY || test->type == COND_BINARY)
    {
      oracle_raw ("[\"test\",");
      oracle_quote (test->op->word);
      oracle_raw (",[");
      oracle_quote (test->left->op->word);
      if (test->type == COND_BINARY)
        {
          oracle_raw (",");
          oracle_quote (test->right->op->word);
        }
      oracle_raw ("]]\n");
      return;
    }
  oracle_test (test->left);
  oracle_test (test->right);
}

static void
oracle_case (CASE_COM *node)
{
  PATTERN_LIST *clause;
  WORD_LIST *pattern;

  oracle_name ("case", node->word->word);
  for (clause = node->clauses; clause; clause = clause->next)
    for (pattern = clause->patterns; pattern; pattern = pattern->next)
      oracle_name ("pattern", pattern->word->word);
}

void
oracle_dump (COMMAND *command)
{
  PATTERN_LIST *clause;

  if (command == 0)
    return;
  if (command->redirects)
    {
      oracle_raw ("[\"redirects\",");
      oracle_redirects (command->redirects);
      oracle_raw ("]\n");
    }
  switch (command->type)
    {
    case cm_simple:
      oracle_simple (command->value.Simple);
      break;
    case cm_connection:
      oracle_dump (command->value.Connection->first);
      oracle_dump (command->value.Connection->second);
      break;
    case cm_for:
      oracle_list ("for", command->value.For->map_list);
      oracle_dump (command->value.For->action);
      break;
    case cm_select:
      oracle_list ("for", command->value.Select->map_list);
      oracle_dump (command->value.Select->action);
      break;
    case cm_arith_for:
      oracle_dump (command->value.ArithFor->action);
      break;
    case cm_case:
      oracle_case (command->value.Case);
      for (clause = command->value.Case->clauses; clause; clause = clause->next)
        oracle_dump (clause->action);
      break;
    case cm_while:
    case cm_until:
      oracle_dump (command->value.While->test);
      oracle_dump (command->value.While->action);
      break;
    case cm_if:
      oracle_dump (command->value.If->test);
      oracle_dump (command->value.If->true_case);
      oracle_dump (command->value.If->false_case);
      break;
    case cm_group:
      oracle_dump (command->value.Group->command);
      break;
    case cm_subshell:
      oracle_dump (command->value.Subshell->command);
      break;
    case cm_function_def:
      oracle_name ("function", command->value.Function_def->name->word);
      oracle_dump (command->value.Function_def->command);
      break;
    case cm_coproc:
      oracle_name ("coproc", command->value.Coproc->name);
      oracle_dump (command->value.Coproc->command);
      break;
    case cm_cond:
      oracle_test (command->value.Cond);
      break;
    case cm_arith:
      break;
    }
}

/* `shopt -s extglob` changes how the next line is read, so it counts even when nothing runs. */
void
oracle_option (COMMAND *command)
{
  WORD_LIST *w;

  if (command && command->type == cm_connection)
    {
      oracle_option (command->value.Connection->first);
      if (command->value.Connection->connector == ';')
        oracle_option (command->value.Connection->second);
    }
  if (command == 0 || command->type != cm_simple || (w = command->value.Simple->words) == 0)
    return;
  if (STREQ (w->word->word, "shopt") && w->next && w->next->next
      && STREQ (w->next->next->word->word, "extglob"))
    extended_glob = STREQ (w->next->word->word, "-s");
}

/* Whether the text behind `$(`, which starts with `(`, is arithmetic; bash decides likewise. */
int
oracle_is_arithmetic (const char *s, size_t n)
{
  size_t i;
  int depth = 0;

  if (n < 3 || s[n - 1] != ')' || s[n - 2] != ')')
    return 0;
  for (i = 1; i < n - 2; i++)
    {
      if (s[i] == '\\')
        i++;
      else if (s[i] == '\'' || s[i] == '"')
        {
          char quote = s[i++];
          while (i < n - 2 && s[i] != quote)
            i += (quote == '"' && s[i] == '\\') ? 2 : 1;
        }
      else if (s[i] == '(')
        depth++;
      else if (s[i] == ')' && --depth < 0)
        return 0;
    }
  return depth == 0;
}

static void
oracle_flush (void)
{
  size_t done = 0;

  while (done < oracle_used)
    {
      ssize_t n = write (1, oracle_text + done, oracle_used - done);
      if (n <= 0)
        break;
      done += n;
    }
  oracle_used = 0;
}

/* Reads TEXT, which ends with ORACLE_CLOSE, as bash reads the inside of a quoted construct. */
static int
oracle_scan (char *text, int mode)
{
  char *found;

  if (setjmp_nosigs (top_level) != NOT_JUMPED)
    return 1;
  with_input_from_string (text, "text");
  if (mode == 't')
    found = parse_matched_pair ('"', ORACLE_CLOSE, ORACLE_CLOSE, (int *)0, P_DQUOTE);
  else
    found = parse_matched_pair (0, ORACLE_OPEN, ORACLE_CLOSE, (int *)0, P_ARRAYSUB);
  return found == &matched_pair_error;
}

static char *
oracle_request (char *mode)
{
  char *text;
  size_t length;
  int extglob;

  if (scanf ("%c %d %zu", mode, &extglob, &length) != 3 || getchar () != '\n')
    return 0;
  text = xmalloc (length + 2);
  if (fread (text, 1, length, stdin) != length)
    return 0;
  text[length] = *mode == 'c' ? '\0' : ORACLE_CLOSE;
  text[length + 1] = '\0';
  extended_glob = extglob;
  return text;
}

static void
oracle_answer (int status, int errors)
{
  char message[4096], end[32];
  ssize_t n = pread (errors, message, sizeof message, 0);

  snprintf (end, sizeof end, "[\"end\",%d,", WIFEXITED (status) ? WEXITSTATUS (status) : 255);
  oracle_raw (end);
  oracle_quote_n (message, n > 0 ? n : 0);
  oracle_raw ("]\n");
  oracle_flush ();
}

/* With ORACLE_SERVE in the environment: a request per text ("mode extglob length\n", then the
   text), each parsed by a child of its own.  Returns in the child, with the text to parse. */
char *
oracle_serve (char *given)
{
  char *text, mode;
  int status, errors;

  if (getenv ("ORACLE_SERVE") == 0)
    {
      atexit (oracle_flush);
      return given;
    }
  signal (SIGCHLD, SIG_DFL);
  errors = fileno (tmpfile ());
  while ((text = oracle_request (&mode)))
    {
      pid_t child;
      ftruncate (errors, 0);
      lseek (errors, 0, SEEK_SET);
      if ((child = fork ()) == 0)
        {
          alarm (10);
          dup2 (errors, 2);
          atexit (oracle_flush);
          if (mode == 'c')
            return text;
          exit (oracle_scan (text, mode));
        }
      waitpid (child, &status, 0);
      oracle_answer (status, errors);
      free (text);
    }
  _exit (0);
}
