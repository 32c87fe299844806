// The status codes of namespace ge; they stand with the other basic types.
#pragma once
#include "graph/types.h"
