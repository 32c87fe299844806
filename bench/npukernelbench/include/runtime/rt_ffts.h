// The bindings include this header of the card's runtime and use nothing of it.
#pragma once
