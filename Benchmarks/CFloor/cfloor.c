#include "cfloor.h"
