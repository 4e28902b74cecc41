// libcurl for Swift, which can't call variadic functions.
// https://curl.se/libcurl/c/

#ifndef COFFER_CURL_SHIM_H
#define COFFER_CURL_SHIM_H

#include <curl/curl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>

// Earlier versions sign none of the headers that S3 needs to be signed.
#if LIBCURL_VERSION_NUM < 0x075800
#error "Coffer's trait S3 needs libcurl 7.88 or later"
#endif

static inline CURLcode coffer_curl_set_long(CURL *curl, CURLoption option, long value) {
  return (curl_easy_setopt)(curl, option, value);
}

/// libcurl copies the text.
static inline CURLcode coffer_curl_set_text(CURL *curl, CURLoption option, const char *text) {
  return (curl_easy_setopt)(curl, option, text);
}

/// The list has to outlive the transfer.
static inline CURLcode coffer_curl_set_headers(CURL *curl, struct curl_slist *headers) {
  return (curl_easy_setopt)(curl, CURLOPT_HTTPHEADER, headers);
}

/// The bytes have to outlive the transfer.
///
/// libcurl sends them with the method of CURLOPT_CUSTOMREQUEST, and signs their SHA-256.
static inline CURLcode coffer_curl_set_body(CURL *curl, const void *bytes, curl_off_t count) {
  CURLcode code = (curl_easy_setopt)(curl, CURLOPT_POST, 1L);
  if (code == CURLE_OK) code = (curl_easy_setopt)(curl, CURLOPT_POSTFIELDSIZE_LARGE, count);
  if (code == CURLE_OK) {
    code = (curl_easy_setopt)(curl, CURLOPT_POSTFIELDS, bytes == NULL ? (const void *)"" : bytes);
  }
  return code;
}

/// `target` is passed to the function with each piece of the reply's body.
static inline CURLcode coffer_curl_set_receiver(
    CURL *curl, curl_write_callback function, void *target) {
  CURLcode code = (curl_easy_setopt)(curl, CURLOPT_WRITEFUNCTION, function);
  return code == CURLE_OK ? (curl_easy_setopt)(curl, CURLOPT_WRITEDATA, target) : code;
}

/// `buffer` has CURL_ERROR_SIZE bytes, and has to outlive the transfer.
static inline CURLcode coffer_curl_set_error_buffer(CURL *curl, char *buffer) {
  return (curl_easy_setopt)(curl, CURLOPT_ERRORBUFFER, buffer);
}

static inline curl_socket_t coffer_curl_open_socket(
    void *unused, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)unused;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Makes sockets that no program inherits that the process starts.
static inline CURLcode coffer_curl_set_private_sockets(CURL *curl) {
  return (curl_easy_setopt)(curl, CURLOPT_OPENSOCKETFUNCTION, coffer_curl_open_socket);
}

/// What a thread has to put back after it has kept SIGPIPE away.
typedef struct {
  sigset_t mask;
  bool wasPending;
} coffer_curl_signals;

/// Blocks SIGPIPE in this thread.
///
/// A write to a connection that the server has closed may raise it, which would end the process: libcurl's
/// manual says so of CURLOPT_NOSIGNAL, without which it would change the whole process's handlers.
static inline coffer_curl_signals coffer_curl_block_signals(void) {
  coffer_curl_signals signals;
  sigset_t pending, pipe;
  sigemptyset(&pending);
  sigpending(&pending);
  signals.wasPending = sigismember(&pending, SIGPIPE) == 1;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &signals.mask);
  return signals;
}

/// Takes back the SIGPIPE that was raised meanwhile, and restores what this thread blocks.
static inline void coffer_curl_restore_signals(coffer_curl_signals signals) {
  if (!signals.wasPending) {
    const struct timespec now = {0, 0};
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (sigtimedwait(&pipe, NULL, &now) == SIGPIPE) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &signals.mask, NULL);
}

static inline CURLcode coffer_curl_perform(CURL *curl) {
  coffer_curl_signals signals = coffer_curl_block_signals();
  CURLcode code = curl_easy_perform(curl);
  coffer_curl_restore_signals(signals);
  return code;
}

/// Also closes the connections.
static inline void coffer_curl_cleanup(CURL *curl) {
  coffer_curl_signals signals = coffer_curl_block_signals();
  curl_easy_cleanup(curl);
  coffer_curl_restore_signals(signals);
}

static inline long coffer_curl_status(CURL *curl) {
  long status = 0;
  return (curl_easy_getinfo)(curl, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

/// The number of connections that the last transfer made; -1 if unknown.
static inline long coffer_curl_new_connections(CURL *curl) {
  long count = 0;
  return (curl_easy_getinfo)(curl, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK ? count : -1;
}

/// The value of a header of the last reply, valid until the handle's next use; NULL if there is none.
static inline const char *coffer_curl_header(CURL *curl, const char *name) {
  struct curl_header *header = NULL;
  return curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value
                                                                                 : NULL;
}

#endif
