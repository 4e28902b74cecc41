#define _GNU_SOURCE
#include "cfloor.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

// Functions of the libcrypto that libsqlcipher has loaded, found by name: the package doesn't link it.

typedef struct {
  const void *(*sha512)(void);
  const void *(*sha256)(void);
  void *(*hmac_new)(void);
  void (*hmac_free)(void *context);
  int (*hmac_init)(void *context, const void *key, int length, const void *hash, void *engine);
  int (*hmac_update)(void *context, const unsigned char *data, size_t length);
  int (*hmac_final)(void *context, unsigned char *code, unsigned int *length);
  const void *(*aes_256_cbc)(void);
  void *(*cipher_new)(void);
  void (*cipher_free)(void *context);
  int (*cipher_init)(void *context, const void *cipher, void *engine, const unsigned char *key,
                     const unsigned char *iv, int encrypts);
  int (*cipher_set_padding)(void *context, int padding);
  int (*cipher_update)(void *context, unsigned char *out, int *count, const unsigned char *in,
                       int length);
  int (*random_bytes)(unsigned char *bytes, int count);
} crypto;

static int find(const char *name, void *function) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static int load(crypto *c) {
  return find("EVP_sha512", &c->sha512) && find("EVP_sha256", &c->sha256) &&
         find("HMAC_CTX_new", &c->hmac_new) && find("HMAC_CTX_free", &c->hmac_free) &&
         find("HMAC_Init_ex", &c->hmac_init) && find("HMAC_Update", &c->hmac_update) &&
         find("HMAC_Final", &c->hmac_final) && find("EVP_aes_256_cbc", &c->aes_256_cbc) &&
         find("EVP_CIPHER_CTX_new", &c->cipher_new) &&
         find("EVP_CIPHER_CTX_free", &c->cipher_free) &&
         find("EVP_CipherInit_ex", &c->cipher_init) &&
         find("EVP_CIPHER_CTX_set_padding", &c->cipher_set_padding) &&
         find("EVP_CipherUpdate", &c->cipher_update) && find("RAND_bytes", &c->random_bytes);
}

enum { page_size = 4096, page_count = 64, iv_size = 16 };

// More pages than fit in the processor's first cache, as for a file.
static unsigned char pages_of_file[page_count][page_size];
static const unsigned char key[32] = {1, 2, 3};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// The HMAC covers the page without its HMAC, and the page number.
static double time_hmac(crypto *c, const void *hash, int code_size, int pages) {
  void *context = c->hmac_new();
  unsigned char code[64], number[4] = {0};
  unsigned int length = 0;
  int size = page_size - code_size;
  if (!context || !c->hmac_init(context, key, sizeof key, hash, NULL)) return -1;
  double start = now();
  for (int i = 0; i < pages; i++) {
    c->hmac_init(context, NULL, 0, NULL, NULL);
    c->hmac_update(context, pages_of_file[i % page_count], (size_t)size);
    c->hmac_update(context, number, sizeof number);
    c->hmac_final(context, code, &length);
  }
  double time = now() - start;
  c->hmac_free(context);
  return (int)length == code_size ? time / pages : -1;
}

static double time_cipher(crypto *c, int encrypts, int pages) {
  static unsigned char result[page_size + iv_size];
  void *context = c->cipher_new();
  int count = 0, size = page_size - iv_size - 64;
  unsigned char iv[iv_size] = {0};
  if (!context || !c->cipher_init(context, c->aes_256_cbc(), NULL, key, iv, encrypts)) return -1;
  double start = now();
  for (int i = 0; i < pages; i++) {
    iv[0] = (unsigned char)i;
    c->cipher_init(context, NULL, NULL, NULL, iv, encrypts);
    c->cipher_set_padding(context, 0);
    c->cipher_update(context, result, &count, pages_of_file[i % page_count], size);
  }
  double time = now() - start;
  c->cipher_free(context);
  return count == size ? time / pages : -1;
}

static double time_random(crypto *c, int pages) {
  unsigned char iv[iv_size];
  double start = now();
  for (int i = 0; i < pages; i++) {
    if (c->random_bytes(iv, iv_size) != 1) return -1;
  }
  return (now() - start) / pages;
}

double floor_time_primitive(floor_primitive primitive, int pages) {
  crypto c;
  if (!load(&c)) return -1;
  switch (primitive) {
  case floor_hmac_sha512: return time_hmac(&c, c.sha512(), 64, pages);
  case floor_hmac_sha256: return time_hmac(&c, c.sha256(), 32, pages);
  case floor_aes_256_cbc_decrypt: return time_cipher(&c, 0, pages);
  case floor_aes_256_cbc_encrypt: return time_cipher(&c, 1, pages);
  case floor_random_iv: return time_random(&c, pages);
  }
  return -1;
}
