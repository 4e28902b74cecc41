// Faults of SQLite's memory and files, for tests: a chosen call of a kind fails.
//
// The allocator and the VFS count calls and pass them on. The process has one of each, so that
// tests use them in a process of their own.

#ifndef COFFER_FAULTS_H
#define COFFER_FAULTS_H

// Installs the allocator and the default VFS. To be called before anything else of SQLite; returns
// SQLite's result code.
int coffer_faults_install(void);

// The kinds of calls that can fail, by number from 0; null after the last one.
const char *coffer_faults_name(int kind);

// Makes the call with this number fail, counted from 1 and from now on, and with `persists` all
// calls after it, too.
void coffer_faults_arm(int kind, long number, int persists);

// The same for the calls of this thread alone, which must also be the one that disarms.
void coffer_faults_arm_thread(int kind, long number, int persists);

// Lets all calls succeed again.
void coffer_faults_disarm(void);

// The numbers of calls, and of those that failed, since the last arming.
long coffer_faults_calls(void);
long coffer_faults_failures(void);

// Installs a file layer that calls a function once while a checkpoint begins: after the checkpoint has
// read the log's length, and before it reads how much of the log is in the file. To be called before
// anything else of SQLite; returns SQLite's result code.
int coffer_race_install(void);

// Sets the function to be called once, from the thread that runs the checkpoint.
void coffer_race_arm(void (*function)(void));

// Whether it was not called yet.
int coffer_race_is_armed(void);

#endif
