// libsecret for Swift, which can't call variadic functions.
// https://gnome.pages.gitlab.gnome.org/libsecret/

#ifndef COFFER_SECRET_SHIM_H
#define COFFER_SECRET_SHIM_H

#include <libsecret/secret.h>
#include <string.h>

typedef enum {
  COFFER_SECRET_DONE,
  /// There is no such item.
  COFFER_SECRET_MISSING,
  /// Its keyring stayed locked.
  COFFER_SECRET_LOCKED,
  /// Several items have the same attributes.
  COFFER_SECRET_AMBIGUOUS,
  /// The service can't be reached or refuses.
  COFFER_SECRET_FAILED
} coffer_secret_result;

static inline const SecretSchema *coffer_secret_schema(void) {
  static const SecretSchema schema = {
      .name = "io.coffer.DatabaseKey",
      .flags = SECRET_SCHEMA_NONE,
      .attributes = {
          {"service", SECRET_SCHEMA_ATTRIBUTE_STRING},
          {"account", SECRET_SCHEMA_ATTRIBUTE_STRING},
          {NULL, SECRET_SCHEMA_ATTRIBUTE_STRING}}};
  return &schema;
}

static inline GHashTable *coffer_secret_attributes(const char *service, const char *account) {
  return secret_attributes_build(
      coffer_secret_schema(), "service", service, "account", account, NULL);
}

/// Takes an error's message, to be released with `g_free`.
static inline coffer_secret_result coffer_secret_failure(GError *error, char **message) {
  coffer_secret_result result =
      g_error_matches(error, SECRET_ERROR, SECRET_ERROR_IS_LOCKED) ? COFFER_SECRET_LOCKED
                                                                   : COFFER_SECRET_FAILED;
  *message = g_strdup(error->message);
  g_error_free(error);
  return result;
}

/// Finds the one item with these attributes, and copies at most `capacity` bytes of its secret.
///
/// Asks the person to unlock the keyring where that is needed. `*count` is the secret's size.
static inline coffer_secret_result coffer_secret_lookup(
    const char *service, const char *account, void *target, size_t capacity, size_t *count,
    char **message) {
  GError *error = NULL;
  GHashTable *attributes = coffer_secret_attributes(service, account);
  GList *items = secret_password_searchv_sync(
      coffer_secret_schema(), attributes,
      (SecretSearchFlags)(SECRET_SEARCH_ALL | SECRET_SEARCH_UNLOCK | SECRET_SEARCH_LOAD_SECRETS),
      NULL, &error);
  g_hash_table_unref(attributes);
  if (error != NULL) return coffer_secret_failure(error, message);

  coffer_secret_result result = COFFER_SECRET_MISSING;
  if (items != NULL && items->next != NULL) {
    result = COFFER_SECRET_AMBIGUOUS;
  } else if (items != NULL) {
    SecretRetrievable *item = (SecretRetrievable *)items->data;
    SecretValue *value = secret_retrievable_retrieve_secret_sync(item, NULL, &error);
    if (error != NULL) {
      result = coffer_secret_failure(error, message);
    } else if (value == NULL) {
      result = COFFER_SECRET_LOCKED;
    } else {
      gsize size = 0;
      const char *bytes = secret_value_get(value, &size);
      *count = size;
      memcpy(target, bytes, size < capacity ? size : capacity);
      // Wipes the value.
      secret_value_unref(value);
      result = COFFER_SECRET_DONE;
    }
  }
  g_list_free_full(items, g_object_unref);
  return result;
}

/// Stores a new item in the default keyring, and makes the keyring where there is none.
///
/// Never replaces an item. `*item` is to be given to `coffer_secret_delete` or `coffer_secret_keep`.
static inline coffer_secret_result coffer_secret_add(
    const char *service, const char *account, const char *label, const void *bytes, size_t count,
    void **item, char **message) {
  GError *error = NULL;
  SecretService *secrets = secret_service_get_sync(
      (SecretServiceFlags)(SECRET_SERVICE_OPEN_SESSION | SECRET_SERVICE_LOAD_COLLECTIONS), NULL,
      &error);
  if (error != NULL) return coffer_secret_failure(error, message);

  SecretCollection *keyring = secret_collection_for_alias_sync(
      secrets, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_NONE, NULL, &error);
  if (error == NULL && keyring == NULL) {
    keyring = secret_collection_create_sync(
        secrets, "Default keyring", SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_CREATE_NONE, NULL,
        &error);
  }
  if (error == NULL && keyring != NULL && secret_collection_get_locked(keyring)) {
    GList *locked = g_list_prepend(NULL, keyring);
    secret_service_unlock_sync(secrets, locked, NULL, NULL, &error);
    g_list_free(locked);
  }
  if (error == NULL && keyring != NULL) {
    GHashTable *attributes = coffer_secret_attributes(service, account);
    SecretValue *value = secret_value_new((const char *)bytes, (gssize)count, "text/plain");
    *item = secret_item_create_sync(
        keyring, coffer_secret_schema(), attributes, label, value, SECRET_ITEM_CREATE_NONE, NULL,
        &error);
    secret_value_unref(value);
    g_hash_table_unref(attributes);
  }
  g_clear_object(&keyring);
  g_object_unref(secrets);
  if (error != NULL) return coffer_secret_failure(error, message);
  return *item == NULL ? COFFER_SECRET_LOCKED : COFFER_SECRET_DONE;
}

static inline void coffer_secret_delete(void *item) {
  secret_item_delete_sync((SecretItem *)item, NULL, NULL);
  g_object_unref(item);
}

static inline void coffer_secret_keep(void *item) { g_object_unref(item); }

/// Removes all items with these attributes.
static inline coffer_secret_result coffer_secret_remove(
    const char *service, const char *account, char **message) {
  GError *error = NULL;
  GHashTable *attributes = coffer_secret_attributes(service, account);
  gboolean removed =
      secret_password_clearv_sync(coffer_secret_schema(), attributes, NULL, &error);
  g_hash_table_unref(attributes);
  if (error != NULL) return coffer_secret_failure(error, message);
  return removed ? COFFER_SECRET_DONE : COFFER_SECRET_MISSING;
}

#endif
