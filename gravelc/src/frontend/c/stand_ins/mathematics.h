// What <math.h>, <complex.h> and <tgmath.h> declare. The format is that of `mod.rs`.

#header math.h
#unspecified FP_INT_UPWARD FP_INT_DOWNWARD FP_INT_TOWARDZERO FP_INT_TONEARESTFROMZERO FP_INT_TONEAREST FP_NAN
#unspecified FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL
#define isnan __builtin_isnan
#define isinf __builtin_isinf
#define isfinite __builtin_isfinite
#define isnormal __builtin_isnormal
#define signbit __builtin_signbit
#define fpclassify __builtin_fpclassify
#define isgreater __builtin_isgreater
#define isgreaterequal __builtin_isgreaterequal
#define isless __builtin_isless
#define islessequal __builtin_islessequal
#define islessgreater __builtin_islessgreater
#define isunordered __builtin_isunordered
typedef float float_t;
typedef double double_t;
extern const double HUGE_VAL;
extern const float HUGE_VALF, INFINITY, NAN;
extern const long double HUGE_VALL;
extern const double M_E, M_LOG2E, M_LOG10E, M_LN2, M_LN10, M_PI, M_PI_2, M_PI_4, M_1_PI, M_2_PI, M_2_SQRTPI, M_SQRT2,
  M_SQRT1_2;
extern int signgam;
double acos(double);
float acosf(float);
long double acosl(long double);
double asin(double);
float asinf(float);
long double asinl(long double);
double atan(double);
float atanf(float);
long double atanl(long double);
double cos(double);
float cosf(float);
long double cosl(long double);
double sin(double);
float sinf(float);
long double sinl(long double);
double tan(double);
float tanf(float);
long double tanl(long double);
double acosh(double);
float acoshf(float);
long double acoshl(long double);
double asinh(double);
float asinhf(float);
long double asinhl(long double);
double atanh(double);
float atanhf(float);
long double atanhl(long double);
double cosh(double);
float coshf(float);
long double coshl(long double);
double sinh(double);
float sinhf(float);
long double sinhl(long double);
double tanh(double);
float tanhf(float);
long double tanhl(long double);
double exp(double);
float expf(float);
long double expl(long double);
double exp2(double);
float exp2f(float);
long double exp2l(long double);
double expm1(double);
float expm1f(float);
long double expm1l(long double);
double log(double);
float logf(float);
long double logl(long double);
double log10(double);
float log10f(float);
long double log10l(long double);
double log1p(double);
float log1pf(float);
long double log1pl(long double);
double log2(double);
float log2f(float);
long double log2l(long double);
double logb(double);
float logbf(float);
long double logbl(long double);
double sqrt(double);
float sqrtf(float);
long double sqrtl(long double);
double cbrt(double);
float cbrtf(float);
long double cbrtl(long double);
double ceil(double);
float ceilf(float);
long double ceill(long double);
double floor(double);
float floorf(float);
long double floorl(long double);
double trunc(double);
float truncf(float);
long double truncl(long double);
double round(double);
float roundf(float);
long double roundl(long double);
double rint(double);
float rintf(float);
long double rintl(long double);
double nearbyint(double);
float nearbyintf(float);
long double nearbyintl(long double);
double fabs(double);
float fabsf(float);
long double fabsl(long double);
double erf(double);
float erff(float);
long double erfl(long double);
double erfc(double);
float erfcf(float);
long double erfcl(long double);
double tgamma(double);
float tgammaf(float);
long double tgammal(long double);
double lgamma(double);
float lgammaf(float);
long double lgammal(long double);
double atan2(double, double);
float atan2f(float, float);
long double atan2l(long double, long double);
double pow(double, double);
float powf(float, float);
long double powl(long double, long double);
double hypot(double, double);
float hypotf(float, float);
long double hypotl(long double, long double);
double fmod(double, double);
float fmodf(float, float);
long double fmodl(long double, long double);
double remainder(double, double);
float remainderf(float, float);
long double remainderl(long double, long double);
double copysign(double, double);
float copysignf(float, float);
long double copysignl(long double, long double);
double nextafter(double, double);
float nextafterf(float, float);
long double nextafterl(long double, long double);
double fmax(double, double);
float fmaxf(float, float);
long double fmaxl(long double, long double);
double fmin(double, double);
float fminf(float, float);
long double fminl(long double, long double);
double fdim(double, double);
float fdimf(float, float);
long double fdiml(long double, long double);
double fma(double, double, double);
float fmaf(float, float, float);
long double fmal(long double, long double, long double);
double frexp(double, int *);
float frexpf(float, int *);
long double frexpl(long double, int *);
double ldexp(double, int);
float ldexpf(float, int);
long double ldexpl(long double, int);
double modf(double, double *);
float modff(float, float *);
long double modfl(long double, long double *);
int ilogb(double);
int ilogbf(float);
int ilogbl(long double);
double scalbn(double, int);
float scalbnf(float, int);
long double scalbnl(long double, int);
double scalbln(double, long);
float scalblnf(float, long);
long double scalblnl(long double, long);
long lround(double);
long lroundf(float);
long lroundl(long double);
long long llround(double);
long long llroundf(float);
long long llroundl(long double);
long lrint(double);
long lrintf(float);
long lrintl(long double);
long long llrint(double);
long long llrintf(float);
long long llrintl(long double);
double remquo(double, double, int *);
float remquof(float, float, int *);
long double remquol(long double, long double, int *);
double nan(const char *);
float nanf(const char *);
long double nanl(const char *);
double nexttoward(double, long double);
float nexttowardf(float, long double);
long double nexttowardl(long double, long double);
double exp10(double);
float exp10f(float);
long double exp10l(long double);
double gamma(double);
float gammaf(float);
long double gammal(long double);
double j0(double);
float j0f(float);
long double j0l(long double);
double j1(double);
float j1f(float);
long double j1l(long double);
double jn(int, double);
float jnf(int, float);
long double jnl(int, long double);
double y0(double);
float y0f(float);
long double y0l(long double);
double y1(double);
float y1f(float);
long double y1l(long double);
double yn(int, double);
float ynf(int, float);
long double ynl(int, long double);
double drem(double, double);
float dremf(float, float);
long double dreml(long double, long double);
double significand(double);
float significandf(float);
long double significandl(long double);
int finite(double);
int finitef(float);
int finitel(long double);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
void sincosl(long double, long double *, long double *);
double lgamma_r(double, int *);
double lgamma_r(double, int *);
void sincos(double, double *, double *);

