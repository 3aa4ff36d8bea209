// A layer below SQLite (https://www.sqlite.org/vfs.html) that passes everything on
// and notes the order in which a store's files are written, cut, synced and removed,
// in the file that RECORDER names. With it a test makes what a disk may hold after the
// power went.
//
// A note is, little-endian: kind (1 byte), length of the name (2), offset (8),
// length of the data (4), name, data.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

typedef struct {
  sqlite3_file base;
  const char *name; // 0: what is in the file is not kept over a loss of power
  sqlite3_file *below;
} file;

static sqlite3_vfs *below;
static int notes = -1;

static void note(char kind, const char *path, uint64_t offset, const void *data, uint32_t size) {
  if (!path || notes < 0) return;
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  uint16_t length = (uint16_t)strlen(name);
  size_t whole = 15 + length + size;
  char *text = malloc(whole);
  text[0] = kind;
  memcpy(text + 1, &length, 2);
  memcpy(text + 3, &offset, 8);
  memcpy(text + 11, &size, 4);
  memcpy(text + 15, name, length);
  if (size) memcpy(text + 15 + length, data, size);
  // One write at the end of the file: notes of several threads do not mix.
  if (write(notes, text, whole) != (ssize_t)whole) abort();
  free(text);
}

#define BELOW(f) (((file *)(f))->below)
#define NAME(f) (((file *)(f))->name)

static int closeFile(sqlite3_file *f) { return BELOW(f)->pMethods->xClose(BELOW(f)); }
static int readFile(sqlite3_file *f, void *to, int n, sqlite3_int64 at) { return BELOW(f)->pMethods->xRead(BELOW(f), to, n, at); }
static int writeFile(sqlite3_file *f, const void *from, int n, sqlite3_int64 at) {
  note('W', NAME(f), (uint64_t)at, from, (uint32_t)n);
  return BELOW(f)->pMethods->xWrite(BELOW(f), from, n, at);
}
static int truncateFile(sqlite3_file *f, sqlite3_int64 size) {
  note('T', NAME(f), (uint64_t)size, 0, 0);
  return BELOW(f)->pMethods->xTruncate(BELOW(f), size);
}
static int syncFile(sqlite3_file *f, int flags) {
  int rc = BELOW(f)->pMethods->xSync(BELOW(f), flags);
  if (rc == SQLITE_OK) note('S', NAME(f), 0, 0, 0);
  return rc;
}
static int fileSize(sqlite3_file *f, sqlite3_int64 *size) { return BELOW(f)->pMethods->xFileSize(BELOW(f), size); }
static int lockFile(sqlite3_file *f, int kind) { return BELOW(f)->pMethods->xLock(BELOW(f), kind); }
static int unlockFile(sqlite3_file *f, int kind) { return BELOW(f)->pMethods->xUnlock(BELOW(f), kind); }
static int reserved(sqlite3_file *f, int *out) { return BELOW(f)->pMethods->xCheckReservedLock(BELOW(f), out); }
static int control(sqlite3_file *f, int op, void *arg) { return BELOW(f)->pMethods->xFileControl(BELOW(f), op, arg); }
static int sectorSize(sqlite3_file *f) { return BELOW(f)->pMethods->xSectorSize(BELOW(f)); }
static int characteristics(sqlite3_file *f) { return BELOW(f)->pMethods->xDeviceCharacteristics(BELOW(f)); }
static int shmMap(sqlite3_file *f, int page, int size, int extend, void volatile **out) { return BELOW(f)->pMethods->xShmMap(BELOW(f), page, size, extend, out); }
static int shmLock(sqlite3_file *f, int at, int n, int flags) { return BELOW(f)->pMethods->xShmLock(BELOW(f), at, n, flags); }
static void shmBarrier(sqlite3_file *f) { BELOW(f)->pMethods->xShmBarrier(BELOW(f)); }
static int shmUnmap(sqlite3_file *f, int remove) { return BELOW(f)->pMethods->xShmUnmap(BELOW(f), remove); }

// Version 2: no memory maps, which would write past this layer.
static const sqlite3_io_methods methods = {
    2, closeFile, readFile, writeFile, truncateFile, syncFile, fileSize, lockFile, unlockFile, reserved,
    control, sectorSize, characteristics, shmMap, shmLock, shmBarrier, shmUnmap, 0, 0,
};

static int openFile(sqlite3_vfs *vfs, const char *path, sqlite3_file *out, int flags, int *outFlags) {
  file *f = (file *)out;
  (void)vfs;
  f->base.pMethods = 0;
  f->below = (sqlite3_file *)(f + 1);
  f->name = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) ? path : 0;
  int rc = below->xOpen(below, path, f->below, flags, outFlags);
  if (f->below->pMethods) f->base.pMethods = &methods;
  return rc;
}

static int removeFile(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs;
  int rc = below->xDelete(below, path, sync);
  if (rc == SQLITE_OK) note('D', path, 0, 0, 0);
  return rc;
}

int sqlite3_extension_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  static sqlite3_vfs own;
  (void)db;
  (void)error;
  SQLITE_EXTENSION_INIT2(api);
  notes = open(getenv("RECORDER"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (notes < 0) return SQLITE_CANTOPEN;
  below = sqlite3_vfs_find(0);
  own = *below;
  own.zName = "recorder";
  own.szOsFile = (int)sizeof(file) + below->szOsFile;
  own.xOpen = openFile;
  own.xDelete = removeFile;
  return sqlite3_vfs_register(&own, 1) == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : SQLITE_ERROR;
}
