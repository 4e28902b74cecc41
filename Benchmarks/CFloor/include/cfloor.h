#ifndef CFLOOR_H
#define CFLOOR_H
#endif