#header complex.h
extern const float _Complex _Complex_I, I;
double _Complex CMPLX(double, double);
float _Complex CMPLXF(float, float);
long double _Complex CMPLXL(long double, long double);
double _Complex cacos(double _Complex);
float _Complex cacosf(float _Complex);
long double _Complex cacosl(long double _Complex);
double _Complex casin(double _Complex);
float _Complex casinf(float _Complex);
long double _Complex casinl(long double _Complex);
double _Complex catan(double _Complex);
float _Complex catanf(float _Complex);
long double _Complex catanl(long double _Complex);
double _Complex ccos(double _Complex);
float _Complex ccosf(float _Complex);
long double _Complex ccosl(long double _Complex);
double _Complex csin(double _Complex);
float _Complex csinf(float _Complex);
long double _Complex csinl(long double _Complex);
double _Complex ctan(double _Complex);
float _Complex ctanf(float _Complex);
long double _Complex ctanl(long double _Complex);
double _Complex cacosh(double _Complex);
float _Complex cacoshf(float _Complex);
long double _Complex cacoshl(long double _Complex);
double _Complex casinh(double _Complex);
float _Complex casinhf(float _Complex);
long double _Complex casinhl(long double _Complex);
double _Complex catanh(double _Complex);
float _Complex catanhf(float _Complex);
long double _Complex catanhl(long double _Complex);
double _Complex ccosh(double _Complex);
float _Complex ccoshf(float _Complex);
long double _Complex ccoshl(long double _Complex);
double _Complex csinh(double _Complex);
float _Complex csinhf(float _Complex);
long double _Complex csinhl(long double _Complex);
double _Complex ctanh(double _Complex);
float _Complex ctanhf(float _Complex);
long double _Complex ctanhl(long double _Complex);
double _Complex cexp(double _Complex);
float _Complex cexpf(float _Complex);
long double _Complex cexpl(long double _Complex);
double _Complex clog(double _Complex);
float _Complex clogf(float _Complex);
long double _Complex clogl(long double _Complex);
double _Complex cpow(double _Complex, double _Complex);
float _Complex cpowf(float _Complex, float _Complex);
long double _Complex cpowl(long double _Complex, long double _Complex);
double _Complex csqrt(double _Complex);
float _Complex csqrtf(float _Complex);
long double _Complex csqrtl(long double _Complex);
double cabs(double _Complex);
float cabsf(float _Complex);
long double cabsl(long double _Complex);
double carg(double _Complex);
float cargf(float _Complex);
long double cargl(long double _Complex);
double cimag(double _Complex);
float cimagf(float _Complex);
long double cimagl(long double _Complex);
double creal(double _Complex);
float crealf(float _Complex);
long double creall(long double _Complex);
double _Complex conj(double _Complex);
float _Complex conjf(float _Complex);
long double _Complex conjl(long double _Complex);
double _Complex cproj(double _Complex);
float _Complex cprojf(float _Complex);
long double _Complex cprojl(long double _Complex);

// Their types are those of their arguments.
#header tgmath.h
#define sin __builtin_tgmath_sin
#define cos __builtin_tgmath_cos
#define tan __builtin_tgmath_tan
#define asin __builtin_tgmath_asin
#define acos __builtin_tgmath_acos
#define atan __builtin_tgmath_atan
#define atan2 __builtin_tgmath_atan2
#define sinh __builtin_tgmath_sinh
#define cosh __builtin_tgmath_cosh
#define tanh __builtin_tgmath_tanh
#define exp __builtin_tgmath_exp
#define log __builtin_tgmath_log
#define pow __builtin_tgmath_pow
#define sqrt __builtin_tgmath_sqrt
#define fabs __builtin_tgmath_fabs
#define floor __builtin_tgmath_floor
#define ceil __builtin_tgmath_ceil
#define fmod __builtin_tgmath_fmod
#define cabs __builtin_tgmath_cabs
#define creal __builtin_tgmath_creal
#define cimag __builtin_tgmath_cimag
#define conj __builtin_tgmath_conj
#define carg __builtin_tgmath_carg
#define cexp __builtin_tgmath_cexp
#define csqrt __builtin_tgmath_csqrt
