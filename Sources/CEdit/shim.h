// libedit's editor for Swift, which can't call variadic functions.
// https://man.netbsd.org/editline.3

#ifndef COFFER_EDIT_SHIM_H
#define COFFER_EDIT_SHIM_H

#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>

/// Makes an editor on the standard files; NULL if there is no memory or no terminal.
static inline EditLine *coffer_el_init(void) {
  return el_init("coffer", stdin, stdout, stderr);
}

/// Sets what the editor needs. `client` is what `coffer_el_client` returns.
static inline void coffer_el_set_up(
    EditLine *editor, History *past, void *client, char *(*prompt)(EditLine *),
    int (*read_character)(EditLine *, wchar_t *),
    unsigned char (*complete)(EditLine *, int)) {
  el_set(editor, EL_CLIENTDATA, client);
  el_set(editor, EL_PROMPT, prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, history, past);
  el_set(editor, EL_GETCFN, read_character);
  el_set(editor, EL_ADDFN, "coffer-complete", "Complete a word", complete);
  el_set(editor, EL_BIND, "^I", "coffer-complete", NULL);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
}

static inline void *coffer_el_client(EditLine *editor) {
  void *client = NULL;
  el_get(editor, EL_CLIENTDATA, &client);
  return client;
}

/// Makes a history in memory; NULL if there is no memory.
static inline History *coffer_history_init(int size) {
  History *past = history_init();
  if (past == NULL) return NULL;
  HistEvent event;
  history(past, &event, H_SETSIZE, size);
  history(past, &event, H_SETUNIQUE, 1);
  return past;
}

static inline void coffer_history_enter(History *past, const char *line) {
  HistEvent event;
  history(past, &event, H_ENTER, line);
}

static inline void coffer_history_end(History *past) { history_end(past); }

#endif
