"""Functions that libc's headers declare with C linkage: no kernel entry of such a name can stand beside them."""

from __future__ import annotations

_MATH = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim
finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llrint llround log log10
log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round roundeven scalb
scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""

_REST = """
abort abs atexit atof atoi atol atoll bsearch calloc clearenv div drand48 ecvt erand48 exit fcvt free gcvt getenv
getloadavg getsubopt jrand48 labs lcong48 ldiv llabs lldiv lrand48 malloc mblen mktemp mrand48 nrand48 putenv qsort
rand random realloc realpath rpmatch seed48 setenv setstate srand srand48 srandom strtod strtol system unsetenv
valloc bcmp bcopy bzero ffs index memccpy memchr memcmp memcpy memmem memmove memset rindex stpcpy strcat strchr
strcmp strcoll strcpy strcspn strdup strerror strfry strlen strncat strncmp strncpy strpbrk strrchr strsep strsignal
strspn strstr strtok strxfrm swab clearerr dprintf fclose fdopen feof ferror fflush fgetc fgets fopen fprintf fputc
fputs fread freopen fscanf fseek ftell fwrite getc getchar getline gets getw pclose perror popen printf putc putchar
puts putw remove rename renameat rewind scanf setbuf snprintf sprintf sscanf tempnam tmpfile tmpnam ungetc vprintf
asctime clock ctime difftime gmtime localtime mktime nanosleep stime strftime time timegm raise signal kill longjmp
setjmp isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower
toupper access alarm brk chdir chown close crypt dup dup2 execl execv fork fsync ftruncate getcwd getpid isatty link
lseek nice pause pipe read readlink rmdir sbrk select sleep swapoff symlink sync syscall truncate unlink usleep
write accept bind connect listen main recv send shutdown socket stat wait
"""

LIBC_NAMES = frozenset(name + suffix for name in _MATH.split() for suffix in ("", "f", "l")) | frozenset(_REST.split())
"""Names of <math.h> (double, float and long double), <stdlib.h>, <string.h>, <stdio.h>, <time.h>, <signal.h>,
<setjmp.h>, <ctype.h>, <unistd.h> and <sys/socket.h> by C and POSIX. A rename costs nothing where none was needed."""
