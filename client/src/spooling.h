#ifndef SPOOLING_H
#define SPOOLING_H

/*
 * The thread that writes what is not sent to the spool and takes it out of memory.
 *
 * In online mode it does nothing as long as the server takes data. Once something was not sent for the time of the
 * settings, or more than their bytes wait, all records go to disk, in order, until the sender, which reads them there,
 * has caught up; then the folder is removed. At the end it writes what could not be sent, with the end.
 *
 * In offline mode all goes to disk, within a tenth of a second.
 *
 * Its calls of the file system may hang: the sender and the callers never wait for it but in cairn_finish() for a stated
 * time, and it holds no lock meanwhile.
 */
struct cairn_run;
struct spooling;

/* NULL without memory. */
struct spooling *spooling_new(struct cairn_run *run) __attribute__((nonnull));
void spooling_free(struct spooling *spooling);

/* Starts the thread; it holds a reference to the run and ends by itself. 0 or an errno value. */
int spooling_start(struct spooling *spooling) __attribute__((nonnull));

#endif
