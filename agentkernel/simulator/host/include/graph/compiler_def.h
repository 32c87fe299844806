// Attributes that registration macros use.
#pragma once

#ifndef VAR_UNUSED
#define VAR_UNUSED __attribute__((unused))
#endif
#ifndef METADEF_FUNC_VISIBILITY
#define METADEF_FUNC_VISIBILITY
#endif
