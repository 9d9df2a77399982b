#include "handover.h"

uint8_t dh_handovers[DH_HANDOVER_BYTES];
