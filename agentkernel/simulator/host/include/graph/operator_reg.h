// Operator prototypes belong to graph compilation; only the class of an operator is needed here.
#pragma once
#include "graph/operator.h"
