#ifndef BACKUP_PARTS_H
#define BACKUP_PARTS_H

/* Members of a backup, in this order. */
#define BACKUP_MANIFEST "manifest.json"
#define BACKUP_SECRET "secret"
#define BACKUP_DUMP "database.dump.zst"

#endif
