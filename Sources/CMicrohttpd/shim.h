// GNU libmicrohttpd for Swift, which can't call variadic functions.
// https://www.gnu.org/software/libmicrohttpd/manual/libmicrohttpd.html

#ifndef COFFER_MICROHTTPD_SHIM_H
#define COFFER_MICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <malloc.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

/// Lets the threads of connections share their memory: each one would keep its own otherwise. Large
/// values go back to the system at once, also after one that was larger.
static inline void coffer_http_limit_arenas(void) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

/// What a server calls, each time with `context`.
typedef struct {
  MHD_AccessHandlerCallback request;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *context;
} coffer_http_callbacks;

/// Starts a server on 127.0.0.1 that has a thread for each connection; NULL if it can't.
///
/// With port 0 the system chooses one. No more than `connections` are served at once, each with
/// `memory` bytes for its head, and one that is silent for `timeout` seconds is closed. Nothing is
/// logged.
static inline struct MHD_Daemon *coffer_http_start(
    uint16_t port, unsigned int connections, unsigned int timeout, size_t memory,
    coffer_http_callbacks callbacks) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
          MHD_USE_ITC,
      port, NULL, NULL, callbacks.request, callbacks.context,
      MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, timeout,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_THREAD_STACK_SIZE, (size_t)4 << 20,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
      MHD_OPTION_END);
}

/// The port that the server listens on; 0 if it isn't known.
static inline uint16_t coffer_http_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

/// The connection's socket; -1 if it isn't known.
static inline int coffer_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int)info->connect_fd;
}

/// Lets a connection's silence begin now, after work that took longer than it may be silent.
static inline void coffer_http_restart_timeout(
    struct MHD_Connection *connection, unsigned int timeout) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, timeout);
}

#endif
