#include <stdio.h>
int main(void)
{
    puts("other");
    return 0;
}
